#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
#include "client/cc/sample_assembler.h"
#include "client/cli/attribute_advice.h"
#include "client/cli/commands.h"
#include "client/cli/progress_line.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

void PrintClips(uint64_t open, uint64_t skipped, Output& output) {
  output.Line(Concat(open, " clips open"));
  if (skipped == 0) return;
  output.Line(Concat(skipped, " clips not opened: the budget of the clip cache is exhausted"));
}

absl::Status FirstError(const google::protobuf::RepeatedPtrField<v1::ItemStatus>& errors) {
  if (errors.empty()) return absl::OkStatus();
  return MakeStatus(static_cast<absl::StatusCode>(errors[0].code()), errors[0].message());
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
  output.problems().errors += result.error_count();
  const uint64_t more = result.error_count() - static_cast<uint64_t>(result.errors_size());
  if (more != 0) output.Line(Concat(more, " more errors"));
}

template <typename Request>
absl::Status SetInterval(const CommandLine& line, Request& request) {
  const auto text = line.Option("interval");
  if (!text.has_value()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(*request.mutable_interval(), ParseInterval(*text));
  return absl::OkStatus();
}

// The cell of a sample's time: nothing for a value that is not that of a time.
Cell SampleTimeCell(const AttributeSamples::Sample& sample) {
  return sample.time ? Cell(*sample.time) : Cell();
}

std::string SampleTimeText(const AttributeSamples::Sample& sample) {
  if (!sample.time) return "-";
  return Concat(sample.pre_time ? "pre:" : "", FormatNumber(*sample.time));
}

// Prints the samples of an attribute for all intervals with their values.
absl::Status PrintSampleValues(Client& client, const CommandLine& line, const StageLease& stage,
                               Output& output) {
  v1::SampleValuesRequest request;
  const std::vector<std::string> intervals = line.Options("interval");
  for (const std::string& text : intervals) {
    SD_ASSIGN_OR_RETURN(*request.add_intervals(), ParseInterval(text));
  }
  if (intervals.empty()) request.add_intervals();
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  RecordPrinter records(
      format, {{"path"}, {"interval"}, {"time", true}, {"pre"}, {"state"}, {"value"}}, output);
  SampleAssembler assembler([&](const AttributeSamples& item) {
    SD_RETURN_IF_ERROR(item.status);
    const std::string interval = intervals.empty() ? "" : intervals[item.item % intervals.size()];
    if (intervals.size() > 1 && records.is_text()) output.Line(Concat(interval, ":"));
    for (const AttributeSamples::Sample& sample : item.samples) {
      SD_RETURN_IF_ERROR(sample.status);
      const std::string value = ValueText(sample.value, json);
      records.Add(Concat(SampleTimeText(sample), '\t', value),
                  {line.arguments()[1], Cell::TextIfAny(interval), SampleTimeCell(sample),
                   sample.pre_time, StateWord(sample.value), ValueCell(sample.value, value)});
    }
    return output.status();
  });
  SD_RETURN_IF_ERROR(client.SampleValues(request, [&](const v1::SampleValuesResponse& part) {
    PrintWarnings(part.warnings(), output);
    return assembler.Add(part);
  }));
  SD_RETURN_IF_ERROR(assembler.Finish());
  records.Finish();
  return absl::OkStatus();
}

// Prints the times of the samples.
absl::Status PrintSampleTimes(Client& client, const CommandLine& line, const StageLease& stage,
                              Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::ListTimeSamplesRequest request;
  SD_RETURN_IF_ERROR(SetInterval(line, request));
  *request.mutable_stage() = stage.ref();
  request.add_paths(line.arguments()[1]);
  SD_ASSIGN_OR_RETURN(const v1::ListTimeSamplesResponse response, client.ListTimeSamples(request));
  if (!response.path_errors().empty()) return ItemError(response.path_errors(0));
  RecordPrinter records(format, {{"path"}, {"time", true}}, output);
  std::string text;
  for (const v1::AttributeTimeSamples& samples : response.attributes()) {
    for (const double time : PackedNumbers<double>(samples.times())) {
      text.append(text.empty() ? "" : " ").append(FormatNumber(time));
      if (!records.is_text()) records.Add("", {line.arguments()[1], time});
    }
  }
  if (records.is_text()) output.Line(text);
  records.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Status RunSamples(Client& client, const CommandLine& line, Output& output) {
  // Before the stage is opened, which takes longer.
  for (const std::string& text : line.Options("interval")) {
    SD_RETURN_IF_ERROR(ParseInterval(text).status());
  }
  SD_RETURN_IF_ERROR(RecordFormatOf(line).status());
  SD_RETURN_IF_ERROR(MakeValueWriter(line).status());
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  absl::Status status = line.Flag("values") ? PrintSampleValues(client, line, stage, output)
                                            : PrintSampleTimes(client, line, stage, output);
  if (status.ok()) return status;
  return WithAttributeAdvice(client, stage.ref(), line.arguments()[1], std::move(status));
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
  ProgressLine shown;
  SD_RETURN_IF_ERROR(client.WarmStage(request, [&](const v1::WarmStageResponse& response) {
    if (response.has_result()) {
      result = response.result();
    } else if (progress) {
      output.Line(ProgressText(response));
      return output.Flush();
    } else {
      shown.Show(ProgressText(response));
    }
    return absl::OkStatus();
  }));
  shown.Clear();
  PrintWarmed(result, output);
  return FirstError(result.errors());
}

}  // namespace stagedoor
