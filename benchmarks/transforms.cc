#include "benchmarks/transforms.h"

#include "benchmarks/report.h"
#include "scene/geom/bounds_cache.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_cache.h"

namespace stagedoor::bench {

std::vector<Prim> OnlyXformable(const std::vector<Prim>& prims) {
  std::vector<Prim> xformable;
  for (const Prim& prim : prims) {
    if (prim.IsA(Geom().Xformable)) xformable.push_back(prim);
  }
  return xformable;
}

double TransformAll(RequestContext& context, const std::vector<Prim>& prims,
                    const std::vector<double>& times) {
  double corner = 0;
  for (double time : times) {
    XformCache cache(Time::At(time));
    for (const Prim& prim : prims) corner += cache.LocalToWorld(context, prim).m[3][3];
  }
  const double count = static_cast<double>(prims.size() * times.size());
  Require(corner == count, "a transform is not affine");
  return count;
}

void BoundAll(RequestContext& context, const Prim& prim) {
  BoundsCache cache(Time::At(1), {.purposes = {Geom().default_, Geom().render}});
  Require(!cache.WorldBound(context, prim).empty(), "a bound is empty");
}

}  // namespace stagedoor::bench
