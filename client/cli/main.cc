// The `stagedoor` command: see docs/cli.md.
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/standard_streams.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "client/cc/client.h"
#include "client/cli/command_check.h"
#include "client/cli/command_line.h"
#include "client/cli/command_table.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/exit_status.h"
#include "client/cli/health_command.h"
#include "client/cli/inspector_command.h"
#include "client/cli/output.h"
#include "client/cli/perf_command.h"
#include "client/cli/repeatable_run.h"

namespace stagedoor {
namespace {

struct Runner {
  std::string_view name;
  absl::Status (*run)(Client&, const CommandLine&, Output&);
};

constexpr Runner kRunners[] = {
    {"open", RunOpen},
    {"ls", RunLs},
    {"tree", RunTree},
    {"find", RunFind},
    {"get", RunGet},
    {"samples", RunSamples},
    {"plot", RunPlot},
    {"bounds", RunBounds},
    {"camera", RunCamera},
    {"motion", RunMotion},
    {"skinning", RunSkinning},
    {"lod", RunLod},
    {"labels", RunLabels},
    {"collision-groups", RunCollisionGroups},
    {"mass", RunMass},
    {"subsets", RunSubsets},
    {"topology", RunTopology},
    {"models", RunModels},
    {"explain", RunExplain},
    {"material", RunMaterial},
    {"lights", RunLights},
    {"light-sets", RunLightSets},
    {"render", RunRender},
    {"frame", RunFrame},
    {"statistics", RunStatistics},
    {"diff", RunDiff},
    {"dump", RunDump},
    {"layer", RunLayer},
    {"cat", RunCat},
    {"convert", RunConvert},
    {"fetch", RunFetch},
    {"validate", RunValidate},
    {"flatten", RunFlatten},
    {"stitch-clips", RunStitchClips},
    {"clip-manifest", RunClipManifest},
    {"deps", RunDeps},
    {"localize", RunLocalize},
    {"stages", RunStages},
    {"prefetch", RunPrefetch},
    {"warm", RunWarm},
    {"stats", RunStats},
    {"admin", RunAdmin},
    {"top", RunTop},
};

// Commands that use no daemon, or have a connection of their own.
struct LocalRunner {
  std::string_view name;
  absl::Status (*run)(const CommandLine&, Output&);
};

constexpr LocalRunner kLocalRunners[] = {
    {"cache", RunCache},
    {"daemon", RunDaemon},
    {"health", RunHealth},
    {"inspect", RunInspector},
    {"check-resolver", RunCheckResolver},
    {"perf", RunPerf},
    {"completion", RunCompletion},
    {"man", RunMan},
};

absl::Status RunConnected(const Runner& runner, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, Connection::Open(line));
  return RunRepeatably(output, [&] { return runner.run(connection->client(), line, output); });
}

absl::Status PrintHelp(const CommandLine& line, Output& output) {
  const bool about_one =
      line.command() != "help" ? !line.command().empty() : !line.arguments().empty();
  if (!about_one) {
    output.Write(HelpOverview());
    return absl::OkStatus();
  }
  const std::string& name = line.command() != "help" ? line.command() : line.arguments().front();
  const CommandSpec* command = FindCommand(name);
  if (command == nullptr) return UnknownCommandError(name);
  output.Write(CommandHelp(*command));
  return absl::OkStatus();
}

absl::Status Run(const CommandLine& line, Output& output) {
  if (line.Flag("help") || line.command() == "help") return PrintHelp(line, output);
  if (line.Flag("version")) {
    output.Line(Concat("stagedoor ", kVersion));
    return absl::OkStatus();
  }
  if (line.command().empty()) return UsageError("no command given (see stagedoor help)");
  SD_RETURN_IF_ERROR(CheckCommandLine(line));
  for (const Runner& runner : kRunners) {
    if (runner.name == line.command()) return RunConnected(runner, line, output);
  }
  for (const LocalRunner& runner : kLocalRunners) {
    if (runner.name == line.command()) return runner.run(line, output);
  }
  return InternalError("no handler for the command ", line.command());
}

// Ends like a program without a signal handler: silently, by SIGPIPE, unless the parent process had
// it ignored.
int EndWithoutReader(bool signal_ignored) {
  if (!signal_ignored) {
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  return kExitFailure;
}

// Prints an error.
void Report(const absl::Status& status) {
  if (status.ok() || IsDifference(status)) return;
  const std::string code =
      IsUsageError(status) ? "" : Concat(absl::StatusCodeToString(status.code()), ": ");
  // Escaped to a single line, because the message may contain text of a daemon or file.
  std::string message = Quoted(Message(status), 4000);
  message = message.substr(1, message.rfind('\'') - 1);
  std::fprintf(stderr, "stagedoor: %s%s\n", code.c_str(), message.c_str());
}

// Prints how many problems the command has reported, which may be far above in its output.
void ReportProblems(Output& output) {
  const std::string text = output.problems().Text();
  if (!text.empty()) std::fprintf(stderr, "stagedoor: %s\n", text.c_str());
}

int Main(int argc, char** argv) {
  // The launcher of the daemon's wheel executes the dynamic loader, whose name the process would
  // have.
  ::prctl(PR_SET_NAME, "stagedoor");
  ReserveStandardStreams();
  const bool signal_ignored = ::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  // An embedded server logs to standard error; standard output is reserved for results.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("stagedoor"));
  spdlog::set_level(spdlog::level::warn);
  Output output;
  const auto line = CommandLine::Parse(std::vector<std::string>(argv + 1, argv + argc));
  const absl::Status status = line.ok() ? Run(*line, output) : line.status();
  output.Flush().IgnoreError();
  if (output.reader_gone()) return EndWithoutReader(signal_ignored);
  const bool compares = line.ok() && line->command() == "diff" && !line->Flag("help");
  if (!output.status().ok()) {
    Report(status.ok() || IsDifference(status) ? output.status() : status);
    return compares ? ToDiffExitStatus(output.status()) : kExitFailure;
  }
  ReportProblems(output);
  Report(status);
  return compares ? ToDiffExitStatus(status) : ToExitStatus(status);
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
