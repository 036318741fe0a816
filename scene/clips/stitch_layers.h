// Stitching: merges a layer into a stronger one, spec by spec.
#ifndef STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_
#define STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"

namespace stagedoor {

struct StitchLayersOptions {
  bool time_samples = true;  // whether samples are merged too; else the weak layer's are left out
};

// Adds to `strong` what only `weak` says, as OpenUSD's UsdUtilsStitchLayers: the stronger value of
// a field stays, except that an `over` gives way to what the weaker layer says, dictionaries, list
// edits, variant selections and time samples merge, and the range of time codes widens. The order
// of the stronger layer's specs stays; new ones come behind. Specs, fields and what is in those
// that merge are work of the request; incomplete once that has ended.
void StitchLayers(RequestContext& context, const Layer& weak, StitchLayersOptions options,
                  LayerBuilder* strong);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_STITCH_LAYERS_H_
