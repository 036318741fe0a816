#include "client/cli/command_line.h"

#include <charconv>
#include <filesystem>
#include <set>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr char kUsageUrl[] = "stagedoor/usage";

bool In(std::string_view name, std::initializer_list<std::string_view> names) {
  for (const std::string_view other : names) {
    if (name == other) return true;
  }
  return false;
}

bool IsFlag(std::string_view name) {
  return In(name, {"embedded", "instance-proxies", "skin", "geom", "stack", "collections", "help",
                   "interpolateMissingClipValues", "templateMetadata", "writeBlocks", "layer-stack",
                   "version", "all", "layers"});
}

bool IsOption(std::string_view name) {
  return In(
      name,
      {"address",       "timeout",     "session",    "load",         "mask",   "variant-fallback",
       "interpolation", "times",       "time",       "interval",     "out",    "clipPath",
       "startTimeCode", "endTimeCode", "clipSet",    "templatePath", "stride", "activeOffset",
       "prim",          "depth",       "schema-path"});
}

// "--name=value" or "-o"; nothing for a positional word.
std::optional<std::string_view> OptionName(std::string_view word) {
  if (word == "-o") return "out";
  if (word == "-h") return "help";
  if (word.size() <= 2 || word.substr(0, 2) != "--") return std::nullopt;
  return word.substr(2, word.find('=') - 2);
}

}  // namespace

absl::Status UsageError(std::string_view message) {
  absl::Status status = InvalidArgumentError(message);
  status.SetPayload(kUsageUrl, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) { return status.GetPayload(kUsageUrl).has_value(); }

absl::StatusOr<CommandLine> CommandLine::Parse(const std::vector<std::string>& words) {
  CommandLine line;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::optional<std::string_view> name = OptionName(words[i]);
    if (!name.has_value()) {
      if (line.command_.empty()) {
        line.command_ = words[i];
      } else {
        line.arguments_.push_back(words[i]);
      }
      continue;
    }
    const size_t equals = words[i].find('=');
    if (IsFlag(*name) && equals == std::string::npos) {
      line.options_[std::string(*name)].emplace_back();
    } else if (!IsOption(*name)) {
      return UsageError(Concat("there is no option ", words[i]));
    } else if (equals != std::string::npos) {
      line.options_[std::string(*name)].push_back(words[i].substr(equals + 1));
    } else if (i + 1 < words.size()) {
      line.options_[std::string(*name)].push_back(words[++i]);
    } else {
      return UsageError(Concat("option ", words[i], " needs a value"));
    }
  }
  return line;
}

std::optional<std::string> CommandLine::Option(std::string_view name) const {
  const auto it = options_.find(name);
  return it == options_.end() ? std::nullopt : std::optional<std::string>(it->second.back());
}

std::vector<std::string> CommandLine::Options(std::string_view name) const {
  const auto it = options_.find(name);
  return it == options_.end() ? std::vector<std::string>() : it->second;
}

absl::StatusOr<std::optional<double>> CommandLine::NumberOption(std::string_view name) const {
  const std::optional<std::string> text = Option(name);
  if (!text.has_value()) return std::optional<double>();
  const std::optional<double> number = ParseNumber(*text);
  if (!number.has_value()) return UsageError(Concat("--", name, " needs a number, not ", *text));
  return number;
}

absl::Status CommandLine::CheckArguments(size_t least, size_t most, std::string_view usage) const {
  if (arguments_.size() >= least && arguments_.size() <= most) return absl::OkStatus();
  return UsageError(Concat("usage: stagedoor ", usage));
}

std::optional<double> ParseNumber(std::string_view text) {
  double number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string AbsoluteIdentifier(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find("://") != std::string_view::npos) {
    return std::string(name);
  }
  return (std::filesystem::current_path() / name).lexically_normal().string();
}

}  // namespace stagedoor
