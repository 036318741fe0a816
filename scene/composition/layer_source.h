// LayerSource: how composition gets at layers; the layer registry in production, a table in tests.
#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// Thread-safe. One identifier gives one layer object as long as the composer lives.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  // The identifier of `asset_path` as written in `anchor` (null: nowhere).
  virtual std::string Identify(RequestContext& context, std::string_view asset_path,
                               const Layer* anchor) = 0;
  virtual absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                            const std::string& identifier) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_
