#ifndef STAGEDOOR_CLIENT_SDK_SKINNED_DELIVERY_H_
#define STAGEDOOR_CLIENT_SDK_SKINNED_DELIVERY_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "client/sdk/geometry.h"
#include "client/sdk/outcome.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {

// Passes the prims of ComputeSkinnedPoints to a sink, each once, however often the call is
// repeated: the same snapshot always has the same prims in the same order, so a repetition reads
// the snapshot of the first attempt, and the prims that the sink has got are left out. Not
// thread-safe.
class SkinnedDelivery {
 public:
  using Sink = std::function<absl::Status(SkinnedPrim)>;

  explicit SkinnedDelivery(Sink sink) : sink_(std::move(sink)) {}

  // Begins an attempt about a stage.
  void Begin(v1::StageRef stage, v1::ComputeSkinnedPointsRequest* request);
  // Takes the next message of the attempt.
  absl::Status Take(const v1::ComputeSkinnedPointsResponse& part);
  // The outcome of the attempt.
  Outcome Finish(absl::Status status) const;

 private:
  const Sink sink_;
  std::string snapshot_;  // empty until a message has named it
  size_t passed_on_ = 0;  // prims
  size_t seen_ = 0;       // prims in this attempt
  bool failed_ = false;   // whether the sink has refused a prim
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_SKINNED_DELIVERY_H_
