#include "client/cli/shell_completion.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "client/cli/command_line.h"
#include "client/cli/completion_words.h"

namespace stagedoor {
namespace {

using Kind = Completion::Kind;

// ------------------------------------------------------------------------------------------- bash

// Flags as a pattern of `case`: "--out|-o". Long ones only if `letters` is false.
std::string FlagPattern(const OptionSpec& option) {
  return option.letter.empty() ? Concat("--", option.name)
                               : Concat("--", option.name, "|-", option.letter);
}

std::string FlagWords(const CommandSpec* command) {
  std::vector<std::string> flags;
  for (const OptionSpec* option : OptionsOf(command)) flags.push_back(Concat("--", option->name));
  return Join(flags, " ");
}

std::string CommandWords() {
  std::vector<std::string> names = {"help"};
  for (const CommandSpec& command : AllCommands()) names.emplace_back(command.name);
  return Join(names, " ");
}

// The call that offers what a placeholder stands for.
std::string BashOffer(const Completion& completion) {
  if (completion.kind == Kind::kFiles) return "_stagedoor_files";
  if (completion.kind == Kind::kNothing) return ":";
  return Concat("_stagedoor_words ", ShellQuoted(Join(completion.words, " ")));
}

constexpr std::string_view kBashBegin =
    R"bash(# Completion of stagedoor for bash: source <(stagedoor completion bash)
_stagedoor_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_stagedoor_files() {
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
)bash";

constexpr std::string_view kBashEnd = R"bash(
_stagedoor() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command= count=0 i
  COMPREPLY=()
  # bash makes a word of its own of each = and :.
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ] && [ "$COMP_CWORD" -gt 1 ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  _stagedoor_value "$previous" && return
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*)
        if _stagedoor_takes_value "${COMP_WORDS[i]}"; then
          i=$((i + 1))
          [ "${COMP_WORDS[i]}" = = ] && i=$((i + 1))
          while [ "${COMP_WORDS[i+1]}" = : ] || [ "${COMP_WORDS[i+1]}" = = ]; do i=$((i + 2)); done
        fi ;;
      *)
        if [ -z "$command" ]; then command=${COMP_WORDS[i]}; else count=$((count + 1)); fi ;;
    esac
  done
  case $current in
    -*) _stagedoor_words "$(_stagedoor_flags "$command")" ;;
    *) _stagedoor_argument "$command" "$count" ;;
  esac
}
complete -F _stagedoor stagedoor
)bash";

// Completes the value of a flag.
std::string BashValues() {
  std::string text = "_stagedoor_value() {\n  case $1 in\n";
  std::vector<std::string> with_value;
  for (const OptionSpec& option : AllOptions()) {
    if (option.value.empty()) continue;
    with_value.push_back(FlagPattern(option));
    text +=
        Concat("    ", FlagPattern(option), ") ", BashOffer(CompletionOf(option.value)), " ;;\n");
  }
  text += "    *) return 1 ;;\n  esac\n}\n";
  return Concat(text, "_stagedoor_takes_value() { case $1 in ", Join(with_value, "|"),
                ") ;; *) return 1 ;; esac; }\n");
}

std::string BashFlags() {
  std::string text = "_stagedoor_flags() {\n  case $1 in\n";
  for (const CommandSpec& command : AllCommands()) {
    text += Concat("    ", command.name, ") echo ", ShellQuoted(FlagWords(&command)), " ;;\n");
  }
  return Concat(text, "    *) echo ", ShellQuoted(FlagWords(nullptr)), " ;;\n  esac\n}\n");
}

// Completes the argument number $2 of the command $1.
std::string BashArguments() {
  const std::string commands = Concat("_stagedoor_words ", ShellQuoted(CommandWords()));
  std::string text =
      Concat("_stagedoor_argument() {\n  case $1:$2 in\n    :*|help:0) ", commands, " ;;\n");
  for (const CommandSpec& command : AllCommands()) {
    const std::vector<std::string> arguments = ArgumentsOf(command);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Completion completion = CompletionOf(arguments[i]);
      if (completion.kind == Kind::kNothing) continue;
      const bool last = i + 1 == arguments.size() && command.most > arguments.size();
      text += Concat("    ", command.name, ":", last ? std::string("*") : Concat(i), ") ",
                     BashOffer(completion), " ;;\n");
    }
  }
  return text + "  esac\n}\n";
}

std::string BashScript() {
  return Concat(kBashBegin, BashValues(), BashFlags(), BashArguments(), kBashEnd);
}

// -------------------------------------------------------------------------------------------- zsh

// Text for a description in the arguments of _arguments.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const Completion& completion) {
  if (completion.kind == Kind::kFiles) return "_files";
  if (completion.kind == Kind::kNothing) return "";
  return Concat("(", Join(completion.words, " "), ")");
}

std::string ZshFlag(const OptionSpec& option) {
  const std::string value = option.value.empty() ? ""
                                                 : Concat(":", ZshText(option.value), ":",
                                                          ZshAction(CompletionOf(option.value)));
  // "*": a flag may be repeated.
  const std::string about = Concat("[", ZshText(option.help), "]", value);
  std::string text =
      ShellQuoted(Concat("*--", option.name, option.value.empty() ? "" : "=", about));
  if (!option.letter.empty()) {
    text += Concat(" ", ShellQuoted(Concat("*-", option.letter, about)));
  }
  return text;
}

std::string ZshFlags(const CommandSpec* command) {
  std::string text;
  for (const OptionSpec* option : OptionsOf(command)) {
    text += Concat(" \\\n        ", ZshFlag(*option));
  }
  return text;
}

std::string ZshArguments(const CommandSpec& command) {
  std::string text;
  const std::vector<std::string> arguments = ArgumentsOf(command);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool repeats = i + 1 == arguments.size() && command.most > arguments.size();
    text += Concat(" \\\n        ", ShellQuoted(Concat(repeats ? std::string("*") : Concat(i + 1),
                                                       ":", ZshText(arguments[i]), ":",
                                                       ZshAction(CompletionOf(arguments[i])))));
  }
  return text;
}

std::string ZshScript() {
  std::string text =
      "#compdef stagedoor\n"
      "# Completion of stagedoor for zsh: source <(stagedoor completion zsh)\n"
      "_stagedoor() {\n  local curcontext=$curcontext state line\n  local -a commands=(\n"
      "    'help:print help'\n";
  for (const CommandSpec& command : AllCommands()) {
    text += Concat("    ", ShellQuoted(Concat(command.name, ":", ZshText(command.summary))), "\n");
  }
  text += Concat("  )\n  _arguments -C", ZshFlags(nullptr),
                 " \\\n        '1:command:->command' '*::argument:->argument' && return\n"
                 "  case $state in\n    command) _describe command commands ;;\n"
                 "    argument) case $words[1] in\n"
                 "      help) _describe command commands ;;\n");
  for (const CommandSpec& command : AllCommands()) {
    text += Concat("      ", command.name, ") _arguments", ZshFlags(&command),
                   ZshArguments(command), " ;;\n");
  }
  return text +
         "    esac ;;\n  esac\n}\n"
         "if [ \"$funcstack[1]\" = _stagedoor ]; then _stagedoor \"$@\"; else "
         "compdef _stagedoor stagedoor; fi\n";
}

// ------------------------------------------------------------------------------------------- fish

constexpr std::string_view kFish = "complete -c stagedoor";

// A condition for the commands, for -n.
std::string FishSeen(const std::string& names) {
  return Concat(" -n ", ShellQuoted(Concat("__fish_seen_subcommand_from ", names)));
}

std::string FishFlag(const OptionSpec& option, const std::string& condition) {
  std::string text = Concat(kFish, condition, " -l ", option.name);
  if (!option.letter.empty()) text += Concat(" -s ", option.letter);
  if (!option.value.empty()) {
    const Completion completion = CompletionOf(option.value);
    text += completion.kind == Kind::kFiles ? " -r -F" : " -x";
    if (completion.kind == Kind::kWords) {
      text += Concat(" -a ", ShellQuoted(Join(completion.words, " ")));
    }
  }
  return Concat(text, " -d ", ShellQuoted(option.help), "\n");
}

// The flag for the commands that take it, or for all.
std::string FishFlagLine(const OptionSpec& option) {
  std::vector<std::string> names;
  for (const CommandSpec& command : AllCommands()) {
    if (TakesOption(command, option.name)) names.emplace_back(command.name);
  }
  const bool all = names.size() == AllCommands().size();
  return FishFlag(option, all ? "" : FishSeen(Join(names, " ")));
}

std::string FishScript() {
  std::string text =
      Concat("# Completion of stagedoor for fish: stagedoor completion fish | source\n", kFish,
             " -f\n", kFish, " -n __fish_use_subcommand -a help -d 'print help'\n", kFish,
             FishSeen("help"), " -a ", ShellQuoted(CommandWords()), "\n");
  for (const CommandSpec& command : AllCommands()) {
    text += Concat(kFish, " -n __fish_use_subcommand -a ", command.name, " -d ",
                   ShellQuoted(command.summary), "\n");
    bool files = false;
    for (const std::string& argument : ArgumentsOf(command)) {
      const Completion completion = CompletionOf(argument);
      files |= completion.kind == Kind::kFiles;
      if (completion.kind != Kind::kWords) continue;
      text += Concat(kFish, FishSeen(std::string(command.name)), " -a ",
                     ShellQuoted(Join(completion.words, " ")), "\n");
    }
    if (files) text += Concat(kFish, FishSeen(std::string(command.name)), " -F\n");
  }
  for (const OptionSpec& option : AllOptions()) text += FishFlagLine(option);
  return text;
}

}  // namespace

absl::StatusOr<std::string> CompletionScript(std::string_view shell) {
  if (shell == "bash") return BashScript();
  if (shell == "zsh") return ZshScript();
  if (shell == "fish") return FishScript();
  return UsageError(Concat("completion is for bash, zsh or fish, not for ", Quoted(shell)));
}

}  // namespace stagedoor
