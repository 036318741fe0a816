#ifndef STAGEDOOR_SERVER_CONFIG_FLAG_H_
#define STAGEDOOR_SERVER_CONFIG_FLAG_H_

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "server/config/daemon_flags.h"

namespace stagedoor::server {

// The values of a flag as on the command line: several if it is repeatable, none if it is not set.
using FlagTexts = std::vector<std::string>;

// Describes one flag of the daemon for parsing, error messages, --help and --print-config.
struct Flag {
  std::string name;
  std::string value;    // placeholder for the value in the help, like "BYTES"
  std::string help;     // half a sentence
  std::string initial;  // the default as shown in the help; may be empty
  bool repeatable = false;
  // An error states what is allowed; the caller prepends flag and value.
  std::function<absl::Status(const std::string& value, DaemonFlags& flags)> set;
  // The texts with which `set` would give the same result. Takes a copy, because the accessors that
  // flags are made from refer to mutable fields.
  std::function<FlagTexts(DaemonFlags flags)> get;
};

// Unit of a number. Counts and bytes may end in K, M or G (powers of 1024).
enum class FlagUnit { kCount, kBytes, kSeconds, kMilliseconds };

struct FlagRange {
  uint64_t least;
  uint64_t most;
};

// Parses a number of `unit` within `range` from its command-line form. The error states what is
// allowed.
absl::StatusOr<uint64_t> ParseFlagNumber(std::string_view text, FlagUnit unit, FlagRange range);
// Formats the way ParseFlagNumber parses: 67108864 bytes become "64M".
std::string FormatFlagNumber(uint64_t number, FlagUnit unit);
std::string_view FlagUnitName(FlagUnit unit);

namespace flag_internal {

template <std::integral T>
std::optional<uint64_t> Read(const T& field, FlagUnit) {
  return static_cast<uint64_t>(field);
}
template <typename T>
std::optional<uint64_t> Read(const std::optional<T>& field, FlagUnit unit) {
  return field.has_value() ? Read(*field, unit) : std::nullopt;
}
template <typename Rep, typename Period>
std::optional<uint64_t> Read(const std::chrono::duration<Rep, Period>& field, FlagUnit unit) {
  if (unit == FlagUnit::kMilliseconds) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(field).count());
  }
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(field).count());
}

template <std::integral T>
void Assign(uint64_t number, FlagUnit, T* field) {
  *field = static_cast<T>(number);
}
template <typename T>
void Assign(uint64_t number, FlagUnit, std::optional<T>* field) {
  *field = static_cast<T>(number);
}
template <typename Rep, typename Period>
void Assign(uint64_t number, FlagUnit unit, std::chrono::duration<Rep, Period>* field) {
  if (unit == FlagUnit::kMilliseconds) {
    *field = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
        std::chrono::milliseconds(number));
  } else {
    *field = std::chrono::seconds(number);
  }
}

}  // namespace flag_internal

// A flag for the number that `field(flags)` refers to: an integer, an optional integer or a
// duration. `automatic` describes the default in words if the field is optional or the default
// depends on the machine. `range` must fit the type of the field.
template <typename Field>
// NOLINTNEXTLINE(performance-unnecessary-value-param): name and help are moved from.
Flag NumberFlag(std::string name, FlagUnit unit, FlagRange range, std::string help,
                const Field& field, std::string automatic = "") {
  DaemonFlags defaults;
  const std::optional<uint64_t> initial = flag_internal::Read(field(defaults), unit);
  if (automatic.empty() && initial.has_value()) automatic = FormatFlagNumber(*initial, unit);
  return {.name = std::move(name),
          .value = std::string(FlagUnitName(unit)),
          .help = std::move(help),
          .initial = std::move(automatic),
          .set =
              [=](const std::string& value, DaemonFlags& flags) {
                const absl::StatusOr<uint64_t> number = ParseFlagNumber(value, unit, range);
                if (number.ok()) flag_internal::Assign(*number, unit, &field(flags));
                return number.status();
              },
          .get = [=](DaemonFlags flags) -> FlagTexts {
            const std::optional<uint64_t> number = flag_internal::Read(field(flags), unit);
            if (!number.has_value()) return {};
            return {FormatFlagNumber(*number, unit)};
          }};
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_FLAG_H_
