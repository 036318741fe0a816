#include "client/cli/camera_options.h"

#include <cmath>
#include <cstddef>
#include <optional>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr struct {
  std::string_view word;
  v1::ConformPolicy policy;
} kConformPolicies[] = {
    {"fit", v1::CONFORM_POLICY_FIT},
    {"crop", v1::CONFORM_POLICY_CROP},
    {"match-vertically", v1::CONFORM_POLICY_MATCH_VERTICALLY},
    {"match-horizontally", v1::CONFORM_POLICY_MATCH_HORIZONTALLY},
    {"dont-conform", v1::CONFORM_POLICY_DONT_CONFORM},
};

}  // namespace

absl::StatusOr<double> ParseAspectRatio(std::string_view text) {
  const size_t colon = text.find(':');
  const auto width = ParseNumber<double>(text.substr(0, colon));
  const auto height = colon == std::string_view::npos ? std::optional<double>(1)
                                                      : ParseNumber<double>(text.substr(colon + 1));
  if (width && height && *width > 0 && *height > 0 && std::isfinite(*width / *height)) {
    return *width / *height;
  }
  return UsageError(Concat("--aspect-ratio must be W:H or a positive number, not ", Quoted(text)));
}

absl::StatusOr<v1::ConformPolicy> ParseConformPolicy(std::string_view text) {
  for (const auto& [word, policy] : kConformPolicies) {
    if (word == text) return policy;
  }
  return UsageError(Concat("--conform must be fit, crop, match-vertically, match-horizontally or ",
                           "dont-conform, not ", Quoted(text)));
}

}  // namespace stagedoor
