#include "benchmarks/flattening.h"

#include <memory>

#include "absl/status/statusor.h"
#include "benchmarks/require.h"
#include "scene/export/flatten.h"

namespace stagedoor::bench {

void MeasureFlatten(std::string_view name, RequestContext& context, const Stage& stage,
                    Report& report) {
  std::vector<double> seconds;
  report.Settle();
  for (int i = 0; i < (report.brief() ? 1 : 2); ++i) {
    absl::StatusOr<std::shared_ptr<const Layer>> layer;
    seconds.push_back(Seconds(
        [&] { layer = FlattenStage(context, stage, {.identifier = "flat", .anonymous = true}); }));
    Require(layer.ok() && (*layer)->tree().size() >= stage.prim_count(),
            "the flattened layer is incomplete");
  }
  report.Add(name, "s", seconds);
}

}  // namespace stagedoor::bench
