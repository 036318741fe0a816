#ifndef STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_
#define STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

// Stitching: merges a layer into a stronger one, spec by spec. Corresponds to OpenUSD's
// UsdUtilsStitchLayers and UsdUtilsStitchInfo.

struct StitchLayersOptions {
  bool animation = true;  // false leaves out the weaker layer's time samples and splines
};

// Adds to `strong` what only `weak` has. The stronger value of a field stays, except that a
// specifier `over` gives way to the weaker one; dictionaries, list ops, variant selections and time
// samples merge, and the range of time codes widens. The order of the stronger layer's specs stays,
// with new ones after them. The work for specs, fields and merged items is charged to the context;
// the result is incomplete once that is done.
void StitchLayers(RequestContext& context, const Layer& weak, StitchLayersOptions options,
                  LayerBuilder* strong);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_
