#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/call_tables.h"
#include "client/cli/commands.h"
#include "client/cli/message_json.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/shown_units.h"

namespace stagedoor {
namespace {

constexpr uint32_t kMaxCalls = 1000;

constexpr std::pair<std::string_view, v1::CacheKind> kCaches[] = {
    {"stages", v1::CACHE_KIND_STAGES},       {"layers", v1::CACHE_KIND_LAYERS},
    {"clips", v1::CACHE_KIND_CLIPS},         {"remote", v1::CACHE_KIND_REMOTE},
    {"path_sets", v1::CACHE_KIND_PATH_SETS}, {"frames", v1::CACHE_KIND_FRAMES},
    {"replies", v1::CACHE_KIND_REPLIES}};

constexpr std::pair<std::string_view, v1::LogLevel> kLevels[] = {
    {"trace", v1::LOG_LEVEL_TRACE}, {"debug", v1::LOG_LEVEL_DEBUG}, {"info", v1::LOG_LEVEL_INFO},
    {"warn", v1::LOG_LEVEL_WARN},   {"error", v1::LOG_LEVEL_ERROR}, {"off", v1::LOG_LEVEL_OFF}};

// The argument after the action; empty if there is none.
std::string Argument(const CommandLine& line) {
  return line.arguments().size() > 1 ? line.arguments()[1] : std::string();
}

absl::Status Evict(Client& client, const CommandLine& line, Output& output) {
  const std::string which = Argument(line);
  v1::EvictCachesRequest request;
  for (const auto& [name, kind] : kCaches) {
    if (which.empty() || which == "all" || which == name) request.add_caches(kind);
  }
  if (request.caches().empty()) {
    return UsageError(Concat(
        "a daemon has the caches stages, layers, clips, remote, path_sets, frames and replies, or "
        "all, but not ",
        Quoted(which)));
  }
  SD_ASSIGN_OR_RETURN(const v1::EvictCachesResponse response, client.EvictCaches(request));
  if (PrintsJsonReplies(line)) return PrintJson(response, output);
  for (const v1::EvictedCache& cache : response.caches()) {
    output.Line(Concat(SafeText(cache.name()), ": ", cache.entries(), " entries, ",
                       ShownBytes(static_cast<double>(cache.bytes())), " freed"));
  }
  output.Line(Concat(ShownBytes(static_cast<double>(response.resident_bytes())), " resident now"));
  return absl::OkStatus();
}

absl::Status Drain(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const v1::DrainResponse response, client.Drain(v1::DrainRequest()));
  if (PrintsJsonReplies(line)) return PrintJson(response, output);
  output.Line(Concat(response.already_draining() ? "was draining already" : "draining", ", ",
                     response.calls_in_flight(), " calls in flight"));
  return absl::OkStatus();
}

std::string_view LevelName(v1::LogLevel level) {
  for (const auto& [name, known] : kLevels) {
    if (known == level) return name;
  }
  return "unknown";
}

absl::Status LogLevel(Client& client, const CommandLine& line, Output& output) {
  const std::string wanted = Argument(line);
  v1::SetLogLevelRequest request;
  for (const auto& [name, level] : kLevels) {
    if (wanted == name) request.set_level(level);
  }
  if (!wanted.empty() && request.level() == v1::LOG_LEVEL_UNSPECIFIED) {
    return UsageError(Concat("the log level must be trace, debug, info, warn, error or off, not ",
                             Quoted(wanted)));
  }
  SD_ASSIGN_OR_RETURN(const v1::SetLogLevelResponse response, client.SetLogLevel(request));
  if (PrintsJsonReplies(line)) return PrintJson(response, output);
  const std::string_view before = LevelName(response.previous_level());
  output.Line(wanted.empty() ? std::string(before) : Concat(wanted, " (was ", before, ")"));
  return absl::OkStatus();
}

absl::Status PrintReload(const v1::ReloadConfigResponse& response, Output& output) {
  for (const std::string& error : response.errors()) {
    output.Line(Concat("error: ", SafeText(error)));
  }
  for (const std::string& setting : response.changed()) {
    output.Line(Concat("changed: ", SafeText(setting)));
  }
  for (const std::string& setting : response.needs_restart()) {
    output.Line(Concat("changes only at a restart: ", SafeText(setting)));
  }
  const bool same =
      response.errors().empty() && response.changed().empty() && response.needs_restart().empty();
  if (same) output.Line("nothing has changed");
  return absl::OkStatus();
}

absl::Status Config(Client& client, const CommandLine& line, Output& output) {
  if (line.Flag("reload")) {
    SD_ASSIGN_OR_RETURN(const v1::ReloadConfigResponse response,
                        client.ReloadConfig(v1::ReloadConfigRequest()));
    SD_RETURN_IF_ERROR(PrintsJsonReplies(line) ? PrintJson(response, output)
                                               : PrintReload(response, output));
    if (response.errors().empty()) return absl::OkStatus();
    return FailedPreconditionError("the configuration has errors");
  }
  SD_ASSIGN_OR_RETURN(const v1::GetConfigResponse response,
                      client.GetConfig(v1::GetConfigRequest()));
  if (PrintsJsonReplies(line)) return PrintJson(response, output);
  std::string_view rest = response.yaml();
  while (!rest.empty()) {
    const std::string_view first = rest.substr(0, rest.find('\n'));
    output.Line(SafeText(first));
    rest.remove_prefix(first.size() == rest.size() ? first.size() : first.size() + 1);
  }
  return absl::OkStatus();
}

void PrintTable(std::string_view title, const TextTable& table, Output& output) {
  if (table.empty()) return;
  output.Line(title);
  for (const std::string& text : table.Lines()) output.Line(text);
}

absl::Status Calls(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const auto limit, line.CountOption("limit", kMaxCalls));
  v1::ListCallsRequest request;
  request.set_limit(limit.value_or(0));
  SD_ASSIGN_OR_RETURN(const v1::ListCallsResponse response, client.ListCalls(request));
  if (PrintsJsonReplies(line)) return PrintJson(response, output);
  output.Line(Concat(response.calls_in_flight(), " calls in flight, ", response.waiting_calls(),
                     " of them waiting"));
  PrintTable("", CallsInFlightTable(response), output);
  PrintTable("\nslowest calls of the last ten minutes", SlowestCallsTable(response), output);
  return absl::OkStatus();
}

struct Action {
  std::string_view name;
  size_t most_arguments;
  std::string_view option;  // besides --json
  absl::Status (*run)(Client&, const CommandLine&, Output&);
};

constexpr Action kActions[] = {{"evict", 1, "", Evict},
                               {"drain", 0, "", Drain},
                               {"log-level", 1, "", LogLevel},
                               {"config", 0, "reload", Config},
                               {"calls", 0, "limit", Calls}};

absl::Status CheckAction(const Action& action, const CommandLine& line) {
  if (line.arguments().size() > 1 + action.most_arguments) {
    return UsageError(Concat("admin ", action.name, " takes ",
                             action.most_arguments == 0 ? "no argument" : "one argument"));
  }
  for (const std::string_view option : {"reload", "limit"}) {
    if (line.Flag(option) && option != action.option) {
      return UsageError(Concat("admin ", action.name, " has no flag --", option));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunAdmin(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(CheckReplyFormat(line));
  for (const Action& action : kActions) {
    if (line.arguments()[0] != action.name) continue;
    SD_RETURN_IF_ERROR(CheckAction(action, line));
    return action.run(client, line, output);
  }
  return UsageError(Concat("admin can evict, drain, log-level, config or calls, not ",
                           Quoted(line.arguments()[0])));
}

}  // namespace stagedoor
