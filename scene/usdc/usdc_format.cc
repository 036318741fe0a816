#include "scene/usdc/usdc_format.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "resolver/asset.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {
namespace {

struct AssetPin : RefCounted {
  explicit AssetPin(std::shared_ptr<const void> p) : pin(std::move(p)) {}
  const std::shared_ptr<const void> pin;
};

}  // namespace

LayerFormat UsdcFormat() {
  LayerFormat format{.name = "usdc", .extensions = {"usdc"}};
  format.reads = [](std::string_view first_bytes) {
    return IsUsdc(std::as_bytes(std::span(first_bytes)));
  };
  format.open = [](RequestContext& context, const std::shared_ptr<const Asset>& asset,
                   Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
    SD_ASSIGN_OR_RETURN(PinnedBytes content, ReadAll(context, *asset, asset->size()));
    return ReadUsdc(content.bytes, MakeRef<AssetPin>(std::move(content.pin)), std::move(info));
  };
  return format;
}

}  // namespace stagedoor
