#include "server/config/flag.h"

namespace stagedoor::server {
namespace {

size_t ShiftOf(char suffix) {
  switch (suffix) {
    case 'K':
      return 10;
    case 'M':
      return 20;
    case 'G':
      return 30;
    default:
      return 0;
  }
}

std::optional<uint64_t> ParseScaledNumber(std::string_view text, FlagUnit unit) {
  size_t shift = 0;
  const bool scales = unit == FlagUnit::kCount || unit == FlagUnit::kBytes;
  if (scales && !text.empty()) shift = ShiftOf(text.back());
  if (shift != 0) text.remove_suffix(1);
  const auto number = ParseNumber<uint64_t>(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

absl::Status NotAllowed(FlagUnit unit, FlagRange range) {
  const std::string what = unit == FlagUnit::kBytes          ? "a number of bytes"
                           : unit == FlagUnit::kSeconds      ? "a whole number of seconds"
                           : unit == FlagUnit::kMilliseconds ? "a whole number of milliseconds"
                                                             : "a whole number";
  const std::string most =
      range.most == UINT64_MAX ? "" : Concat(" to ", FormatFlagNumber(range.most, unit));
  return InvalidArgumentError(what, " from ", FormatFlagNumber(range.least, unit), most,
                              unit == FlagUnit::kBytes ? ", optionally ending in K, M or G" : "");
}

}  // namespace

absl::StatusOr<uint64_t> ParseFlagNumber(std::string_view text, FlagUnit unit, FlagRange range) {
  const std::optional<uint64_t> number = ParseScaledNumber(text, unit);
  if (!number.has_value() || *number < range.least || *number > range.most) {
    return NotAllowed(unit, range);
  }
  return *number;
}

std::string FormatFlagNumber(uint64_t number, FlagUnit unit) {
  if (unit == FlagUnit::kBytes && number != 0) {
    for (const char suffix : {'G', 'M', 'K'}) {
      const size_t shift = ShiftOf(suffix);
      if (number % (uint64_t{1} << shift) == 0) return Concat(number >> shift, suffix);
    }
  }
  return Concat(number);
}

std::string_view FlagUnitName(FlagUnit unit) {
  switch (unit) {
    case FlagUnit::kBytes:
      return "BYTES";
    case FlagUnit::kSeconds:
      return "SECONDS";
    case FlagUnit::kMilliseconds:
      return "MILLISECONDS";
    case FlagUnit::kCount:
      return "N";
  }
  return "";
}

}  // namespace stagedoor::server
