#ifndef STAGEDOOR_CLIENT_CLI_CAMERA_OPTIONS_H_
#define STAGEDOOR_CLIENT_CLI_CAMERA_OPTIONS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "client/cli/command_line.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor {

// The value of --aspect-ratio: "16:9" or "1.78".
absl::StatusOr<double> ParseAspectRatio(std::string_view text);
// The value of --conform.
absl::StatusOr<v1::ConformPolicy> ParseConformPolicy(std::string_view text);

// Sets how cameras are fitted to an image, as --aspect-ratio and --conform say.
template <typename Request>
absl::Status SetCameraFit(const CommandLine& line, Request* request) {
  if (const auto text = line.Option("aspect-ratio")) {
    SD_ASSIGN_OR_RETURN(const double ratio, ParseAspectRatio(*text));
    request->set_aspect_ratio(ratio);
  }
  if (const auto text = line.Option("conform")) {
    SD_ASSIGN_OR_RETURN(const v1::ConformPolicy policy, ParseConformPolicy(*text));
    request->set_conform_policy(policy);
  }
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_CAMERA_OPTIONS_H_
