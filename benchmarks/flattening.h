#ifndef STAGEDOOR_BENCHMARKS_FLATTENING_H_
#define STAGEDOOR_BENCHMARKS_FLATTENING_H_

#include <string_view>

#include "base/request_context.h"
#include "benchmarks/report.h"
#include "scene/stage/stage.h"

namespace stagedoor::bench {

// Measures flattening a stage into a layer in memory, without the layer's destruction.
void MeasureFlatten(std::string_view name, RequestContext& context, const Stage& stage,
                    Report& report);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_FLATTENING_H_
