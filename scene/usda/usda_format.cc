#include "scene/usda/usda_format.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "resolver/asset.h"
#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {

LayerFormat UsdaFormat(const PluginFields* fields) {
  return {.name = "usda",
          .extensions = {"usda"},
          .reads = LooksLikeUsda,
          .open = [fields](RequestContext& context, const std::shared_ptr<const Asset>& asset,
                           Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
            SD_ASSIGN_OR_RETURN(const PinnedBytes bytes, ReadAll(context, *asset, asset->size()));
            return ReadUsda(bytes.text(), std::move(info), fields, &context);
          },
          .write = UsdaBytes};
}

}  // namespace stagedoor
