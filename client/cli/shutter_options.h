#ifndef STAGEDOOR_CLIENT_CLI_SHUTTER_OPTIONS_H_
#define STAGEDOOR_CLIENT_CLI_SHUTTER_OPTIONS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "client/cli/command_line.h"
#include "stagedoor/v1/motion.pb.h"

namespace stagedoor {

// When the shutter opens and closes by default, and as an example in messages.
inline constexpr std::string_view kUsualShutter = "-0.25:0.25";

// The samples of motion that --shutter, --segments, --max-samples and --at-ends ask for; without
// --shutter, those of the shutter `otherwise`. Errors are usage errors.
absl::StatusOr<v1::SamplePolicy> SamplePolicyOf(const CommandLine& line,
                                                std::string_view otherwise = kUsualShutter);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SHUTTER_OPTIONS_H_
