#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/value_batch.h"
#include "client/cli/attribute_advice.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// How long a call waits for changes; then the lease is renewed.
constexpr std::chrono::minutes kWatchTime{1};

// Prints the values of one attribute at the times of the command line.
class ValuePrinter {
 public:
  static absl::StatusOr<ValuePrinter> Create(const CommandLine& line) {
    SD_ASSIGN_OR_RETURN(std::vector<TimeArgument> times,
                        ParseTimes(line.Option("times").value_or("default")));
    SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
    SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
    return ValuePrinter(line.arguments()[1], std::move(times), std::move(json), format);
  }

  const std::string& path() const { return path_; }

  absl::Status Print(Client& client, const v1::StageRef& stage, Output& output) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage;
    request.add_paths(path_);
    for (const TimeArgument& time : times_) *request.mutable_times()->add_times() = time.time;
    SD_ASSIGN_OR_RETURN(v1::BatchGetValuesResponse response, client.BatchGetValues(request));
    const ValueBatch values(std::move(response));
    PrintWarnings(values.response().warnings(), output);
    for (size_t i = 0; i < times_.size(); ++i) SD_RETURN_IF_ERROR(values.status(0, i));
    RecordPrinter records(format_, {{"path"}, {"time", true}, {"state"}, {"value"}}, output);
    for (size_t i = 0; i < times_.size(); ++i) {
      const v1::Value value = values.GetValue(0, i);
      const std::string text = ValueText(value, json_);
      records.Add(Concat(times_[i].word, '\t', text),
                  {path_, TimeCell(times_[i].time), StateWord(value), ValueCell(value, text)});
    }
    records.Finish();
    return absl::OkStatus();
  }

 private:
  ValuePrinter(std::string path, std::vector<TimeArgument> times, JsonWriter json,
               RecordFormat format)
      : path_(std::move(path)), times_(std::move(times)), json_(std::move(json)), format_(format) {}

  std::string path_;
  std::vector<TimeArgument> times_;
  JsonWriter json_;
  RecordFormat format_;
};

// Prints the values now, and again whenever they may have changed, until the stage cannot be
// watched any more.
absl::Status Watch(Client& client, const StageLease& stage, ValuePrinter& printer, Output& output) {
  v1::WatchStageRequest request;
  request.mutable_stage()->set_handle(stage.ref().handle());
  request.add_paths(printer.path());
  const auto print = [&](const v1::WatchStageResponse& change) -> absl::Status {
    const bool first = request.stage().snapshot().empty();
    request.mutable_stage()->set_snapshot(change.snapshot());
    if (!first && change.resynced_paths().empty() && change.changed_infos().empty()) {
      return absl::OkStatus();
    }
    SD_RETURN_IF_ERROR(printer.Print(client, request.stage(), output));
    return output.Flush();
  };
  for (;;) {
    absl::Status ended = client.WatchStage(request, print, {.timeout = kWatchTime});
    if (!absl::IsDeadlineExceeded(ended)) return ended;
    v1::RenewLeaseRequest renew;
    renew.set_handle(stage.ref().handle());
    SD_RETURN_IF_ERROR(client.RenewLease(renew).status());
  }
}

}  // namespace

absl::Status RunGet(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(ValuePrinter printer, ValuePrinter::Create(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  absl::Status status = line.Flag("watch") ? Watch(client, stage, printer, output)
                                           : printer.Print(client, stage.ref(), output);
  if (status.ok()) return status;
  return WithAttributeAdvice(client, stage.ref(), printer.path(), std::move(status));
}

}  // namespace stagedoor
