#include "server/config/environment.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

extern char** environ;

namespace stagedoor::server {
namespace {

constexpr std::string_view kPrefix = "STAGEDOOR_";

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return parts;
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const size_t equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == entry.npos) continue;
    const std::string_view value = entry.substr(equals + 1);
    if (!value.empty()) environment.emplace(entry.substr(0, equals), value);
  }
  return environment;
}

std::string FlagVariable(const Flag& flag) {
  if (flag.name == "address" || flag.name == "schema-path") return "";
  std::string variable(kPrefix);
  for (const char c : flag.name) {
    const bool lower = c >= 'a' && c <= 'z';
    variable += c == '-' ? '_' : lower ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return variable;
}

FlagSettings ReadEnvironment(const Environment& environment, const std::vector<Flag>& table) {
  FlagSettings settings;
  for (const Flag& flag : table) {
    const std::string variable = FlagVariable(flag);
    const auto found = environment.find(variable);
    if (variable.empty() || found == environment.end()) continue;
    FlagSetting setting{.source = FlagSource::kEnvironment};
    const std::vector<std::string> texts =
        flag.repeatable ? Split(found->second) : std::vector<std::string>{found->second};
    for (const std::string& text : texts) {
      setting.values.push_back({.text = text, .place = variable});
    }
    settings.emplace(flag.name, std::move(setting));
  }
  return settings;
}

}  // namespace stagedoor::server
