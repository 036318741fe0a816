#ifndef STAGEDOOR_BENCHMARKS_TRANSFORMS_H_
#define STAGEDOOR_BENCHMARKS_TRANSFORMS_H_

#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/request_context.h"
#include "benchmarks/report.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

std::vector<Prim> FilterXformable(const std::vector<Prim>& prims);
// Local-to-world of each prim at each time, nothing of which is remembered from call to call but
// what the snapshot keeps: how prims are transformed. Returns how many.
double TransformAll(RequestContext& context, const std::vector<Prim>& prims,
                    const std::vector<double>& times, Executor* executor);
// Measures that as NAME.prims_per_s, and the first time as NAME.first.prims_per_s.
void MeasureTransforms(std::string_view name, RequestContext& context,
                       const std::vector<Prim>& prims, const std::vector<double>& times,
                       Executor* executor, Report& report);
// World bound of what renders at or below a prim at time 1, with a fresh cache. Ends the process
// where it is empty.
void ComputeWorldBound(RequestContext& context, const Prim& prim, Executor* executor);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_TRANSFORMS_H_
