// The `stagedoor` command: see docs/cli.md.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/output.h"

namespace stagedoor {
namespace {

struct Command {
  std::string_view name;
  absl::Status (*run)(Client&, const CommandLine&, Output&);
  std::string_view usage;
};

constexpr Command kCommands[] = {
    {"open", RunOpen, "ROOT                                 opens the stage, prints its facts"},
    {"ls", RunLs, "ROOT [PATH]                            children and properties of a prim"},
    {"tree", RunTree, "ROOT [PATH] [--depth N]              the subtree: name, type, kind"},
    {"get", RunGet, "ROOT PATH.attr [--times 1,2.5,1:9:2]  values"},
    {"samples", RunSamples, "ROOT PATH.attr [--interval A:B]   sample times"},
    {"explain", RunExplain, "ROOT PATH.attr [--time T]         where a value comes from"},
    {"dump", RunDump,
     "ROOT [--times T,…] [--instance-proxies] [--skin] [--geom] [--stack]\n"
     "                 [--collections]        all records"},
    {"layer", RunLayer, "FILE                                the records of one layer"},
    {"convert", RunConvert, "IN OUT                            a layer in another format"},
    {"validate", RunValidate, "FILE                             what is wrong with a layer"},
    {"flatten", RunFlatten, "ROOT -o OUT [--layer-stack]       the stage as one layer"},
    {"stitch-clips", RunStitchClips, "--out OUT --clipPath PATH CLIP…  a value clip set"},
    {"clip-manifest", RunClipManifest, "(ROOT --prim PATH | --clipPath PATH CLIP…) --out OUT"},
    {"deps", RunDeps, "ROOT                                 every layer, clip and asset needed"},
    {"localize", RunLocalize, "ROOT -o DIR|FILE.usdz            these, copied to one place"},
    {"stages", RunStages, "                                  the stages the daemon holds"},
    {"prefetch", RunPrefetch, "ROOT PATH… --interval A:B         opens clips ahead of use"},
    {"stats", RunStats, "[--layers]                         the daemon's caches"},
};

void PrintUsage(std::FILE* to) {
  std::fputs(
      "usage: stagedoor [--address HOST:PORT|unix:PATH | --embedded] [--timeout SECONDS] "
      "COMMAND …\n",
      to);
  for (const Command& command : kCommands) {
    std::fprintf(to, "  %s %s\n", std::string(command.name).c_str(),
                 std::string(command.usage).c_str());
  }
}

absl::Status Run(const CommandLine& line) {
  for (const Command& command : kCommands) {
    if (command.name != line.command()) continue;
    SD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, Connection::Open(line));
    Output output;
    return command.run(connection->client(), line, output);
  }
  return UsageError(Concat("there is no command ", Quoted(line.command())));
}

int Main(int argc, char** argv) {
  const auto line = CommandLine::Parse(std::vector<std::string>(argv + 1, argv + argc));
  if (line.ok() && (line->Flag("help") || line->command() == "help")) {
    PrintUsage(stdout);
    return 0;
  }
  const absl::Status status = line.ok() ? Run(*line) : line.status();
  if (status.ok()) return 0;
  if (IsUsageError(status)) {
    std::fprintf(stderr, "stagedoor: %s\n", std::string(Message(status)).c_str());
    if (line.ok() && line->command().empty()) PrintUsage(stderr);
    return 2;
  }
  std::fprintf(stderr, "stagedoor: %s: %s\n", absl::StatusCodeToString(status.code()).c_str(),
               std::string(Message(status)).c_str());
  return 1;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
