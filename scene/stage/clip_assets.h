// Where asset paths in the values of clips belong.
#ifndef STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_
#define STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_

#include <memory>

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/stage/property.h"

namespace stagedoor {

// An asset path in a clip's value is relative to the clip's layer, or to the manifest's where that
// gives the value. Its variables are those of the layer stack that has the clip set.
struct ClipAssetSite {
  std::shared_ptr<const Layer> layer;  // null: the clip cannot be opened
  const LayerStack* stack = nullptr;
};

// Of the value that `source`, which takes values from clips, has at a numeric time.
ClipAssetSite FindClipAssetSite(RequestContext& context, const Attribute& attribute,
                                const AttributeSource& source, Time time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_CLIP_ASSETS_H_
