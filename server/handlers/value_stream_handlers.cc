#include "server/handlers/value_stream_handlers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/error_info.h"
#include "server/handlers/attribute_samples.h"
#include "server/handlers/check_count.h"
#include "server/handlers/leased_stage.h"
#include "server/handlers/pin_or_copy_chunk.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxChunkBytes = 4 << 20;
constexpr size_t kTimesPerMessage = 64 << 10;

// Streams the items of a batch in order, and long arrays in chunks.
class ValueStream final : public ResponseStream<WireWriter> {
 public:
  ValueStream(RequestContext& context, size_t max_item_bytes, LeasedStage leased,
              const v1::StreamValuesRequest& request, std::vector<TimeCode> times,
              size_t chunk_bytes)
      : budget_(context, max_item_bytes, "only arrays of numbers are sent in pieces"),
        leased_(std::move(leased)),
        paths_(request.paths().begin(), request.paths().end()),
        times_(std::move(times)),
        interpolation_(
            ParseInterpolation(request.interpolation(), leased_.session->interpolation())),
        chunk_bytes_(chunk_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context, WireWriter* out) override {
    PinnedChunk chunk;
    if (array_offset_ < array_bytes_) {
      SD_RETURN_IF_ERROR(TakeChunk(&chunk));
    } else {
      if (item_ == paths_.size() * times_.size()) return false;
      const auto item = static_cast<uint32_t>(item_++);
      budget_.StartMessage();
      v1::StreamValuesResponse::ItemHeader header;
      FillItem(context, item, &header, &chunk);
      SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, item, &header));
      header.set_item(item);
      if (header.has_error()) header.set_state(v1::ITEM_STATE_ERROR);
      out->Message(v1::StreamValuesResponse::kHeaderFieldNumber, header);
    }
    if (!std::exchange(started_, true)) {
      out->Bytes(v1::StreamValuesResponse::kSnapshotFieldNumber, leased_.snapshot->fingerprint());
    }
    out->Chunk(v1::StreamValuesResponse::kDataFieldNumber, std::move(chunk));
    return true;
  }
  bool AtEnd() const override {
    return array_offset_ >= array_bytes_ && item_ == paths_.size() * times_.size();
  }

 private:
  void FillItem(RequestContext& context, uint32_t item,
                v1::StreamValuesResponse::ItemHeader* header, PinnedChunk* chunk) {
    const size_t path = item / times_.size();
    const TimeCode time = times_[item % times_.size()];
    const auto query = leased_.snapshot->FindAttribute(context, paths_[path]);
    if (!query.ok()) {
      return FillItemStatus(query.status(), item, header->mutable_error());
    }
    header->set_type_name(budget_.Text((*query)->type_name().text()));
    const absl::Status read = leased_.sources.ReadUntilStable([&](SourceSet*) {
      value_ = std::make_shared<const Value>((*query)->Get(context, time, interpolation_));
    });
    if (!read.ok()) return budget_.FillError(read, item, header->mutable_error());
    if (value_->is_invalid()) {
      return FillItemStatus(DataLossError(value_->invalid_reason()), item, header->mutable_error());
    }
    header->set_state(StateOf(*value_, (*query)->SourceFor(time)));
    if (header->state() != v1::ITEM_STATE_VALUE) return;
    v1::PackedValues packed;
    if (!FillPackedHeader(*value_, &packed)) {
      return FillValue(*value_, budget_, header->mutable_value());
    }
    *header->mutable_array() = std::move(packed);
    array_offset_ = 0;
    array_bytes_ = value_->array()->size() * PackedElementBytes(value_->type());
    if (const absl::Status taken = TakeChunk(chunk); !taken.ok()) {
      array_bytes_ = 0;
      header->clear_array();
      FillItemStatus(taken, item, header->mutable_error());
    }
  }

  // Takes the next bytes of the array. DATA_LOSS if the array is in a mapped file that has changed.
  absl::Status TakeChunk(PinnedChunk* chunk) {
    const size_t bytes = std::min(chunk_bytes_, array_bytes_ - array_offset_);
    if (bytes == 0) return absl::OkStatus();
    const char* from = static_cast<const char*>(value_->array()->raw_data()) + array_offset_;
    SD_ASSIGN_OR_RETURN(*chunk, PinOrCopyChunk({from, bytes}, value_, SourceOf(*value_)));
    array_offset_ += bytes;
    return absl::OkStatus();
  }

  ReplyBudget budget_;
  const LeasedStage leased_;
  const std::vector<std::string> paths_;
  const std::vector<TimeCode> times_;
  const Interpolation interpolation_;
  const size_t chunk_bytes_;
  bool started_ = false;
  size_t item_ = 0;
  std::shared_ptr<const Value> value_;  // the value whose array is being sent
  size_t array_offset_ = 0;
  size_t array_bytes_ = 0;
};

class TimeSampleStream final : public ResponseStream<v1::StreamTimeSamplesResponse> {
 public:
  // `interval` is null for all times.
  TimeSampleStream(LeasedStage leased, const v1::StreamTimeSamplesRequest& request,
                   std::optional<TimeRange> interval)
      : leased_(std::move(leased)), interval_(interval) {
    // The copy constructor would leak the fields copied so far if an allocation failed.
    request_.CopyFrom(request);
  }

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::StreamTimeSamplesResponse* response) override {
    if (next_ == range_.last && !NextPath()) return false;
    const auto path = static_cast<uint32_t>(path_ - 1);
    response->set_path_index(path);
    if (!std::exchange(started_, true)) response->set_snapshot(leased_.snapshot->fingerprint());
    if (begin_) {
      begin_ = false;
      const absl::Status status = LoadTimes(context);
      if (!status.ok()) {
        FillItemStatus(status, path, response->mutable_error());
        return true;
      }
    }
    const size_t last = std::min(range_.last, next_ + kTimesPerMessage);
    SD_RETURN_IF_ERROR(context.Check());
    response->mutable_times()->Add(times_.begin() + next_, times_.begin() + last);
    next_ = last;
    SD_RETURN_IF_ERROR(leased_.CheckRead());
    return true;
  }

 private:
  // Advances to the next path; false at the end.
  bool NextPath() {
    if (path_ == static_cast<size_t>(request_.paths_size())) return false;
    ++path_;
    begin_ = true;
    return true;
  }

  absl::Status LoadTimes(RequestContext& context) {
    times_ = Array<double>();
    range_ = {};
    next_ = 0;
    SD_ASSIGN_OR_RETURN(
        const auto query,
        leased_.snapshot->FindAttribute(context, request_.paths(static_cast<int>(path_ - 1))));
    const TimeRange* interval = interval_ ? &*interval_ : nullptr;
    times_ = SampleTimesCovering(context, query->numeric(), interval);
    range_ = FindSampleRange(times_, interval);
    next_ = range_.first;
    return absl::OkStatus();
  }

  const LeasedStage leased_;
  const std::optional<TimeRange> interval_;
  v1::StreamTimeSamplesRequest request_;
  bool started_ = false;
  size_t path_ = 0;  // index of the current path plus one
  bool begin_ = false;
  Array<double> times_;
  SampleRange range_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> StreamValues(ServerState& state,
                                                           RequestContext& context,
                                                           const v1::StreamValuesRequest& request) {
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_times));
  const auto paths = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(paths * times.size(), state.limits.max_items, "items"));
  const size_t chunk = request.chunk_bytes() == 0 ? state.limits.message_bytes
                                                  : std::max<size_t>(request.chunk_bytes(), 4096);
  return std::make_unique<ValueStream>(context, state.limits.max_item_bytes(), std::move(leased),
                                       request, std::move(times), std::min(chunk, kMaxChunkBytes));
}

absl::StatusOr<ResponseStreamPtr<v1::StreamTimeSamplesResponse>> StreamTimeSamples(
    ServerState& state, RequestContext&, const v1::StreamTimeSamplesRequest& request) {
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, request.stage()));
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  std::optional<TimeRange> interval;
  if (request.has_interval()) {
    SD_ASSIGN_OR_RETURN(interval, ParseInterval(request.interval()));
  }
  return std::make_unique<TimeSampleStream>(std::move(leased), request, interval);
}

}  // namespace stagedoor::server
