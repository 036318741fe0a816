#include "scene/lod/lod_override.h"

#include <cstdint>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/lod/lod_tokens.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerOverride = 16;

}  // namespace

LodOverride ComputeLodOverride(RequestContext& context, const Prim& prim, TimeCode time) {
  Pacer pacer(context);
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!pacer.Go()) break;
    if (!at.HasApi(Lod().LODOverrideAPI)) continue;
    if (!pacer.Go(kStepsPerOverride)) break;
    const auto mode = AttributeValueAs<Token>(context, at, Lod().lod_override_mode, time);
    if (!mode || *mode == Lod().inherited) continue;
    if (*mode != Lod().indexedLOD) return {.mode = *mode, .index = 0, .prim = at};
    const auto index = AttributeValueAs<float>(context, at, Lod().lod_override_index, time);
    if (index) return {.mode = *mode, .index = *index, .prim = at};
  }
  return {.mode = Lod().noOverride, .index = 0, .prim = Prim()};
}

}  // namespace stagedoor
