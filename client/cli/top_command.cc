#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/message_json.h"
#include "client/cli/record_printer.h"
#include "client/cli/screen.h"
#include "client/cli/top_view.h"

namespace stagedoor {
namespace {

constexpr double kDefaultInterval = 2;
constexpr double kLeastInterval = 0.1;
constexpr double kMostInterval = 3600;
constexpr uint32_t kCalls = 200;
constexpr int kStages = 200;

// Whether a reply may be missing without ending the command.
bool IsNotOffered(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsUnimplemented(status);
}

// Keeps the reply, or the reason why it is not offered. Other errors are returned.
template <typename Response>
absl::Status Take(std::string_view what, absl::StatusOr<Response> response,
                  std::optional<Response>* out, TopSample* sample) {
  if (response.ok()) {
    *out = *std::move(response);
    return absl::OkStatus();
  }
  if (!IsNotOffered(response.status())) return response.status();
  sample->missing.push_back(Concat(what, ": ", Message(response.status())));
  return absl::OkStatus();
}

absl::StatusOr<TopSample> Ask(Client& client) {
  TopSample sample;
  v1::ListCallsRequest calls;
  calls.set_limit(kCalls);
  v1::ListStagesRequest stages;
  stages.set_page_size(kStages);
  std::optional<v1::GetCapabilitiesResponse> capabilities;
  SD_RETURN_IF_ERROR(Take("the version", client.GetCapabilities({}), &capabilities, &sample));
  if (capabilities.has_value()) sample.version = capabilities->version();
  SD_RETURN_IF_ERROR(Take("rates", client.GetServerStatistics({}), &sample.server, &sample));
  sample.time = std::chrono::steady_clock::now();
  SD_RETURN_IF_ERROR(Take("calls", client.ListCalls(calls), &sample.calls, &sample));
  SD_RETURN_IF_ERROR(Take("stages", client.ListStages(stages), &sample.stages, &sample));
  SD_RETURN_IF_ERROR(Take("caches", client.GetCacheStatistics({}), &sample.caches, &sample));
  return sample;
}

template <typename Response>
absl::Status AddJson(std::string_view name, const std::optional<Response>& response,
                     std::string* json) {
  if (!response.has_value()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(const std::string text, MessageJson(*response));
  *json += Concat(json->size() > 1 ? "," : "", "\"", name, "\":", text);
  return absl::OkStatus();
}

// One object on one line, with a member for each reply.
absl::Status PrintSampleJson(const TopSample& sample, Output& output) {
  std::string json = "{";
  SD_RETURN_IF_ERROR(AddJson("server", sample.server, &json));
  SD_RETURN_IF_ERROR(AddJson("calls", sample.calls, &json));
  SD_RETURN_IF_ERROR(AddJson("stages", sample.stages, &json));
  SD_RETURN_IF_ERROR(AddJson("caches", sample.caches, &json));
  output.Line(json + "}");
  return output.Flush();
}

absl::Status PrintSample(const TopSample& now, const TopSample* before, bool json, Output& output) {
  if (json) return PrintSampleJson(now, output);
  for (const std::string& line : TopLines(now, before, TopSize())) output.Line(line);
  return output.Flush();
}

// Prints one block after the other, until nobody reads them.
absl::Status PrintBlocks(Client& client, const CommandLine& line,
                         std::chrono::milliseconds interval, Output& output) {
  std::optional<TopSample> before;
  for (;;) {
    SD_ASSIGN_OR_RETURN(TopSample now, Ask(client));
    if (before.has_value() && !PrintsJsonReplies(line)) output.Line("");
    SD_RETURN_IF_ERROR(
        PrintSample(now, before.has_value() ? &*before : nullptr, PrintsJsonReplies(line), output));
    if (line.Flag("once")) return absl::OkStatus();
    before = std::move(now);
    std::this_thread::sleep_for(interval);
  }
}

absl::Status RunOnScreen(Client& client, std::chrono::milliseconds interval, Output& output) {
  // Errors are for the screen of the caller, so the first sample is taken before.
  SD_ASSIGN_OR_RETURN(TopSample now, Ask(client));
  std::optional<TopSample> before;
  Screen screen(output);
  for (;;) {
    SD_RETURN_IF_ERROR(
        screen.Draw(TopLines(now, before.has_value() ? &*before : nullptr, Screen::Size())));
    if (screen.WaitForQuit(interval)) return absl::OkStatus();
    before = std::move(now);
    SD_ASSIGN_OR_RETURN(now, Ask(client));
  }
}

}  // namespace

absl::Status RunTop(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(CheckReplyFormat(line));
  SD_ASSIGN_OR_RETURN(const auto wanted, line.NumberOption("interval"));
  const double seconds = wanted.value_or(kDefaultInterval);
  if (!(seconds >= kLeastInterval && seconds <= kMostInterval)) {
    return UsageError(Concat("--interval must be a number of seconds from ", kLeastInterval, " to ",
                             kMostInterval));
  }
  const std::chrono::milliseconds interval(static_cast<int64_t>(seconds * 1000));
  const bool blocks = line.Flag("once") || PrintsJsonReplies(line) || !Screen::IsTerminal();
  return blocks ? PrintBlocks(client, line, interval, output)
                : RunOnScreen(client, interval, output);
}

}  // namespace stagedoor
