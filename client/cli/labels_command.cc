#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

absl::StatusOr<v1::ComputeLabelsRequest> LabelsRequest(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeLabelsRequest>(line));
  for (const std::string& taxonomy : line.Options("taxonomy")) request.add_taxonomies(taxonomy);
  const auto interval = line.Option("interval");
  if (!interval) return request;
  if (line.Option("times")) return UsageError("--interval and --times exclude each other");
  request.clear_times();
  SD_ASSIGN_OR_RETURN(*request.mutable_interval(), ParseInterval(*interval));
  return request;
}

using Labels = google::protobuf::RepeatedPtrField<std::string>;

std::string JoinedLabels(const Labels& labels) {
  std::string text;
  for (const std::string& label : labels) {
    text += Concat(text.empty() ? "" : ", ", SafeText(label.empty() ? "\"\"" : label));
  }
  return text;
}

// Prints the items of a reply.
class LabelsPrinter {
 public:
  LabelsPrinter(const v1::ComputeLabelsRequest& request, const v1::ComputeLabelsResponse& reply,
                RecordFormat format, Output& output)
      : request_(request),
        reply_(reply),
        records_(format, {{"path"}, {"time", true}, {"taxonomy"}, {"direct"}, {"inherited"}},
                 output) {}

  absl::Status PrintAll() {
    const int times = request_.has_interval() ? 1 : request_.times().times_size();
    if (reply_.answer_size() != int64_t{request_.paths_size()} * times) return Inconsistent();
    for (int item = 0; item < reply_.answer_size(); ++item) {
      const uint32_t number = reply_.answer(item);
      if (number > static_cast<uint32_t>(reply_.answers_size())) return Inconsistent();
      if (number == 0) continue;
      Print(item / times, item % times, reply_.answers(static_cast<int>(number) - 1));
    }
    records_.Finish();
    return absl::OkStatus();
  }

 private:
  static absl::Status Inconsistent() { return DataLossError("the daemon's reply is inconsistent"); }

  void Print(int path, int time, const v1::PrimLabels& answer) {
    std::string text = SafeText(request_.paths(path));
    Cell time_cell;
    if (!request_.has_interval()) {
      time_cell = TimeCell(request_.times().times(time));
      if (request_.times().times_size() > 1) {
        text += Concat(" at ", TimeText(request_.times().times(time)));
      }
    }
    for (const v1::TaxonomyLabels& labels : answer.taxonomies()) {
      const std::string line = records_.is_text() ? Concat(text, "  ", TextOf(labels)) : "";
      records_.Add(line, {request_.paths(path), time_cell, labels.taxonomy(),
                          Cell::List(labels.direct()), Cell::List(labels.inherited())});
    }
  }
  // "kind: ball, toy (all: ball, red, toy)".
  static std::string TextOf(const v1::TaxonomyLabels& labels) {
    std::string text = Concat(SafeText(labels.taxonomy()), ":");
    if (!labels.direct().empty()) text += Concat(" ", JoinedLabels(labels.direct()));
    if (labels.inherited_size() != labels.direct_size()) {
      text += Concat(" (with inherited ones: ", JoinedLabels(labels.inherited()), ")");
    }
    return text;
  }

  const v1::ComputeLabelsRequest& request_;
  const v1::ComputeLabelsResponse& reply_;
  RecordPrinter records_;
};

}  // namespace

absl::Status RunLabels(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(v1::ComputeLabelsRequest request, LabelsRequest(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeLabelsResponse reply, client.ComputeLabels(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  return LabelsPrinter(request, reply, format, output).PrintAll();
}

}  // namespace stagedoor
