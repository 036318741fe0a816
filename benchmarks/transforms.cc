#include "benchmarks/transforms.h"

#include <string>
#include <utility>

#include "benchmarks/require.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_batch.h"
#include "scene/values/matrix.h"

namespace stagedoor::bench {

std::vector<Prim> FilterXformable(const std::vector<Prim>& prims) {
  std::vector<Prim> xformable;
  for (const Prim& prim : prims) {
    if (prim.IsA(Geom().Xformable)) xformable.push_back(prim);
  }
  return xformable;
}

double TransformAll(RequestContext& context, const std::vector<Prim>& prims,
                    const std::vector<double>& times, Executor* executor) {
  std::vector<TimeCode> at;
  for (double time : times) at.push_back(TimeCode::At(time));
  const auto batch = ComputeXforms(context, prims, at, false, executor);
  Require(batch.ok(), "transforms cannot be computed");
  double corner = 0;
  for (const Matrix4d& world : batch->world) corner += world.m[3][3];
  const double count = static_cast<double>(prims.size() * times.size());
  Require(corner == count, "a transform is not affine");
  return count;
}

void MeasureTransforms(std::string_view name, RequestContext& context,
                       const std::vector<Prim>& prims, const std::vector<double>& times,
                       Executor* executor, Report& report) {
  const std::string metric(name);
  double count = 0;
  report.Settle();
  const double seconds = Seconds([&] { count = TransformAll(context, prims, times, executor); });
  report.Add(metric + ".first.prims_per_s", "1/s", {count / seconds});
  report.Rate(metric + ".prims_per_s", "1/s",
              [&] { return TransformAll(context, prims, times, executor); });
}

void ComputeWorldBound(RequestContext& context, const Prim& prim, Executor* executor) {
  BBoxCacheOptions options{.purposes = {Geom().default_, Geom().render}};
  options.executor = executor;
  BBoxCache cache(TimeCode::At(1), std::move(options));
  Require(!cache.WorldBound(context, prim).empty(), "a bound is empty");
}

}  // namespace stagedoor::bench
