#include "client/cli/command_table.h"

#include <algorithm>
#include <cstdint>

#include "base/closest_match.h"
#include "base/help_columns.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/command_line.h"

namespace stagedoor {
namespace {

using Names = std::vector<std::string_view>;

constexpr OptionSpec kOptions[] = {
    // Of all commands.
    {"address", "HOST:PORT|unix:PATH", "the daemon to ask (else STAGEDOOR_ADDRESS)"},
    {"embedded", "", "no daemon: the server runs inside the command"},
    {"schema-path", "DIR", "with --embedded: a folder of schema plug-ins; repeatable"},
    {"timeout", "SECONDS", "the deadline of each call (default 60)"},
    {"connect-timeout", "SECONDS", "how long a daemon may be missing at first (default 10)"},
    {"help", "", "print this help"},
    {"version", "", "print the version"},
    // How a stage is opened.
    {"session", "FILE", "a session layer"},
    {"load", "all|none", "which payloads to load (default all)"},
    {"mask", "PATH…", "only these prims; several paths may follow"},
    {"variant-fallback", "SET=V1,V2…", "variants where none is selected; repeatable"},
    {"interpolation", "linear|held", "between time samples (default linear)"},
    // Of single commands.
    {"times", "T,…", "times: 1,2.5 · 1:48 · 1:48x12 · default · earliest · pre:3"},
    {"time", "T", "a time, or several as for --times of other commands"},
    {"interval", "START:END", "stage times"},
    {"depth", "N", "levels below the prim (default: all)"},
    {"arrays", "full|summary", "of long arrays all, or length, digest and ends (default full)"},
    {"instance-proxies", "", "go into instances"},
    {"skin", "", "with skinned points"},
    {"geom", "", "with transforms, bounds and primvars"},
    {"stack", "", "with all opinions"},
    {"collections", "", "with collections"},
    {"out", "FILE", "where to write (also -o); - is standard output"},
    {"layer-stack", "", "only the stage's own layer stack"},
    {"clipPath", "PATH", "the prim in the clips"},
    {"clipSet", "NAME", "the clip set (default: default)"},
    {"startTimeCode", "T", "the first time of the result"},
    {"endTimeCode", "T", "the last time of the result"},
    {"interpolateMissingClipValues", "", "write that metadata"},
    {"templateMetadata", "", "a clip set by template"},
    {"templatePath", "PATTERN", "the template's asset path: ./clip.#.usd"},
    {"stride", "N", "the template's stride"},
    {"activeOffset", "N", "the template's active offset"},
    {"prim", "PATH", "the prim with the clip set"},
    {"writeBlocks", "", "block what some clips lack"},
    {"layers", "", "with each clip layer"},
};

const Names kEverywhere = {"address", "embedded",        "schema-path", "timeout",
                           "help",    "connect-timeout", "version"};

Names StageOptions(const Names& more) {
  Names all = {"session", "load", "mask", "variant-fallback", "interpolation"};
  all.insert(all.begin(), more.begin(), more.end());
  return all;
}

const std::vector<CommandSpec>& Table() {
  static const auto* table = new std::vector<CommandSpec>{
      {"open", "ROOT", "opens the stage, prints its facts", 1, 1, StageOptions({})},
      {"ls", "ROOT [PATH]", "children and properties of a prim", 1, 2, StageOptions({})},
      {"tree", "ROOT [PATH]", "the subtree: name, type, kind", 1, 2,
       StageOptions({"depth", "instance-proxies"})},
      {"get", "ROOT PATH.attr", "values", 2, 2, StageOptions({"times", "arrays"})},
      {"samples", "ROOT PATH.attr", "sample times", 2, 2, StageOptions({"interval"})},
      {"explain", "ROOT PATH.attr", "where a value comes from", 2, 2,
       StageOptions({"time", "times", "arrays"})},
      {"dump", "ROOT", "all records of a stage", 1, 1,
       StageOptions(
           {"times", "arrays", "instance-proxies", "skin", "geom", "stack", "collections"})},
      {"layer", "FILE", "the records of one layer", 1, 1, {"arrays"}},
      {"convert", "IN OUT", "a layer in another format", 2, 2, {}},
      {"validate", "FILE", "what is wrong with a layer", 1, 1, {}},
      {"flatten", "ROOT", "the stage as one layer", 1, 1, StageOptions({"out", "layer-stack"})},
      {"stitch-clips",
       "CLIP…",
       "a value clip set",
       1,
       SIZE_MAX,
       {"out", "clipPath", "startTimeCode", "endTimeCode", "clipSet",
        "interpolateMissingClipValues", "templateMetadata", "templatePath", "stride",
        "activeOffset"}},
      {"clip-manifest", "ROOT | CLIP…", "the manifest of a clip set, or of clips", 1, SIZE_MAX,
       StageOptions({"out", "prim", "clipSet", "writeBlocks", "clipPath"})},
      {"deps", "ROOT", "every layer, clip and asset needed", 1, 1, StageOptions({})},
      {"localize", "ROOT", "these, copied to one folder or package", 1, 1, StageOptions({"out"})},
      {"stages", "", "the stages the daemon holds", 0, 0, {}},
      {"prefetch", "ROOT PATH…", "opens clips ahead of use", 2, SIZE_MAX,
       StageOptions({"interval"})},
      {"stats", "", "the daemon's caches", 0, 0, {"layers"}},
  };
  return *table;
}

bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string OptionText(const OptionSpec& option) {
  const std::string name = Concat(option.name == "out" ? "-o, " : "", "--", option.name);
  return option.value.empty() ? name : Concat(name, " ", option.value);
}

void AppendOptions(const Names& names, std::string* text) {
  for (const OptionSpec& option : kOptions) {
    if (!Has(names, option.name)) continue;
    text->append(Concat(LeftColumn(Concat("  ", OptionText(option)), 34), option.help, "\n"));
  }
}

absl::Status Inapplicable(const CommandSpec& command, const std::string& name) {
  std::vector<std::string> known;
  for (const std::string_view option : command.options) known.emplace_back(option);
  const std::string closest = ClosestMatch(name, known);
  return UsageError(Concat(command.name, " has no flag --", name,
                           closest.empty() ? "" : Concat("; did you mean --", closest, "?"),
                           " (see stagedoor help ", command.name, ")"));
}

}  // namespace

std::span<const CommandSpec> AllCommands() { return Table(); }

const CommandSpec* FindCommand(std::string_view name) {
  for (const CommandSpec& command : Table()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::span<const OptionSpec> AllOptions() { return kOptions; }

const OptionSpec* FindOption(std::string_view name) {
  for (const OptionSpec& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

absl::Status UnknownCommandError(std::string_view name) {
  std::vector<std::string> known = {"help"};
  for (const CommandSpec& command : Table()) known.emplace_back(command.name);
  const std::string closest = ClosestMatch(name, known);
  return UsageError(Concat("unknown command ", Quoted(name),
                           closest.empty() ? "" : Concat("; did you mean ", closest, "?"),
                           " (see stagedoor help)"));
}

absl::Status CheckCommandLine(const CommandLine& line) {
  const CommandSpec* command = FindCommand(line.command());
  if (command == nullptr) return UnknownCommandError(line.command());
  for (const std::string& name : line.OptionNames()) {
    if (!Has(kEverywhere, name) && !Has(command->options, name))
      return Inapplicable(*command, name);
  }
  const size_t count = line.arguments().size();
  if (count >= command->least && count <= command->most) return absl::OkStatus();
  const std::string takes = command->most == 0 ? "takes no arguments"
                            : count < command->least
                                ? Concat("needs ", command->arguments)
                                : Concat("takes ", command->arguments, " only");
  return UsageError(Concat(command->name, " ", takes, " (see stagedoor help ", command->name, ")"));
}

std::string HelpOverview() {
  std::string text = "usage: stagedoor [--address HOST:PORT|unix:PATH | --embedded] COMMAND …\n\n";
  for (const CommandSpec& command : Table()) {
    const std::string left = Concat("  ", command.name, " ", command.arguments);
    text.append(Concat(LeftColumn(left, 32), command.summary, "\n"));
  }
  text.append("\nOptions of all commands:\n");
  AppendOptions(kEverywhere, &text);
  text.append("\nstagedoor help COMMAND says more about one.\n");
  return text;
}

std::string CommandHelp(const CommandSpec& command) {
  std::string text = Concat("usage: stagedoor ", command.name, " ", command.arguments,
                            command.options.empty() ? "" : " [OPTIONS]", "\n\n", command.name, ": ",
                            command.summary, "\n");
  if (!command.options.empty()) text.append("\nOptions:\n");
  AppendOptions(command.options, &text);
  text.append("\nOptions of all commands:\n");
  AppendOptions(kEverywhere, &text);
  return text;
}

}  // namespace stagedoor
