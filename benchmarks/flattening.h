#ifndef STAGEDOOR_BENCHMARKS_FLATTENING_H_
#define STAGEDOOR_BENCHMARKS_FLATTENING_H_

#include <string_view>

#include "base/request_context.h"
#include "benchmarks/report.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

// How long it takes to flatten a stage into a layer in memory, the layer's end not counted.
void MeasureFlatten(std::string_view name, RequestContext& context, const Stage& stage,
                    Report& report);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_FLATTENING_H_
