// The opinions of one field that the layers of a stack have, as one opinion.
#ifndef STAGEDOOR_SCENE_STAGE_FIELD_REDUCTION_H_
#define STAGEDOOR_SCENE_STAGE_FIELD_REDUCTION_H_

#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/values/scalar_types.h"
#include "scene/values/value.h"

namespace stagedoor {

struct LayerOpinion {
  Value value;         // as the layer states it
  LayerOffset offset;  // from the layer's time to the stack's
};

// The opinion that does what these do one over the other, strongest first, in the time of the
// stack: list edits are composed, dictionaries merged key by key, variant selections and relocates
// united; the specifier `over` and an empty type name are no opinion; of all else the strongest
// counts. Samples, splines, time codes, clips and the offsets of references and payloads are mapped
// to stack time. As in composition, references are the same if their layers state the same offset.
// Entries and items are work of the request; anything once that has ended.
Value ReduceField(RequestContext& context, Token field, const std::vector<LayerOpinion>& opinions);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_FIELD_REDUCTION_H_
