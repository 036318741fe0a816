#include "client/cli/command_line.h"

#include <charconv>
#include <filesystem>

#include "absl/strings/cord.h"
#include "base/closest_word.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/command_table.h"

namespace stagedoor {
namespace {

constexpr char kUsageUrl[] = "stagedoor/usage";

// "--name=value" or "-o"; nothing for a positional word.
std::optional<std::string_view> OptionName(std::string_view word) {
  if (word == "-o") return "out";
  if (word == "-h") return "help";
  if (word.size() <= 2 || word.substr(0, 2) != "--") return std::nullopt;
  return word.substr(2, word.find('=') - 2);
}

absl::Status UnknownOption(std::string_view name) {
  std::vector<std::string> known;
  for (const CommandSpec& command : AllCommands()) {
    for (const std::string_view option : command.options) known.emplace_back(option);
  }
  for (const char* option : {"address", "embedded", "timeout", "help", "version"}) {
    known.emplace_back(option);
  }
  const std::string closest = ClosestWord(name, known);
  return UsageError(Concat("unknown option ", Quoted(Concat("--", name)),
                           closest.empty() ? "" : Concat("; did you mean --", closest, "?"),
                           " (see stagedoor help)"));
}

// "/A/B", "/A{set=v}B" and "/", but no file with an extension and no "/A.attr".
bool LooksLikePrimPath(std::string_view word) {
  if (word.empty() || word.front() != '/') return false;
  for (const char c : word) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '/' || c == '_' || c == '{' || c == '}' || c == '=' ||
                    static_cast<unsigned char>(c) >= 0x80;
    if (!ok) return false;
  }
  return true;
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
  bool options_end = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!options_end && words[i] == "--") {
      options_end = true;
    } else if (!options_end && OptionName(words[i]).has_value()) {
      SD_RETURN_IF_ERROR(line.AddOption(words, &i));
    } else if (!options_end && words[i].size() > 1 && words[i].front() == '-') {
      return UsageError(Concat("unknown option ", Quoted(words[i]), " (see stagedoor help)"));
    } else if (line.command_.empty()) {
      line.command_ = words[i];
    } else {
      line.arguments_.push_back(words[i]);
    }
  }
  return line;
}

absl::Status CommandLine::AddOption(const std::vector<std::string>& words, size_t* next) {
  const std::string& word = words[*next];
  const std::string name(*OptionName(word));
  const OptionSpec* option = FindOption(name);
  if (option == nullptr) return UnknownOption(name);
  std::vector<std::string>& values = options_[name];
  const size_t equals = word.find('=');
  if (option->value.empty()) {
    if (equals != std::string::npos) return UsageError(Concat("--", name, " takes no value"));
    values.emplace_back();
    return absl::OkStatus();
  }
  if (equals != std::string::npos) {
    values.push_back(word.substr(equals + 1));
    return absl::OkStatus();
  }
  if (*next + 1 == words.size() || words[*next + 1].substr(0, 2) == "--") {
    return UsageError(Concat("--", name, " needs a value: ", option->value));
  }
  values.push_back(words[++*next]);
  // "--mask /A /B"
  while (name == "mask" && *next + 1 < words.size() && LooksLikePrimPath(words[*next + 1])) {
    values.push_back(words[++*next]);
  }
  return absl::OkStatus();
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
  const std::optional<double> number = ParseNumber(*text);
  if (!number.has_value()) {
    return UsageError(Concat("--", name, " needs a number, not ", Quoted(*text)));
  }
  return number;
}

absl::StatusOr<std::optional<uint32_t>> CommandLine::CountOption(std::string_view name,
                                                                 uint32_t most) const {
  const std::optional<std::string> text = Option(name);
  if (!text.has_value()) return std::optional<uint32_t>();
  uint32_t count = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (error != std::errc() || end != text->data() + text->size() || count > most) {
    return UsageError(
        Concat("--", name, " needs a whole number from 0 to ", most, ", not ", Quoted(*text)));
  }
  return std::optional<uint32_t>(count);
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
