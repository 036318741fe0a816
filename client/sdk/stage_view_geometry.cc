// The methods of StageView that compute geometry.
#include "base/status_macros.h"
#include "client/sdk/geometry_reply.h"
#include "client/sdk/stage_view.h"

namespace stagedoor::sdk {
namespace {

template <typename Request>
Request RequestFor(std::span<const std::string> paths, const Times& times) {
  Request request;
  request.mutable_paths()->Add(paths.begin(), paths.end());
  *request.mutable_times() = times.message();
  return request;
}

v1::ComputeSkinnedPointsRequest SkinningRequest(std::span<const std::string> paths,
                                                const Times& times,
                                                const StageView::SkinningOptions& options) {
  auto request = RequestFor<v1::ComputeSkinnedPointsRequest>(paths, times);
  request.set_world_space(options.world_space);
  request.set_with_normals(options.with_normals);
  return request;
}

// Passes the prims of a message to a sink.
absl::Status PassOn(const v1::ComputeSkinnedPointsResponse& part,
                    const std::function<absl::Status(SkinnedPrim)>& sink) {
  for (const v1::SkinnedPrim& item : part.items()) SD_RETURN_IF_ERROR(sink(SkinnedPrimOf(item)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PrimTable<Matrix4d>> StageView::GetTransforms(std::span<const std::string> paths,
                                                             const Times& times,
                                                             const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(v1::ComputeTransformsResponse reply,
                      Call(&Client::ComputeTransforms,
                           RequestFor<v1::ComputeTransformsRequest>(paths, times), call));
  return TransformsIn(std::move(reply), paths);
}

absl::StatusOr<PrimTable<Range3d>> StageView::GetBounds(std::span<const std::string> paths,
                                                        const Times& times,
                                                        const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(
      v1::ComputeBoundsResponse reply,
      Call(&Client::ComputeBounds, RequestFor<v1::ComputeBoundsRequest>(paths, times), call));
  return BoundsIn(std::move(reply), paths);
}

absl::Status StageView::GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                         const std::function<absl::Status(SkinnedPrim)>& sink,
                                         const SkinningOptions& options,
                                         const CallOptions& call) const {
  return Stream(
      &Client::ComputeSkinnedPoints, SkinningRequest(paths, times, options),
      [&](const v1::ComputeSkinnedPointsResponse& part) { return PassOn(part, sink); }, call);
}

void StageView::GetSkinnedPointsAsync(std::span<const std::string> paths, const Times& times,
                                      std::function<absl::Status(SkinnedPrim)> sink,
                                      std::function<void(absl::Status)> done,
                                      const SkinningOptions& options,
                                      const CallOptions& call) const {
  StreamAsync(
      &Client::ComputeSkinnedPointsAsync, SkinningRequest(paths, times, options),
      [sink = std::move(sink)](const v1::ComputeSkinnedPointsResponse& part) {
        return PassOn(part, sink);
      },
      std::move(done), call);
}

}  // namespace stagedoor::sdk
