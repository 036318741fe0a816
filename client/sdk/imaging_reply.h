#ifndef STAGEDOOR_CLIENT_SDK_IMAGING_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_IMAGING_REPLY_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/imaging.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/lux.pb.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::sdk {

// Parse replies about what renderers compute. DATA_LOSS if a reply is inconsistent. `purposes` is
// the number of purposes of the request, at least 1.
absl::StatusOr<BoundMaterials> BoundMaterialsIn(const v1::ComputeBoundMaterialsResponse& reply,
                                                std::span<const std::string> paths,
                                                size_t purposes);
absl::StatusOr<LightSets> LightSetsIn(const v1::ComputeLightSetsResponse& reply,
                                      std::span<const std::string> paths);
// The cameras of a reply without errors, one after another.
absl::StatusOr<std::vector<Camera>> CamerasIn(v1::ComputeCamerasResponse reply);
// The camera `path`, which the request names alone, with one time; the error of the path if there
// is one.
absl::StatusOr<Camera> CameraIn(v1::ComputeCamerasResponse reply, const std::string& path);

// The results of the parts of a query, in order. At least one.
BoundMaterials JoinMaterials(std::span<const BoundMaterials> parts, size_t purposes);
// DATA_LOSS if they are not about the same lights.
absl::StatusOr<LightSets> JoinLightSets(std::vector<LightSets> parts);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_IMAGING_REPLY_H_
