#include "client/cli/command_line.h"

#include <filesystem>
#include <utility>

#include "absl/strings/cord.h"
#include "base/flag_parser.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/windows_path.h"
#include "client/cli/command_table.h"

namespace stagedoor {
namespace {

constexpr char kUsageUrl[] = "stagedoor/usage";

const std::vector<FlagSpec>& KnownFlags() {
  static const auto* known = [] {
    auto* flags = new std::vector<FlagSpec>;
    for (const OptionSpec& option : AllOptions()) {
      flags->push_back({.name = std::string(option.name),
                        .value = std::string(option.value),
                        .letter = std::string(option.letter),
                        .takes_more = option.takes_more});
    }
    return flags;
  }();
  return *known;
}

// The flags of the command that `args` are about, which is the first word that names one.
std::vector<std::string> LikelyFlags(const std::vector<std::string>& args) {
  const CommandSpec* command = nullptr;
  for (size_t i = 0; i < args.size() && command == nullptr; ++i) command = FindCommand(args[i]);
  std::vector<std::string> likely;
  for (const OptionSpec& option : AllOptions()) {
    if (command != nullptr && TakesOption(*command, option.name)) likely.emplace_back(option.name);
  }
  return likely;
}

}  // namespace

absl::Status UsageError(std::string_view message) {
  absl::Status status = InvalidArgumentError(message);
  status.SetPayload(kUsageUrl, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) { return status.GetPayload(kUsageUrl).has_value(); }

absl::StatusOr<CommandLine> CommandLine::Parse(const std::vector<std::string>& args) {
  absl::StatusOr<ParsedArgs> parsed =
      ParseArgs(args, KnownFlags(), "stagedoor help", LikelyFlags(args));
  if (!parsed.ok()) return UsageError(Message(parsed.status()));
  CommandLine line;
  for (ParsedFlag& flag : parsed->flags) {
    line.options_[flag.name].push_back(std::move(flag.value));
  }
  line.arguments_ = std::move(parsed->arguments);
  if (!line.arguments_.empty()) {
    line.command_ = std::move(line.arguments_.front());
    line.arguments_.erase(line.arguments_.begin());
  }
  return line;
}

std::vector<std::string> CommandLine::OptionNames() const {
  std::vector<std::string> names;
  for (const auto& [name, values] : options_) names.push_back(name);
  return names;
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
  const std::optional<double> number = ParseNumber<double>(*text);
  if (!number.has_value()) {
    return UsageError(Concat("--", name, " must be a number, not ", Quoted(*text)));
  }
  return number;
}

absl::StatusOr<std::optional<uint32_t>> CommandLine::CountOption(std::string_view name,
                                                                 uint32_t most) const {
  const std::optional<std::string> text = Option(name);
  if (!text.has_value()) return std::optional<uint32_t>();
  const auto count = ParseNumber<uint32_t>(*text);
  if (!count || *count > most) {
    return UsageError(
        Concat("--", name, " must be a whole number from 0 to ", most, ", not ", Quoted(*text)));
  }
  return count;
}

std::string AbsoluteIdentifier(std::string_view name) {
  const bool absolute = name.starts_with('/') || IsWindowsPath(name);
  if (name.empty() || absolute || name.find("://") != std::string_view::npos) {
    return std::string(name);
  }
  return (std::filesystem::current_path() / name).lexically_normal().string();
}

}  // namespace stagedoor
