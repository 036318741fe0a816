#include "client/sdk/geometry_reply.h"

#include <memory>
#include <unordered_map>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/sdk/packed_elements.h"

namespace stagedoor::sdk {
namespace {

template <typename T, typename Response>
absl::StatusOr<PrimTable<T>> TableOf(std::span<const std::string> paths,
                                     std::shared_ptr<const Response> reply,
                                     const v1::PackedValues& packed) {
  SD_ASSIGN_OR_RETURN(Array<T> items, PackedElements<T>(packed, v1::COMPONENT_TYPE_FLOAT64, reply));
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

}  // namespace

absl::StatusOr<PrimTable<Matrix4d>> TransformsIn(v1::ComputeTransformsResponse reply,
                                                 std::span<const std::string> paths) {
  const auto shared = std::make_shared<const v1::ComputeTransformsResponse>(std::move(reply));
  return TableOf<Matrix4d>(paths, shared, shared->local_to_world());
}

absl::StatusOr<PrimTable<Range3d>> BoundsIn(v1::ComputeBoundsResponse reply,
                                            std::span<const std::string> paths) {
  const auto shared = std::make_shared<const v1::ComputeBoundsResponse>(std::move(reply));
  return TableOf<Range3d>(paths, shared, shared->bounds());
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

}  // namespace stagedoor::sdk
