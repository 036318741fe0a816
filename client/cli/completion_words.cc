#include "client/cli/completion_words.h"

#include <algorithm>

namespace stagedoor {
namespace {

constexpr std::string_view kFiles[] = {"FILE", "DIR", "ROOT", "IN", "OUT", "CLIP", "A", "B"};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Whether it is a word to type as it is, and not a placeholder: "on-open", not "HOST:PORT".
bool IsLiteral(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(),
                                      [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

}  // namespace

Completion CompletionOf(std::string_view placeholder) {
  const std::vector<std::string> parts = Split(placeholder, '|');
  if (std::all_of(parts.begin(), parts.end(), IsLiteral)) {
    return {Completion::Kind::kWords, parts};
  }
  const bool files = std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
    return std::find(std::begin(kFiles), std::end(kFiles), part) != std::end(kFiles);
  });
  return {files ? Completion::Kind::kFiles : Completion::Kind::kNothing, {}};
}

std::vector<std::string> ArgumentsOf(const CommandSpec& command) {
  std::string text(command.arguments);
  for (const std::string_view left_out : {"[", "]", "…", " |"}) {
    for (size_t at; (at = text.find(left_out)) != std::string::npos;) {
      text.erase(at, left_out.size());
    }
  }
  return text.empty() ? std::vector<std::string>() : Split(text, ' ');
}

std::vector<const OptionSpec*> OptionsOf(const CommandSpec* command) {
  static const CommandSpec kNone{};
  std::vector<const OptionSpec*> options;
  for (const OptionSpec& option : AllOptions()) {
    if (TakesOption(command == nullptr ? kNone : *command, option.name)) options.push_back(&option);
  }
  return options;
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace stagedoor
