#include "server/queries/camera_fit.h"

#include <cmath>

#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {

absl::Status CheckAspectRatio(double aspect_ratio) {
  if (std::isfinite(aspect_ratio) && aspect_ratio >= 0) return absl::OkStatus();
  return InvalidFieldError("aspect_ratio", Concat(aspect_ratio), "must be finite and at least 0");
}

ConformPolicy ParseConformPolicy(v1::ConformPolicy policy, double aspect_ratio) {
  if (aspect_ratio == 0) return ConformPolicy::kDontConform;
  switch (policy) {
    case v1::CONFORM_POLICY_CROP:
      return ConformPolicy::kCrop;
    case v1::CONFORM_POLICY_MATCH_VERTICALLY:
      return ConformPolicy::kMatchVertically;
    case v1::CONFORM_POLICY_MATCH_HORIZONTALLY:
      return ConformPolicy::kMatchHorizontally;
    case v1::CONFORM_POLICY_DONT_CONFORM:
      return ConformPolicy::kDontConform;
    default:
      return ConformPolicy::kFit;
  }
}

}  // namespace stagedoor::server
