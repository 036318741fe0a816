#ifndef STAGEDOOR_CLIENT_SDK_SKINNING_COLLECTOR_H_
#define STAGEDOOR_CLIENT_SDK_SKINNING_COLLECTOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/sdk/skinning.h"

namespace stagedoor::sdk {

// Puts prims together from the messages of ComputeSkinning. Not thread-safe.
class SkinningCollector {
 public:
  // DATA_LOSS if the message refers to something that was not sent.
  absl::Status Add(const v1::ComputeSkinningResponse& part);

  // The prims so far, in order.
  const std::vector<Skinning>& prims() const { return prims_; }
  // The fingerprint of the snapshot; empty until a message has named it.
  const std::string& snapshot() const { return snapshot_; }

 private:
  template <typename Message>
  using Parts = std::map<uint32_t, std::shared_ptr<const Message>>;

  absl::Status AddItem(const v1::SkinningItem& item);

  std::string snapshot_;
  Parts<v1::SkinningSkeleton> skeletons_;
  Parts<v1::SkinningPose> poses_;
  Parts<v1::SkinningBinding> bindings_;
  std::vector<Skinning> prims_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_SKINNING_COLLECTOR_H_
