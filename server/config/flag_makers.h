#ifndef STAGEDOOR_SERVER_CONFIG_FLAG_MAKERS_H_
#define STAGEDOOR_SERVER_CONFIG_FLAG_MAKERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "server/config/daemon_flags.h"
#include "server/config/flag.h"

namespace stagedoor::server {

// Make the flags of the tables, each of which sets a field of DaemonFlags. `field` returns a
// reference to it; `check` says what is expected of the value; `initial` is the default in words.

inline constexpr uint64_t kNoBound = UINT64_MAX;
inline constexpr uint64_t kYear = 365 * 24 * 3600;

using FlagCheck = absl::Status (*)(const std::string& value);

// A text that is empty is not set.
inline FlagTexts TextsOf(std::string text) {
  if (text.empty()) return {};
  return {std::move(text)};
}

inline FlagTexts BoolTexts(std::optional<bool> value) {
  if (!value.has_value()) return {};
  return {*value ? "true" : "false"};
}

// NOLINTBEGIN(performance-unnecessary-value-param): the strings are moved from.
template <typename Field>
Flag BoolFlag(std::string name, std::string help, const Field& field, std::string initial = "") {
  DaemonFlags defaults;
  if (initial.empty()) initial = field(defaults) ? "true" : "false";
  return {.name = std::move(name),
          .value = "true|false",
          .help = std::move(help),
          .initial = std::move(initial),
          .set =
              [=](const std::string& value, DaemonFlags& flags) {
                const bool on = value == "true" || value == "1";
                field(flags) = on;
                if (on || value == "false" || value == "0") return absl::OkStatus();
                return InvalidArgumentError("true or false");
              },
          .get = [=](DaemonFlags flags) { return BoolTexts(field(flags)); }};
}

template <typename Field>
Flag TextFlag(std::string name, std::string value, std::string help, FlagCheck check,
              const Field& field, std::string initial = "") {
  return {.name = std::move(name),
          .value = std::move(value),
          .help = std::move(help),
          .initial = std::move(initial),
          .set =
              [=](const std::string& text, DaemonFlags& flags) {
                field(flags) = text;
                return check(text);
              },
          .get = [=](DaemonFlags flags) { return TextsOf(std::move(field(flags))); }};
}

template <typename Field>
Flag ListFlag(std::string name, std::string value, std::string help, FlagCheck check,
              const Field& field, std::string initial = "") {
  return {.name = std::move(name),
          .value = std::move(value),
          .help = std::move(help),
          .initial = std::move(initial),
          .repeatable = true,
          .set =
              [=](const std::string& text, DaemonFlags& flags) {
                field(flags).push_back(text);
                return check(text);
              },
          .get = [=](DaemonFlags flags) -> FlagTexts { return std::move(field(flags)); }};
}
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONFIG_FLAG_MAKERS_H_
