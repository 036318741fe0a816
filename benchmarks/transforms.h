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
// Computes the local-to-world transform of each prim at each time. Nothing is kept between calls
// except what the snapshot keeps: the compiled xformOps of prims. Returns the number of transforms.
double TransformAll(RequestContext& context, const std::vector<Prim>& prims,
                    const std::vector<double>& times, Executor* executor);
// Measures TransformAll as NAME.prims_per_s, and its first run as NAME.first.prims_per_s.
void MeasureTransforms(std::string_view name, RequestContext& context,
                       const std::vector<Prim>& prims, const std::vector<double>& times,
                       Executor* executor, Report& report);
// Computes the world bound of a prim at time 1 for purposes default and render, with a fresh cache.
// Exits the process if it is empty.
void ComputeWorldBound(RequestContext& context, const Prim& prim, Executor* executor);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_TRANSFORMS_H_
