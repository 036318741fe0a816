#include "scene/geom/extents_hint.h"

#include <cstddef>
#include <optional>

#include "scene/geom/boundable.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/vec_math.h"

namespace stagedoor {

std::vector<Vec3f> ComputeExtentsHint(RequestContext& context, const Prim& prim, BBoxCache& cache) {
  const std::optional<Range3d> own = ComputeExtentFromType(context, prim, cache, false);
  if (!own && prim.IsA(Geom().Boundable)) {
    // As in OpenUSD, neither the authored extent nor the children of such a prim count.
    const Range3d none;
    return {VecCast<float>(none.min), VecCast<float>(none.max)};
  }
  std::vector<Vec3f> hint;
  size_t used = 2;
  for (const Token purpose : {Geom().default_, Geom().render, Geom().proxy, Geom().guide}) {
    Range3d range = own ? *own : cache.UntransformedBoundOf(context, prim, purpose).AlignedRange();
    if (!own && range.empty()) range = Range3d();  // an authored hint may be inside out
    hint.push_back(VecCast<float>(range.min));
    hint.push_back(VecCast<float>(range.max));
    if (own || !range.empty()) used = hint.size();
  }
  hint.resize(used);
  return hint;
}

}  // namespace stagedoor
