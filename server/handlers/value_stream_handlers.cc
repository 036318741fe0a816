#include "server/handlers/value_stream_handlers.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/source_bytes.h"
#include "server/check_count.h"
#include "server/converters/item_state.h"
#include "server/converters/packed_values.h"
#include "server/converters/pin_or_copy_chunk.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/queries/attribute_samples.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

// Streams the items of a batch in order, one in each message. Small arrays are in their message,
// others follow it; neither is copied, unless it is in a mapped file.
class ValueStream final : public ChunkedStream<WireWriter> {
 public:
  ValueStream(RequestContext& context, const ServerLimits& limits, LeasedStage leased,
              const v1::StreamValuesRequest& request, std::vector<TimeCode> times)
      : ChunkedStream(context, limits, ChunkBytes(request, limits),
                      "only arrays of numbers are sent in pieces", /*reserves=*/false),
        leased_(std::move(leased)),
        paths_(request.paths().begin(), request.paths().end()),
        times_(std::move(times)),
        interpolation_(
            ParseInterpolation(request.interpolation(), leased_.session->interpolation())) {}

 private:
  absl::StatusOr<bool> Make(RequestContext& context, WireWriter* out) override {
    if (NoMoreItems()) return false;
    const auto item = static_cast<uint32_t>(item_++);
    budget().StartItem();
    v1::StreamValuesResponse message;
    WireWriter value;
    FillItem(context, item, &message, &value);
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), item, &message));
    message.set_item(item);
    if (message.has_error()) message.set_state(v1::ITEM_STATE_ERROR);
    if (!std::exchange(started_, true)) message.set_snapshot(leased_.snapshot->fingerprint());
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(message.mutable_warnings()));
    out->Fields(message);
    if (!message.has_error() && !value.empty()) {
      out->Message(v1::StreamValuesResponse::kValueFieldNumber, std::move(value));
    }
    return true;
  }
  bool NoMoreItems() const override { return item_ == paths_.size() * times_.size(); }

  // Fills an item, or writes its value to `in_wire_form`.
  void FillItem(RequestContext& context, uint32_t item, v1::StreamValuesResponse* out,
                WireWriter* in_wire_form) {
    const size_t path = item / times_.size();
    const TimeCode time = times_[item % times_.size()];
    const auto query = leased_.snapshot->FindAttribute(context, paths_[path]);
    if (!query.ok()) return budget().FillError(query.status(), item, out->mutable_error());
    out->set_type_name(budget().Text((*query)->type_name().text()));
    Value value;
    absl::Status read = leased_.sources.ReadUntilStable(
        [&](SourceSet*) { value = (*query)->Get(context, time, interpolation_); });
    if (read.ok()) read = CheckUnchanged(value);
    if (read.ok() && value.is_invalid()) read = DataLossError(value.invalid_reason());
    if (!read.ok()) return budget().FillError(read, item, out->mutable_error());
    out->set_state(StateOf(value, (*query)->SourceFor(time)));
    if (out->state() != v1::ITEM_STATE_VALUE) return;
    if (!IsPackedArray(value) || !FitsMessage(value)) {
      FillValue(value, budget(), out->mutable_value());
      return out->set_state(FilledState(out->value()));
    }
    v1::PackedValues header;
    if (FillIfKnown(value.type(), *value.array(), budget(), &header)) {
      out->set_state(v1::ITEM_STATE_UNCHANGED);
      // Not mutable_array_value(), which marks it as set before it allocates it.
      auto known = std::make_unique<v1::PackedValues>(std::move(header));
      return out->mutable_value()->set_allocated_array_value(known.release());
    }
    read = WriteArray(value, &header, in_wire_form);
    if (!read.ok()) budget().FillError(read, item, out->mutable_error());
  }

  bool FitsMessage(const Value& value) {
    const size_t bytes = value.array()->size() * PackingOf(value.type()).bytes;
    return budget().arrays()->Inlines(bytes, budget().message_bytes());
  }

  // Writes the fields of a v1::Value; `header` may have a digest. DATA_LOSS if the array is in a
  // mapped file that has changed.
  absl::Status WriteArray(const Value& value, v1::PackedValues* header, WireWriter* out) {
    const Packing packing = PackingOf(value.type());
    const std::string_view bytes(static_cast<const char*>(value.array()->raw_data()),
                                 value.array()->size() * packing.bytes);
    FillPackedHeader(packing, value.array()->size(), header);
    WireWriter array;
    array.Fields(*header);
    if (!bytes.empty()) {
      SD_ASSIGN_OR_RETURN(
          PinnedChunk chunk,
          PinOrCopyChunk(bytes, std::make_shared<const Value>(value), SourceOf(value)));
      array.Chunk(v1::PackedValues::kDataFieldNumber, std::move(chunk));
    }
    out->Message(v1::Value::kArrayValueFieldNumber, std::move(array));
    return absl::OkStatus();
  }

  const LeasedStage leased_;
  const std::vector<std::string> paths_;
  const std::vector<TimeCode> times_;
  const Interpolation interpolation_;
  bool started_ = false;
  size_t item_ = 0;
};

// Streams the sample times of paths, one path in each message.
class TimeSampleStream final : public ChunkedStream<v1::StreamTimeSamplesResponse> {
 public:
  // `interval` is null for all times.
  TimeSampleStream(RequestContext& context, const ServerLimits& limits, LeasedStage leased,
                   const v1::StreamTimeSamplesRequest& request, std::optional<TimeRange> interval)
      : ChunkedStream(context, limits, ChunkBytes(request, limits), "request fewer paths"),
        leased_(std::move(leased)),
        interval_(interval) {
    // The copy constructor would leak the fields copied so far if an allocation failed.
    request_.CopyFrom(request);
  }

 private:
  absl::StatusOr<bool> Make(RequestContext& context,
                            v1::StreamTimeSamplesResponse* response) override {
    if (path_ == request_.paths_size()) return false;
    SD_RETURN_IF_ERROR(context.Check());
    budget().StartItem();
    if (path_ == 0) response->set_snapshot(leased_.snapshot->fingerprint());
    response->set_path_index(static_cast<uint32_t>(path_));
    const absl::Status status = FillTimes(context, response);
    if (!status.ok()) {
      budget().FillError(status, static_cast<uint32_t>(path_), response->mutable_error());
    }
    ++path_;
    SD_RETURN_IF_ERROR(budget().status());
    SD_RETURN_IF_ERROR(leased_.CheckRead());
    return true;
  }

  absl::Status FillTimes(RequestContext& context, v1::StreamTimeSamplesResponse* response) {
    SD_ASSIGN_OR_RETURN(const auto query,
                        leased_.snapshot->FindAttribute(context, request_.paths(path_)));
    const TimeRange* interval = interval_ ? &*interval_ : nullptr;
    const Array<double> times = SampleTimesCovering(context, query->numeric(), interval);
    const SampleRange range = FindSampleRange(times, interval);
    const auto part =
        Array<double>::View(times.data() + range.first, range.last - range.first, times.owner());
    FillPackedArray(ValueType::kDouble, part, budget(), response->mutable_times());
    return absl::OkStatus();
  }

  const LeasedStage leased_;
  const std::optional<TimeRange> interval_;
  v1::StreamTimeSamplesRequest request_;
  int path_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamValues(const QueryState& state,
                                                           RequestContext& context,
                                                           const v1::StreamValuesRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_times));
  const auto paths = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(paths * times.size(), state.limits.max_items, "items"));
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<ValueStream>(context, state.limits, std::move(leased), request,
                                              std::move(times));
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamTimeSamples(
    const QueryState& state, RequestContext& context, const v1::StreamTimeSamplesRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  std::optional<TimeRange> interval;
  if (request.has_interval()) {
    SD_ASSIGN_OR_RETURN(interval, ParseInterval(request.interval()));
  }
  // The stream calls the engine, and fills the messages.
  return std::make_unique<TimeSampleStream>(context, state.limits, std::move(leased), request,
                                            interval);
}

}  // namespace stagedoor::server
