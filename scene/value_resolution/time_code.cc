#include "scene/value_resolution/time_code.h"

#include <cmath>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {

absl::StatusOr<TimeCode> TimeCode::Parse(std::string_view text) {
  if (text == "default") return Default();
  if (text == "earliest") return Earliest();
  constexpr std::string_view kPrefix = "pre:";
  const bool pre = text.substr(0, kPrefix.size()) == kPrefix;
  const auto value = ParseNumber<double>(pre ? text.substr(kPrefix.size()) : text);
  if (!value || std::isnan(*value)) {
    return InvalidArgumentError(Quoted(text),
                                " is not a time; give a number, default, earliest or pre:NUMBER");
  }
  return pre ? PreTime(*value) : At(*value);
}

std::string TimeCode::ToString() const {
  if (is_default()) return "default";
  if (is_earliest()) return "earliest";
  return Concat(is_pre_time() ? "pre:" : "", time_);
}

}  // namespace stagedoor
