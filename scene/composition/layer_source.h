#ifndef STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_
#define STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// Opens the layers that composition needs, from the layer registry in production and from a table
// in tests. Takes the place of SdfLayer::FindOrOpen in OpenUSD's Pcp.
//
// Thread-safe. Returns the same layer object for an identifier as long as the composer lives, so
// that layers can be compared by address.
class LayerSource {
 public:
  virtual ~LayerSource() = default;
  // The identifier of `asset_path`, anchored at the layer `anchor` that it is authored in.
  // `anchor` may be null, in which case the path is not anchored.
  virtual std::string Identify(RequestContext& context, std::string_view asset_path,
                               const Layer* anchor) = 0;
  virtual absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                            const std::string& identifier) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_LAYER_SOURCE_H_
