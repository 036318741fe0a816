#ifndef STAGEDOOR_SCENE_EXPORT_FIELD_REDUCTION_H_
#define STAGEDOOR_SCENE_EXPORT_FIELD_REDUCTION_H_

#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/values/layer_offset.h"
#include "scene/values/value.h"

namespace stagedoor {

// Reduces the opinions that the layers of a layer stack have about one field to a single opinion.
// Used to flatten layer stacks.

struct LayerOpinion {
  Value value;         // as authored in the layer
  LayerOffset offset;  // from the layer's time to the layer stack's
};

// Returns the one opinion, in the time of the layer stack, with the same effect as `opinions`,
// which are ordered strongest first. List ops are composed, dictionaries merged key by key, variant
// selections and relocates united; the specifier `over` and an empty type name do not count as
// opinions; of any other value the strongest is taken. Samples, splines, time codes, clips and the
// offsets of references and payloads are mapped to the time of the layer stack. As in composition,
// references are compared by the offset authored in their layers, before mapping. Each entry and
// item counts as a step of the request; once the request is over, the result is unspecified.
Value ReduceField(RequestContext& context, Token field, const std::vector<LayerOpinion>& opinions);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EXPORT_FIELD_REDUCTION_H_
