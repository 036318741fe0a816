#ifndef STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_
#define STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The context of values from value clips on the stage: the layer that anchors their asset paths,
// and the node whose namespace their path expressions are in.

// An asset path in a clip's value is relative to the clip's layer, or to the manifest if the
// manifest supplies the value. Its expression variables are those of the layer stack that authors
// the clip set.
struct ClipAssetSite {
  std::shared_ptr<const Layer> layer;  // null if the clip cannot be opened
  const LayerStack* stack = nullptr;
};

// Returns the site of the value at `time`, which must be numeric, of an attribute of `prim` whose
// values come from clips.
ClipAssetSite FindClipAssetSite(RequestContext& context, const Prim& prim, Token attribute,
                                const AttributeSource& source, TimeCode time);

// Returns the node of the prim's index at which the clips of such an attribute are anchored; none
// if it is not found.
std::optional<uint32_t> FindClipNode(RequestContext& context, const Prim& prim, Token attribute,
                                     const AttributeSource& source);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_
