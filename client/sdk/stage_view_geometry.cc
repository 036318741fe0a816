// The methods of StageView that compute geometry.
#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "client/sdk/geometry_reply.h"
#include "client/sdk/path_parts.h"
#include "client/sdk/skinned_delivery.h"
#include "client/sdk/skinning_collector.h"
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

}  // namespace

absl::StatusOr<PrimTable<Matrix4d>> StageView::GetTransforms(std::span<const std::string> paths,
                                                             const Times& times,
                                                             const CallOptions& call) const {
  using Table = PrimTable<Matrix4d>;
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<Table>> {
    SD_ASSIGN_OR_RETURN(v1::ComputeTransformsResponse reply,
                        At(pin).Call(&Client::ComputeTransforms,
                                     RequestFor<v1::ComputeTransformsRequest>(part, times), call));
    std::string snapshot = reply.snapshot();
    SD_ASSIGN_OR_RETURN(Table table, TransformsIn(std::move(reply), part));
    return OfSnapshot<Table>{std::move(table), std::move(snapshot)};
  };
  SD_ASSIGN_OR_RETURN(std::vector<Table> tables, AskInParts<Table>(paths, pin_, ask));
  return JoinTables(std::move(tables));
}

absl::StatusOr<PrimTable<Range3d>> StageView::GetBounds(std::span<const std::string> paths,
                                                        const Times& times,
                                                        const CallOptions& call) const {
  using Table = PrimTable<Range3d>;
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<Table>> {
    SD_ASSIGN_OR_RETURN(v1::ComputeBoundsResponse reply,
                        At(pin).Call(&Client::ComputeBounds,
                                     RequestFor<v1::ComputeBoundsRequest>(part, times), call));
    std::string snapshot = reply.snapshot();
    SD_ASSIGN_OR_RETURN(Table table, BoundsIn(std::move(reply), part));
    return OfSnapshot<Table>{std::move(table), std::move(snapshot)};
  };
  SD_ASSIGN_OR_RETURN(std::vector<Table> tables, AskInParts<Table>(paths, pin_, ask));
  return JoinTables(std::move(tables));
}

absl::Status StageView::GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                         const std::function<absl::Status(SkinnedPrim)>& sink,
                                         const SkinningOptions& options,
                                         const CallOptions& call) const {
  auto request = SkinningRequest(paths, times, options);
  SkinnedDelivery delivery(sink);
  return Run(
      [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
        delivery.Begin(ref, &request);
        return delivery.Finish(client.ComputeSkinnedPoints(
            request,
            [&](const v1::ComputeSkinnedPointsResponse& part) { return delivery.Take(part); },
            left));
      },
      call);
}

absl::StatusOr<std::vector<Skinning>> StageView::GetSkinning(std::span<const std::string> paths,
                                                             const Times& times,
                                                             const CallOptions& call) const {
  SkinningCollector collector;
  SD_RETURN_IF_ERROR(Collect(
      &Client::ComputeSkinning, RequestFor<v1::ComputeSkinningRequest>(paths, times),
      [&] { collector = SkinningCollector(); },
      [&](const v1::ComputeSkinningResponse& part) { return collector.Add(part); }, call));
  return collector.prims();
}

void StageView::GetSkinnedPointsAsync(std::span<const std::string> paths, const Times& times,
                                      std::function<absl::Status(SkinnedPrim)> sink,
                                      std::function<void(absl::Status)> done,
                                      const SkinningOptions& options,
                                      const CallOptions& call) const {
  struct State {
    v1::ComputeSkinnedPointsRequest request;
    SkinnedDelivery delivery;
  };
  auto state = std::make_shared<State>(
      State{SkinningRequest(paths, times, options), SkinnedDelivery(std::move(sink))});
  Start(
      [state](Client& client, const v1::StageRef& ref, const CallOptions& left, Ended ended) {
        state->delivery.Begin(ref, &state->request);
        client.ComputeSkinnedPointsAsync(
            state->request,
            [state](const v1::ComputeSkinnedPointsResponse& part) {
              return state->delivery.Take(part);
            },
            [state, ended = std::move(ended)](absl::Status status) {
              ended(state->delivery.Finish(std::move(status)));
            },
            left);
      },
      call, std::move(done));
}

}  // namespace stagedoor::sdk
