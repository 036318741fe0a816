#ifndef STAGEDOOR_CLIENT_CLI_COMPLETION_WORDS_H_
#define STAGEDOOR_CLIENT_CLI_COMPLETION_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/command_table.h"

// Completions that shells can offer for the placeholders of the table of commands.
namespace stagedoor {

// The completions of a placeholder, such as "all|none", "FILE", "PATH".
struct Completion {
  enum class Kind {
    kNothing,  // nothing that a shell knows
    kFiles,
    kWords,
  };
  Kind kind = Kind::kNothing;
  std::vector<std::string> words;  // of kWords
};
Completion CompletionOf(std::string_view placeholder);

// The placeholders of a command's arguments, without brackets and ellipses. The last may be
// repeated.
std::vector<std::string> ArgumentsOf(const CommandSpec& command);

// The flags that a command takes, with those of all commands; only these if `command` is null.
std::vector<const OptionSpec*> OptionsOf(const CommandSpec* command);

// The text in single quotes of a shell.
std::string ShellQuoted(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMPLETION_WORDS_H_
