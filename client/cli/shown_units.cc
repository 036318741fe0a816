#include "client/cli/shown_units.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "base/strings.h"

namespace stagedoor {
namespace {

std::string Decimal(double number, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

// With three digits, as far as there is a fraction.
std::string Short(double number) { return Decimal(number, number < 99.95 ? 1 : 0); }

std::string TwoDigits(uint64_t number) { return Concat(number < 10 ? "0" : "", number); }

}  // namespace

std::string ShownBytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {" B", " kB", " MB", " GB", " TB"};
  if (!(bytes >= 999.5)) return Concat(Decimal(bytes, 0), kUnits[0]);
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return Concat(Short(bytes), kUnits[unit]);
}

std::string ShownTime(double seconds) {
  if (!(seconds >= 0)) return "0 µs";
  if (seconds < 0.0009995) return Concat(Decimal(seconds * 1e6, 0), " µs");
  if (seconds < 0.9995) return Concat(Short(seconds * 1e3), " ms");
  if (seconds < 59.95) return Concat(Short(seconds), " s");
  // More would not fit into the type, and no daemon runs for so long.
  const auto whole = static_cast<uint64_t>(seconds < 1e15 ? seconds + 0.5 : 1e15);
  const uint64_t minutes = whole / 60;
  if (minutes < 60) return Concat(minutes, ":", TwoDigits(whole % 60));
  const uint64_t hours = minutes / 60;
  const std::string rest = Concat(":", TwoDigits(minutes % 60), ":", TwoDigits(whole % 60));
  if (hours < 24) return Concat(hours, rest);
  return Concat(hours / 24, " d ", TwoDigits(hours % 24), rest);
}

std::string ShownNumber(double number) { return Decimal(number, number < 99.95 ? 1 : 0); }

double SecondsOf(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + static_cast<double>(duration.nanos()) / 1e9;
}

}  // namespace stagedoor
