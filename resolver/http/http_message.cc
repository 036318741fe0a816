#include "resolver/http/http_message.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/strings.h"

namespace stagedoor {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

constexpr std::chrono::seconds kLongestRetryAfter = std::chrono::hours(24);

// A number without a sign, of at most 19 digits.
template <typename Number>
std::optional<Number> ParseDigits(std::string_view text) {
  if (text.empty() || text.size() > 19 ||
      text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return ParseNumber<Number>(text);
}

bool EqualIgnoringCase(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(),
                    [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; });
}

}  // namespace

bool HttpHeaders::AddLine(std::string_view line) {
  bytes_ += line.size();
  ++lines_;
  if (bytes_ > kMaxBytes || lines_ > kMaxFields) return false;
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return true;
  fields_.push_back(
      {AsciiLower(Trimmed(line.substr(0, colon))), std::string(Trimmed(line.substr(colon + 1)))});
  return true;
}

std::optional<std::string_view> HttpHeaders::Find(std::string_view name) const {
  const std::string lower = AsciiLower(name);
  const HttpHeader* found = nullptr;
  for (const HttpHeader& field : fields_) {
    if (field.name != lower) continue;
    if (found != nullptr && found->value != field.value) return std::nullopt;
    found = &field;
  }
  if (found == nullptr || found->value.empty()) return std::nullopt;
  return found->value;
}

std::optional<ContentRange> ParseContentRange(std::string_view value) {
  const size_t space = value.find(' ');
  if (space == std::string_view::npos || !EqualIgnoringCase(value.substr(0, space), "bytes")) {
    return std::nullopt;
  }
  value.remove_prefix(space + 1);
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view total = value.substr(slash + 1);
  const std::string_view range = value.substr(0, slash);
  ContentRange out;
  if (total != "*") {
    out.total = ParseDigits<uint64_t>(total);
    if (!out.total) return std::nullopt;
  }
  if (range == "*") return out.total ? std::optional(out) : std::nullopt;
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = ParseDigits<uint64_t>(range.substr(0, dash));
  const auto last = ParseDigits<uint64_t>(range.substr(dash + 1));
  if (!first || !last || *first > *last || (out.total && *last >= *out.total)) return std::nullopt;
  out.satisfied = true;
  out.first = *first;
  out.last = *last;
  return out;
}

std::optional<EntityTag> ParseEntityTag(std::string_view value) {
  EntityTag tag;
  tag.weak = value.starts_with("W/");
  if (tag.weak) value.remove_prefix(2);
  if (value.size() < 2 || value.size() > kMaxEntityTagBytes || value.front() != '"' ||
      value.back() != '"') {
    return std::nullopt;
  }
  const std::string_view inside = value.substr(1, value.size() - 2);
  const bool printable = std::all_of(inside.begin(), inside.end(),
                                     [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
  if (!printable) return std::nullopt;
  tag.quoted = std::string(value);
  return tag;
}

std::optional<std::chrono::sys_seconds> ParseHttpDate(std::string_view value) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr std::string_view kShape = "Sun, 06 Nov 1994 08:49:37 GMT";
  if (value.size() != kShape.size() || value.substr(25) != " GMT" || value.substr(3, 2) != ", " ||
      value[7] != ' ' || value[11] != ' ' || value[16] != ' ' || value[19] != ':' ||
      value[22] != ':') {
    return std::nullopt;
  }
  const auto month = std::find(kMonths.begin(), kMonths.end(), value.substr(8, 3));
  const auto day = ParseDigits<unsigned>(value.substr(5, 2));
  const auto year = ParseDigits<int>(value.substr(12, 4));
  const auto hour = ParseDigits<int>(value.substr(17, 2));
  const auto minute = ParseDigits<int>(value.substr(20, 2));
  const auto second = ParseDigits<int>(value.substr(23, 2));
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second || *hour > 23 ||
      *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date(
      std::chrono::year(*year),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
      std::chrono::day(*day));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value,
                                                    std::chrono::sys_seconds now) {
  std::chrono::seconds wait;
  if (const auto seconds = ParseDigits<uint64_t>(value)) {
    const auto most = static_cast<uint64_t>(kLongestRetryAfter.count());
    wait = std::chrono::seconds(static_cast<int64_t>(std::min(*seconds, most)));
  } else if (const auto date = ParseHttpDate(value)) {
    wait = *date - now;
  } else {
    return std::nullopt;
  }
  return std::clamp(wait, std::chrono::seconds(0), kLongestRetryAfter);
}

}  // namespace stagedoor
