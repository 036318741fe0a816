#ifndef STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/geometry.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {

// Parse replies about geometry. DATA_LOSS if a reply is inconsistent.
absl::StatusOr<PrimTable<Matrix4d>> TransformsIn(v1::ComputeTransformsResponse reply,
                                                 std::span<const std::string> paths);
absl::StatusOr<PrimTable<Range3d>> BoundsIn(v1::ComputeBoundsResponse reply,
                                            std::span<const std::string> paths);
// The tables of the parts of a query, in order. At least one; DATA_LOSS if they are not of the same
// times.
template <typename T>
absl::StatusOr<PrimTable<T>> JoinTables(std::vector<PrimTable<T>> tables) {
  if (tables.size() == 1) return std::move(tables.front());
  const size_t time_count = tables.front().time_count();
  auto items = std::make_shared<std::vector<T>>();
  std::unordered_map<size_t, absl::Status> errors;
  for (const PrimTable<T>& table : tables) {
    if (table.time_count() != time_count) {
      return absl::DataLossError("the daemon's replies are inconsistent: they differ in times");
    }
    const size_t begin = time_count == 0 ? 0 : items->size() / time_count;
    for (const auto& [path, error] : table.errors()) errors.emplace(begin + path, error);
    items->insert(items->end(), table.items().begin(), table.items().end());
  }
  const std::span<const T> view(*items);
  return PrimTable<T>(Array<T>(view, std::move(items)), time_count, std::move(errors));
}
SkinnedPrim SkinnedPrimOf(v1::SkinnedPrim item);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_
