#ifndef STAGEDOOR_BENCHMARKS_TRANSFORMS_H_
#define STAGEDOOR_BENCHMARKS_TRANSFORMS_H_

#include <vector>

#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

std::vector<Prim> OnlyXformable(const std::vector<Prim>& prims);
// Local-to-world of each prim with a fresh cache at each time; returns how many.
double TransformAll(RequestContext& context, const std::vector<Prim>& prims,
                    const std::vector<double>& times);
// World bound of what renders at or below a prim at time 1, with a fresh cache. Ends the process
// where it is empty.
void BoundAll(RequestContext& context, const Prim& prim);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_TRANSFORMS_H_
