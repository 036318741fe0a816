#include "client/cli/shutter_options.h"

#include <cstdint>
#include <optional>
#include <string>

#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

// The limits of a SamplePolicy.
constexpr uint32_t kMostSegments = 4095;
constexpr uint32_t kMostSamples = 4096;

// Sets when the shutter opens and closes: "-0.25:0.25".
absl::Status ParseShutter(std::string_view text, v1::SamplePolicy* policy) {
  const size_t colon = text.find(':');
  const auto open = ParseNumber<double>(text.substr(0, colon));
  const auto close =
      colon == std::string_view::npos ? std::nullopt : ParseNumber<double>(text.substr(colon + 1));
  if (!open || !close || !(*open <= *close)) {
    return UsageError(
        Concat("--shutter must be OPEN:CLOSE, such as ", kUsualShutter, ", not ", Quoted(text)));
  }
  policy->set_shutter_open(*open);
  policy->set_shutter_close(*close);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::SamplePolicy> SamplePolicyOf(const CommandLine& line,
                                                std::string_view otherwise) {
  v1::SamplePolicy policy;
  SD_RETURN_IF_ERROR(
      ParseShutter(line.Option("shutter").value_or(std::string(otherwise)), &policy));
  SD_ASSIGN_OR_RETURN(const auto segments, line.CountOption("segments", kMostSegments));
  SD_ASSIGN_OR_RETURN(const auto most, line.CountOption("max-samples", kMostSamples));
  policy.set_segments(segments.value_or(0));
  policy.set_max_samples(most.value_or(0));
  policy.set_samples_at_ends(line.Flag("at-ends"));
  return policy;
}

}  // namespace stagedoor
