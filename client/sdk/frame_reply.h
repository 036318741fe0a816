#ifndef STAGEDOOR_CLIENT_SDK_FRAME_REPLY_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_REPLY_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/frame_objects.h"

namespace stagedoor::sdk {

// Objects with their IDs, in the order of a message.
template <typename T>
using FrameRows = std::vector<std::pair<FrameId, T>>;

// Parse the parts of frames. DATA_LOSS if a message is inconsistent.
absl::StatusOr<FrameRows<FramePrim>> FramePrimsIn(const v1::FramePrims& message);
absl::StatusOr<FrameRows<bool>> FrameVisibilityIn(const v1::FrameVisibility& message);
// `visible` is that of a new FramePlace.
absl::StatusOr<FrameRows<FramePlace>> FrameTransformsIn(const v1::FrameTransforms& message);
absl::StatusOr<FrameRows<FrameMaterial>> FrameMaterialsIn(const v1::FrameMaterials& message);
absl::StatusOr<FrameValue> FrameValueOf(const v1::FrameValue& message);
absl::StatusOr<FrameInstances> FrameInstancesOf(const v1::FrameInstances& message);
absl::StatusOr<FrameSubset> FrameSubsetOf(const v1::FrameSubset& message);
absl::StatusOr<FrameLight> FrameLightOf(const v1::FrameLight& message);
absl::StatusOr<FrameCamera> FrameCameraIn(const v1::FrameHeader& message);

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_REPLY_H_
