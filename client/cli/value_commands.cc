#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/packed_numbers.h"
#include "client/cc/sample_assembler.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

std::string ValueText(const v1::Value& value, JsonWriter& json) {
  if (value.kind_case() == v1::Value::KIND_NOT_SET) return "none";
  if (value.has_block()) return "blocked";
  WriteValue(value, json);
  return json.Take();
}

std::string TimeText(const v1::TimeCode& time) {
  switch (time.kind_case()) {
    case v1::TimeCode::kDefaultTime:
      return "default";
    case v1::TimeCode::kEarliest:
      return "earliest";
    case v1::TimeCode::kPreTime:
      return Concat("pre:", FormatNumber(time.pre_time()));
    case v1::TimeCode::kNumeric:
      return FormatNumber(time.numeric());
    case v1::TimeCode::KIND_NOT_SET:
      break;
  }
  return "unknown time";
}

std::string SiteText(const v1::Site& site) {
  std::string text = Concat(site.layer(), " <", site.path(), ">");
  if (!site.arc().empty()) text.append(Concat(" by ", site.arc()));
  if (site.has_layer_offset()) {
    text.append(Concat(", time * ", FormatNumber(site.layer_offset().scale()), " + ",
                       FormatNumber(site.layer_offset().offset())));
  }
  return text;
}

std::string_view SourceWord(v1::ValueSource source) {
  switch (source) {
    case v1::VALUE_SOURCE_FALLBACK:
      return "fallback";
    case v1::VALUE_SOURCE_DEFAULT:
      return "default";
    case v1::VALUE_SOURCE_TIME_SAMPLES:
      return "time samples";
    case v1::VALUE_SOURCE_VALUE_CLIPS:
      return "value clips";
    case v1::VALUE_SOURCE_SPLINE:
      return "spline";
    default:
      return "nothing";
  }
}

void PrintSamples(const v1::Explanation& explanation, Output& output) {
  if (!explanation.has_lower_sample() || !explanation.has_upper_sample()) return;
  std::string text = Concat("  samples: ", FormatNumber(explanation.lower_sample()));
  if (explanation.upper_sample() != explanation.lower_sample()) {
    text.append(Concat(" and ", FormatNumber(explanation.upper_sample())));
  }
  output.Line(Concat(text, explanation.interpolated() ? ", interpolated" : ", held",
                     "; layer time ", FormatNumber(explanation.layer_time())));
}

void PrintExplanation(const v1::Explanation& explanation, JsonWriter& json, Output& output) {
  output.Line(Concat(TimeText(explanation.time()), ": ", ValueText(explanation.value(), json)));
  output.Line(Concat("  source: ", SourceWord(explanation.source())));
  if (explanation.has_site()) output.Line(Concat("  spec: ", SiteText(explanation.site())));
  PrintSamples(explanation, output);
  for (const std::string& note : explanation.notes()) output.Line(Concat("  note: ", note));
  for (const v1::Site& site : explanation.stack())
    output.Line(Concat("  opinion: ", SiteText(site)));
}

void PrintClips(uint64_t open, uint64_t skipped, Output& output) {
  output.Line(Concat(open, " clips open"));
  if (skipped == 0) return;
  output.Line(Concat(skipped, " clips not opened: the budget of the clip cache is exhausted"));
}

absl::Status FirstError(const google::protobuf::RepeatedPtrField<v1::ItemStatus>& errors) {
  if (errors.empty()) return absl::OkStatus();
  return MakeStatus(static_cast<absl::StatusCode>(errors[0].code()), errors[0].message());
}

// Writes warnings to standard error, apart from values.
void PrintWarnings(const google::protobuf::RepeatedPtrField<v1::Warning>& warnings) {
  for (const v1::Warning& warning : warnings) {
    std::fprintf(stderr, "stagedoor: warning: %s\n", Quoted(warning.message(), 2000).c_str());
  }
}

std::string ProgressText(const v1::WarmStageResponse& response) {
  switch (response.phase()) {
    case v1::WarmStageResponse::PHASE_OPENING:
      return "opening the stage";
    case v1::WarmStageResponse::PHASE_ATTRIBUTES:
      return Concat(response.done(), " of ", response.total(), " prims");
    case v1::WarmStageResponse::PHASE_CLIPS:
      return Concat(response.done(), " of ", response.total(), " clip sets");
    default:
      return "working";
  }
}

void PrintWarmed(const v1::WarmStageResult& result, Output& output) {
  output.Line(Concat("snapshot: ", result.snapshot()));
  output.Line(Concat(result.attributes(), " attributes of ", result.prims(), " prims compiled"));
  if (result.skipped_attributes() != 0) {
    output.Line(Concat(result.skipped_attributes(),
                       " attributes not compiled: the table of compiled attributes is full"));
  }
  PrintClips(result.clips(), result.skipped_clips(), output);
  for (const v1::ItemStatus& error : result.errors()) {
    output.Line(Concat("error: ", error.message()));
  }
  const uint64_t more = result.error_count() - static_cast<uint64_t>(result.errors_size());
  if (more != 0) output.Line(Concat(more, " more errors"));
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

template <typename Request>
absl::Status SetInterval(const CommandLine& line, Request& request) {
  const auto text = line.Option("interval");
  if (!text.has_value()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(*request.mutable_interval(), ParseInterval(*text));
  return absl::OkStatus();
}

std::string SampleTimeText(const AttributeSamples::Sample& sample) {
  if (!sample.time) return "-";
  return Concat(sample.pre_time ? "pre:" : "", FormatNumber(*sample.time));
}

// Prints the samples of an attribute for all intervals with their values.
absl::Status PrintSampleValues(Client& client, const CommandLine& line, Output& output) {
  v1::SampleValuesRequest request;
  const std::vector<std::string> intervals = line.Options("interval");
  for (const std::string& text : intervals) {
    SD_ASSIGN_OR_RETURN(*request.add_intervals(), ParseInterval(text));
  }
  if (intervals.empty()) request.add_intervals();
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  SampleAssembler assembler([&](const AttributeSamples& item) {
    SD_RETURN_IF_ERROR(item.status);
    if (intervals.size() > 1) output.Line(Concat(intervals[item.item % intervals.size()], ":"));
    for (const AttributeSamples::Sample& sample : item.samples) {
      SD_RETURN_IF_ERROR(sample.status);
      output.Line(Concat(SampleTimeText(sample), '\t', ValueText(sample.value, json)));
    }
    return output.status();
  });
  SD_RETURN_IF_ERROR(client.SampleValues(request, [&](const v1::SampleValuesResponse& part) {
    PrintWarnings(part.warnings());
    return assembler.Add(part);
  }));
  return assembler.Finish();
}

}  // namespace

absl::Status RunGet(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times,
                      ParseTimes(line.Option("times").value_or("default")));
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  SD_ASSIGN_OR_RETURN(v1::BatchGetValuesResponse response, client.BatchGetValues(request));
  const ValueBatch values(std::move(response));
  PrintWarnings(values.response().warnings());
  for (size_t i = 0; i < times.size(); ++i) SD_RETURN_IF_ERROR(values.status(0, i));
  for (size_t i = 0; i < times.size(); ++i) {
    output.Line(Concat(times[i].word, '\t', ValueText(values.GetValue(0, i), json)));
  }
  return absl::OkStatus();
}

absl::Status RunSamples(Client& client, const CommandLine& line, Output& output) {
  if (line.Flag("values")) return PrintSampleValues(client, line, output);
  v1::ListTimeSamplesRequest request;
  SD_RETURN_IF_ERROR(SetInterval(line, request));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  SD_ASSIGN_OR_RETURN(const v1::ListTimeSamplesResponse response, client.ListTimeSamples(request));
  if (!response.path_errors().empty()) return ItemError(response.path_errors(0));
  std::string text;
  for (const v1::AttributeTimeSamples& samples : response.attributes()) {
    for (const double time : PackedNumbers<double>(samples.times())) {
      text.append(text.empty() ? "" : " ").append(FormatNumber(time));
    }
  }
  output.Line(text);
  return absl::OkStatus();
}

absl::Status RunPrefetch(Client& client, const CommandLine& line, Output& output) {
  v1::PrefetchClipsRequest request;
  SD_RETURN_IF_ERROR(SetInterval(line, request));
  if (!request.has_interval()) return UsageError("prefetch needs --interval START:END");
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_paths(line.arguments()[i]);
  SD_ASSIGN_OR_RETURN(const v1::PrefetchClipsResponse response, client.PrefetchClips(request));
  PrintClips(response.clips(), response.skipped(), output);
  return absl::OkStatus();
}

absl::Status RunWarm(Client& client, const CommandLine& line, Output& output) {
  v1::WarmStageRequest request;
  SD_RETURN_IF_ERROR(SetInterval(line, request));
  SD_ASSIGN_OR_RETURN(*request.mutable_source()->mutable_open(),
                      MakeOpenStageRequest(line, line.arguments().front()));
  for (size_t i = 1; i < line.arguments().size(); ++i) request.add_prim_paths(line.arguments()[i]);
  const bool progress = line.Flag("progress");
  v1::WarmStageResult result;
  SD_RETURN_IF_ERROR(client.WarmStage(request, [&](const v1::WarmStageResponse& response) {
    if (progress && !response.has_result()) {
      output.Line(ProgressText(response));
      return output.Flush();
    }
    if (response.has_result()) result = response.result();
    return absl::OkStatus();
  }));
  PrintWarmed(result, output);
  return FirstError(result.errors());
}

absl::Status RunExplain(Client& client, const CommandLine& line, Output& output) {
  const auto times_text = line.Option("time").value_or(line.Option("times").value_or("default"));
  SD_ASSIGN_OR_RETURN(const std::vector<TimeArgument> times, ParseTimes(times_text));
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ExplainRequest request;
  *request.mutable_stage() = stage.ref();
  request.set_path(line.arguments()[1]);
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  SD_ASSIGN_OR_RETURN(const v1::ExplainResponse response, client.Explain(request));
  output.Line(line.arguments()[1]);
  for (const v1::Site& site : response.prim_stack()) {
    output.Line(Concat("  prim spec: ", SiteText(site)));
  }
  for (const v1::Explanation& explanation : response.explanations()) {
    PrintExplanation(explanation, json, output);
  }
  for (const v1::Warning& warning : response.warnings()) {
    output.Line(Concat("warning: ", warning.message()));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
