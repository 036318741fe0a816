#ifndef STAGEDOOR_CLIENT_SDK_OUTCOME_H_
#define STAGEDOOR_CLIENT_SDK_OUTCOME_H_

#include "absl/status/status.h"

namespace stagedoor::sdk {

// The outcome of one attempt of a call.
struct Outcome {
  // Which results a stream had delivered when it ended.
  enum class Received {
    kNothing,     // or the call is not a stream
    kRepeatable,  // results that another attempt may bring again
    kFinal,       // results that the caller has got, and must not get twice
  };

  absl::Status status;
  Received received = Received::kNothing;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_OUTCOME_H_
