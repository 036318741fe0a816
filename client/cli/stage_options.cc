#include "client/cli/stage_options.h"

#include <cmath>
#include <optional>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/json_writer.h"
#include "client/cli/resolver_options.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxTimes = 1000000;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

absl::Status AddFallback(std::string_view text, v1::OpenStageRequest& request) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return UsageError(Concat("--variant-fallback must be SET=V1,V2…, not ", text));
  }
  v1::VariantFallback* fallback = request.add_variant_fallbacks();
  fallback->set_variant_set(std::string(text.substr(0, equals)));
  for (const std::string_view choice : Split(text.substr(equals + 1), ',')) {
    fallback->add_choices(std::string(choice));
  }
  return absl::OkStatus();
}

absl::Status SetLoad(const CommandLine& line, v1::OpenStageRequest& request) {
  const std::string load = line.Option("load").value_or("all");
  if (load != "all" && load != "none") return UsageError("--load must be all or none");
  request.set_load_policy(load == "all" ? v1::LOAD_POLICY_ALL : v1::LOAD_POLICY_NONE);
  return absl::OkStatus();
}

absl::Status SetInterpolation(const CommandLine& line, v1::OpenStageRequest& request) {
  const std::string interpolation = line.Option("interpolation").value_or("linear");
  if (interpolation != "linear" && interpolation != "held") {
    return UsageError("--interpolation must be linear or held");
  }
  request.set_interpolation(interpolation == "held" ? v1::INTERPOLATION_HELD
                                                    : v1::INTERPOLATION_LINEAR);
  return absl::OkStatus();
}

absl::Status SetChangePolicy(const CommandLine& line, v1::OpenStageRequest& request) {
  const auto policy = line.Option("on-change");
  if (!policy.has_value()) {
    // Nothing else changes a session of one's own.
    const bool follow = line.Flag("watch") && !line.Option("join").has_value();
    if (follow) request.set_change_policy(v1::CHANGE_POLICY_FOLLOW);
    return absl::OkStatus();
  }
  if (*policy == "fixed") {
    request.set_change_policy(v1::CHANGE_POLICY_FIXED);
  } else if (*policy == "on-open") {
    request.set_change_policy(v1::CHANGE_POLICY_ON_OPEN);
  } else if (*policy == "follow") {
    request.set_change_policy(v1::CHANGE_POLICY_FOLLOW);
  } else {
    return UsageError("--on-change must be fixed, on-open or follow");
  }
  return absl::OkStatus();
}

TimeArgument Numeric(double value) {
  TimeArgument time{FormatNumber(value), {}};
  time.time.set_numeric(value);
  return time;
}

absl::StatusOr<TimeArgument> ParseTime(std::string_view word) {
  TimeArgument time{std::string(word), {}};
  const bool pre = word.substr(0, 4) == "pre:";
  if (word == "default") {
    time.time.mutable_default_time();
  } else if (word == "earliest") {
    time.time.mutable_earliest();
  } else if (const auto number = ParseNumber<double>(pre ? word.substr(4) : word)) {
    pre ? time.time.set_pre_time(*number) : time.time.set_numeric(*number);
  } else {
    return UsageError(
        Concat("a time must be a number, default, earliest or pre:NUMBER, not ", Quoted(word)));
  }
  return time;
}

// Adds the frames of FIRST:LAST, FIRST:LASTxSTRIDE or FIRST:LAST:STRIDE.
absl::Status AddRange(std::string_view text, std::vector<TimeArgument>* times) {
  std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() == 2 && parts[1].find('x') != std::string_view::npos) {
    const std::vector<std::string_view> last = Split(parts[1], 'x');
    parts.erase(parts.begin() + 1);
    parts.insert(parts.end(), last.begin(), last.end());
  }
  const auto first = ParseNumber<double>(parts[0]);
  const auto last = parts.size() > 1 ? ParseNumber<double>(parts[1]) : first;
  const auto stride = parts.size() > 2 ? ParseNumber<double>(parts[2]) : std::optional<double>(1);
  if (!first || !last || !stride || *stride == 0 || parts.size() > 3) {
    return UsageError(
        Concat("a range of frames must be FIRST:LAST or FIRST:LASTxSTRIDE, not ", Quoted(text)));
  }
  const double step = parts.size() > 2 ? *stride : (*last < *first ? -1 : 1);
  const double count = std::floor((*last - *first) / step + 1e-9);
  if (count < 0) return UsageError(Concat("range without frames: ", Quoted(text)));
  if (!(count < kMaxTimes)) return UsageError(Concat("range of more than 1000000 frames: ", text));
  for (double i = 0; i <= count; ++i) times->push_back(Numeric(*first + i * step));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::OpenStageRequest> MakeOpenStageRequest(const CommandLine& line,
                                                          std::string_view root) {
  v1::OpenStageRequest request;
  request.set_root_layer(AbsoluteIdentifier(root));
  request.set_client_name("stagedoor");
  if (const auto session = line.Option("session")) {
    request.mutable_session_layer()->set_identifier(AbsoluteIdentifier(*session));
  }
  request.set_session(line.Option("join").value_or(""));
  SD_RETURN_IF_ERROR(SetLoad(line, request));
  SD_RETURN_IF_ERROR(SetInterpolation(line, request));
  SD_RETURN_IF_ERROR(SetChangePolicy(line, request));
  for (const std::string& path : line.Options("mask")) request.add_population_mask(path);
  for (const std::string& fallback : line.Options("variant-fallback")) {
    SD_RETURN_IF_ERROR(AddFallback(fallback, request));
  }
  SD_RETURN_IF_ERROR(SetResolverContext(line, request));
  return request;
}

absl::StatusOr<std::vector<TimeArgument>> ParseTimes(std::string_view text) {
  std::vector<TimeArgument> times;
  for (const std::string_view word : Split(text, ',')) {
    if (word.find(':') != std::string_view::npos && word.substr(0, 4) != "pre:") {
      SD_RETURN_IF_ERROR(AddRange(word, &times));
    } else {
      SD_ASSIGN_OR_RETURN(TimeArgument time, ParseTime(word));
      times.push_back(std::move(time));
    }
  }
  return times;
}

absl::StatusOr<v1::TimeInterval> ParseInterval(std::string_view text) {
  const size_t colon = text.find(':');
  const auto start = ParseNumber<double>(text.substr(0, colon));
  const auto end =
      colon == std::string_view::npos ? start : ParseNumber<double>(text.substr(colon + 1));
  if (!start || !end) return UsageError(Concat("--interval must be START:END, not ", Quoted(text)));
  v1::TimeInterval interval;
  interval.set_start(*start);
  interval.set_end(*end);
  return interval;
}

absl::StatusOr<TimeArgument> OneTime(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(std::vector<TimeArgument> times,
                      ParseTimes(line.Option("time").value_or("default")));
  if (times.size() != 1) return UsageError(Concat(line.command(), " takes a single --time"));
  return std::move(times.front());
}

absl::StatusOr<JsonWriter> MakeValueWriter(const CommandLine& line, const std::string& otherwise) {
  const std::string arrays = line.Option("arrays").value_or(otherwise);
  if (arrays != "full" && arrays != "summary")
    return UsageError("--arrays must be full or summary");
  JsonWriter json;
  json.set_summarizes_arrays(arrays == "summary");
  return json;
}

absl::StatusOr<StageLease> StageLease::Open(Client& client, const v1::OpenStageRequest& request) {
  SD_ASSIGN_OR_RETURN(v1::OpenStageResponse response, client.OpenStage(request));
  return StageLease(client, std::move(response));
}

StageLease::~StageLease() {
  if (client_ == nullptr) return;
  v1::CloseStageRequest request;
  request.set_handle(opened_.handle());
  // If this fails, the lease expires by itself.
  client_->CloseStage(request, {.timeout = std::chrono::seconds(1)}).status().IgnoreError();
}

v1::StageRef StageLease::ref() const {
  v1::StageRef ref;
  ref.set_handle(opened_.handle());
  ref.set_snapshot(stage().snapshot());
  return ref;
}

absl::StatusOr<StageLease> OpenStage(Client& client, const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(v1::OpenStageRequest request,
                      MakeOpenStageRequest(line, line.arguments().front()));
  return StageLease::Open(client, request);
}

}  // namespace stagedoor
