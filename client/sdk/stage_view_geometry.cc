// The methods of StageView that compute geometry.
#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
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

// The elements of an array of a reply, which `owner` keeps in memory. DATA_LOSS if they are not
// FLOAT64 tuples of the size of a T.
template <typename T>
absl::StatusOr<Array<T>> Elements(const v1::PackedValues& packed,
                                  std::shared_ptr<const void> owner) {
  const std::string& data = packed.data();
  if (packed.component_type() != v1::COMPONENT_TYPE_FLOAT64 || data.size() % sizeof(T) != 0 ||
      packed.count() != data.size() / sizeof(T)) {
    return DataLossError("the daemon's reply is inconsistent: it has ", data.size(), " bytes for ",
                         packed.count(), " elements");
  }
  const std::span<const T> elements(reinterpret_cast<const T*>(data.data()), packed.count());
  return Array<T>(elements, std::move(owner));
}

template <typename T, typename Response>
absl::StatusOr<PrimTable<T>> TableOf(std::span<const std::string> paths,
                                     std::shared_ptr<const Response> reply,
                                     const v1::PackedValues& packed) {
  SD_ASSIGN_OR_RETURN(Array<T> items, Elements<T>(packed, reply));
  if (paths.empty() || items.size() % paths.size() != 0) {
    return DataLossError("the daemon's reply is inconsistent: it has ", items.size(), " items for ",
                         paths.size(), " paths");
  }
  std::unordered_map<size_t, absl::Status> errors;
  for (const v1::ItemStatus& error : reply->path_errors()) {
    if (error.item() >= paths.size()) continue;
    errors.emplace(error.item(), ItemErrorAt(paths[error.item()], error));
  }
  const size_t time_count = items.size() / paths.size();
  return PrimTable<T>(std::move(items), time_count, std::move(errors));
}

// The vectors of an array of a reply; empty if there are none of this type.
Array<Vec3f> Vectors(const v1::PackedValues& packed, std::shared_ptr<const void> owner) {
  const std::string& data = packed.data();
  if (packed.component_type() != v1::COMPONENT_TYPE_FLOAT32 || packed.columns() != 3) return {};
  const std::span<const Vec3f> vectors(reinterpret_cast<const Vec3f*>(data.data()),
                                       data.size() / sizeof(Vec3f));
  return {vectors, std::move(owner)};
}

SkinnedPrim SkinnedPrimOf(v1::SkinnedPrim item) {
  auto message = std::make_shared<const v1::SkinnedPrim>(std::move(item));
  SkinnedPrim prim;
  prim.path = message->path();
  prim.time_index = message->time_index();
  if (message->has_error()) prim.status = ItemErrorAt(prim.path, message->error());
  prim.points = Vectors(message->points(), message);
  prim.normals = Vectors(message->normals(), message);
  prim.rigid = message->rigid();
  prim.message = std::move(message);
  return prim;
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
  const auto shared = std::make_shared<const v1::ComputeTransformsResponse>(std::move(reply));
  return TableOf<Matrix4d>(paths, shared, shared->local_to_world());
}

absl::StatusOr<PrimTable<Range3d>> StageView::GetBounds(std::span<const std::string> paths,
                                                        const Times& times,
                                                        const CallOptions& call) const {
  SD_ASSIGN_OR_RETURN(
      v1::ComputeBoundsResponse reply,
      Call(&Client::ComputeBounds, RequestFor<v1::ComputeBoundsRequest>(paths, times), call));
  const auto shared = std::make_shared<const v1::ComputeBoundsResponse>(std::move(reply));
  return TableOf<Range3d>(paths, shared, shared->bounds());
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
