#ifndef STAGEDOOR_CLIENT_SDK_SAMPLES_H_
#define STAGEDOOR_CLIENT_SDK_SAMPLES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/sdk/value_getter.h"

namespace stagedoor::sdk {

// The samples that determine the value of an attribute in an interval.
struct Samples {
  struct Sample {
    // In time codes of the stage; nothing if the value is not that of a time.
    std::optional<double> time;
    // Whether the value is the limit from the left at `time`.
    bool pre_time = false;
    // The error of this sample. Its value is NO_VALUE then.
    absl::Status status;
    Value value;
  };

  // The error of the attribute, which has no samples then.
  absl::Status status;
  std::string type_name;
  // Whether the value is the same at all times, so that it need not be asked for again.
  bool constant = false;
  std::vector<Sample> samples;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_SAMPLES_H_
