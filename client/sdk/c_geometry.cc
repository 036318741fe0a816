// The functions of the C interface for transforms and bounds.
#include <algorithm>

#include "base/status_macros.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

// A method of StageView that computes something for prims at times.
template <typename T>
using Compute = absl::StatusOr<PrimTable<T>> (StageView::*)(std::span<const std::string>,
                                                            const Times&, const CallOptions&) const;

template <typename T>
absl::StatusOr<PrimTable<T>> TableOf(Compute<T> compute, const Stage& stage,
                                     const char* const* paths, size_t path_count,
                                     const double* times, size_t time_count,
                                     const sd_call_options* call) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> wanted, TextsOf(paths, path_count));
  SD_ASSIGN_OR_RETURN(const Times when, TimesOf(times, time_count));
  return (stage.*compute)(wanted, when, CallOptionsOf(call));
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_get_transforms(sd_stage* stage, const char* const* paths, size_t path_count,
                          const double* times, size_t time_count, const sd_call_options* call,
                          sd_transforms** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::TableOf<sdk::Matrix4d>(&sdk::StageView::GetTransforms, stage->stage,
                                                 paths, path_count, times, time_count, call),
                     out, error);
}

sd_code sd_transforms_get(const sd_transforms* transforms, size_t path, size_t time,
                          double matrix[16], sd_error** error) {
  if (transforms == nullptr) return sdk::ReportNull("transforms", error);
  if (matrix == nullptr) return sdk::ReportNull("matrix", error);
  const absl::StatusOr<sdk::Matrix4d> found = transforms->table.Get(path, time);
  if (!found.ok()) return sdk::Report(found.status(), error);
  for (size_t row = 0; row < 4; ++row) std::copy_n((*found)[row].begin(), 4, matrix + 4 * row);
  return SD_OK;
}

sd_code sd_get_bounds(sd_stage* stage, const char* const* paths, size_t path_count,
                      const double* times, size_t time_count, const sd_call_options* call,
                      sd_bounds** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::TableOf<sdk::Range3d>(&sdk::StageView::GetBounds, stage->stage, paths,
                                                path_count, times, time_count, call),
                     out, error);
}

sd_code sd_bounds_get(const sd_bounds* bounds, size_t path, size_t time, double min[3],
                      double max[3], sd_error** error) {
  if (bounds == nullptr) return sdk::ReportNull("bounds", error);
  if (min == nullptr) return sdk::ReportNull("min", error);
  if (max == nullptr) return sdk::ReportNull("max", error);
  const absl::StatusOr<sdk::Range3d> found = bounds->table.Get(path, time);
  if (!found.ok()) return sdk::Report(found.status(), error);
  std::copy(found->min.begin(), found->min.end(), min);
  std::copy(found->max.begin(), found->max.end(), max);
  return SD_OK;
}
