#ifndef STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "client/sdk/geometry.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {

// What replies about geometry say. DATA_LOSS if a reply is inconsistent.
absl::StatusOr<PrimTable<Matrix4d>> TransformsIn(v1::ComputeTransformsResponse reply,
                                                 std::span<const std::string> paths);
absl::StatusOr<PrimTable<Range3d>> BoundsIn(v1::ComputeBoundsResponse reply,
                                            std::span<const std::string> paths);
SkinnedPrim SkinnedPrimOf(v1::SkinnedPrim item);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_GEOMETRY_REPLY_H_
