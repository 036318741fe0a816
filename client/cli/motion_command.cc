#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
#include "client/cli/commands.h"
#include "client/cli/packed_cell.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/shutter_options.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

absl::StatusOr<v1::ComputeTransformsRequest> MotionRequest(const CommandLine& line) {
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeTransformsRequest>(line));
  SD_ASSIGN_OR_RETURN(*request.mutable_sample_policy(), SamplePolicyOf(line));
  request.mutable_sample_policy()->set_with_sources(true);
  if (!line.Option("times")) {
    return UsageError("motion needs --times, around which the shutter opens");
  }
  return request;
}

bool HasAllSamples(const v1::MotionSamples& samples, size_t items, size_t matrices) {
  if (static_cast<size_t>(samples.counts_size()) != items) return false;
  size_t count = 0;
  for (const uint32_t n : samples.counts()) count += n;
  return static_cast<size_t>(samples.times_size()) == count &&
         static_cast<size_t>(samples.sources_size()) == count && matrices == count;
}

// Prints the items of a reply.
class MotionPrinter {
 public:
  MotionPrinter(const v1::ComputeTransformsRequest& request,
                const v1::ComputeTransformsResponse& reply, RecordFormat format, Output& output)
      : request_(request),
        reply_(reply),
        output_(output),
        thinned_(reply.samples().thinned_items().begin(), reply.samples().thinned_items().end()),
        records_(format,
                 {{"path"},
                  {"frame", true},
                  {"samples", true},
                  {"thinned", false, false},
                  {"time", true},
                  {"source"},
                  {"local_to_world", false, false}},
                 output) {}

  // Items must come in order.
  void Print(int path, int frame, int item) {
    const auto count = static_cast<int>(reply_.samples().counts(item));
    const bool thinned = thinned_.contains(static_cast<uint32_t>(item));
    if (records_.is_text()) {
      output_.Line(Concat(SafeText(request_.paths(path)), " at ",
                          TimeText(request_.times().times(frame)), ": ", count,
                          count == 1 ? " sample" : " samples",
                          thinned ? ", without some that are authored" : ""));
    }
    for (int i = 0; i < count; ++i, ++sample_) {
      const double time = reply_.samples().times(sample_);
      const std::string& source = reply_.samples().sources(sample_);
      if (records_.is_text()) {
        output_.Line(
            Concat("  ", FormatNumber(time), source.empty() ? "" : "  ", SafeText(source)));
        continue;
      }
      const auto sample = static_cast<size_t>(sample_);
      records_.Add(
          "", {request_.paths(path), TimeCell(request_.times().times(frame)), count, thinned, time,
               Cell::TextIfAny(source), PackedCell(reply_.local_to_world(), sample)});
    }
  }
  void Finish() { records_.Finish(); }

 private:
  const v1::ComputeTransformsRequest& request_;
  const v1::ComputeTransformsResponse& reply_;
  Output& output_;
  const std::unordered_set<uint32_t> thinned_;
  RecordPrinter records_;
  int sample_ = 0;  // the next one
};

}  // namespace

absl::Status RunMotion(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(v1::ComputeTransformsRequest request, MotionRequest(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeTransformsResponse reply, client.ComputeTransforms(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  const int frames = request.times().times_size();
  const int items = request.paths_size() * frames;
  if (!HasAllSamples(reply.samples(), static_cast<size_t>(items),
                     PackedElementCount(reply.local_to_world()))) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  MotionPrinter printer(request, reply, format, output);
  for (int item = 0; item < items; ++item) printer.Print(item / frames, item % frames, item);
  printer.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
