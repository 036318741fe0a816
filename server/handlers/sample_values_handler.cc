#include "server/handlers/sample_values_handler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
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

constexpr size_t kLeastChunkBytes = 4 << 10;
constexpr size_t kMostChunkBytes = 3 << 20;
// Arrays of up to this size are sent in their samples, so that a message can have many.
constexpr size_t kInlineArrayBytes = 4 << 10;

absl::Status InvalidInterval(std::string_view why) {
  return WithReason(InvalidArgumentError(why), reason::kInvalidTime);
}

absl::StatusOr<std::vector<TimeRange>> ParseIntervals(RequestContext& context,
                                                      const v1::SampleValuesRequest& request,
                                                      size_t most) {
  const auto count = static_cast<size_t>(request.intervals_size());
  if (count == 0) return InvalidInterval("the request has no intervals");
  SD_RETURN_IF_ERROR(CheckCount(count, most, "intervals"));
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(TimeRange), "the intervals of a request"));
  std::vector<TimeRange> ranges;
  ranges.reserve(count);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const v1::TimeInterval& interval : request.intervals()) {
    SD_ASSIGN_OR_RETURN(const TimeRange range, ParseInterval(interval));
    if (range.first > range.last) return InvalidInterval("an interval ends before it starts");
    if (range.first == kInfinity || range.last == -kInfinity) {
      return InvalidInterval("an interval has no finite times");
    }
    ranges.push_back(range);
  }
  return ranges;
}

// Any finite time of an interval.
TimeCode TimeIn(const TimeRange& range) {
  if (std::isfinite(range.first)) return TimeCode::At(range.first);
  return TimeCode::At(std::isfinite(range.last) ? range.last : 0);
}

v1::ValueVariation VariationOf(const AttributeQuery& query) {
  const AttributeSource& source = query.numeric();
  if (query.is_steady()) return v1::VALUE_VARIATION_CONSTANT;
  const bool spline = source.kind() == ResolveInfoSource::kSpline ||
                      (source.clip_attribute() != nullptr && source.clip_attribute()->has_spline());
  return spline ? v1::VALUE_VARIATION_SPLINE : v1::VALUE_VARIATION_SAMPLED;
}

// Streams the samples of the items in order: as many as fit into a message, but long arrays in
// chunks, of which the first ends the message that has the sample.
class SampleStream final : public ResponseStream<WireWriter> {
 public:
  SampleStream(RequestContext& context, const ServerLimits& limits, LeasedStage leased,
               const v1::SampleValuesRequest& request, std::vector<TimeRange> intervals)
      : budget_(context, limits.max_item_bytes(), "only arrays of numbers are sent in pieces"),
        leased_(std::move(leased)),
        paths_(request.paths().begin(), request.paths().end()),
        intervals_(std::move(intervals)),
        interpolation_(
            ParseInterpolation(request.interpolation(), leased_.session->interpolation())),
        chunk_bytes_(std::clamp<size_t>(
            request.chunk_bytes() == 0 ? limits.message_bytes : request.chunk_bytes(),
            kLeastChunkBytes, kMostChunkBytes)),
        message_bytes_(std::min(limits.message_bytes, kMostChunkBytes)),
        most_of_item_(limits.max_interval_samples),
        most_of_reply_(limits.max_items),
        left_(limits.max_items) {}

  absl::StatusOr<bool> Next(RequestContext& context, WireWriter* out) override {
    if (AtEnd()) return false;
    budget_.StartMessage();
    v1::SampleValuesResponse message;
    PinnedChunk chunk;
    if (array_offset_ < array_bytes_) {
      SD_RETURN_IF_ERROR(TakeChunk(chunk_bytes_, &chunk));
    } else {
      SD_RETURN_IF_ERROR(FillItems(context, &message, &chunk));
    }
    if (!std::exchange(started_, true)) message.set_snapshot(leased_.snapshot->fingerprint());
    out->Fields(message);
    out->Chunk(v1::SampleValuesResponse::kDataFieldNumber, std::move(chunk));
    return true;
  }

  bool AtEnd() const override {
    return array_offset_ >= array_bytes_ && next_ == sample_count_ && item_ == ItemCount();
  }

 private:
  size_t ItemCount() const { return paths_.size() * intervals_.size(); }
  bool IsFull() const { return budget_.message_bytes() >= message_bytes_; }
  const TimeRange& Interval() const { return intervals_[(item_ - 1) % intervals_.size()]; }

  // Fills a message until it is full, or has a sample whose array is sent in chunks.
  absl::Status FillItems(RequestContext& context, v1::SampleValuesResponse* message,
                         PinnedChunk* chunk) {
    while (!IsFull() && (next_ != sample_count_ || item_ != ItemCount())) {
      budget_.StartItem();
      v1::SampledItem* part = budget_.Add(message->mutable_items());
      if (next_ == sample_count_) SD_RETURN_IF_ERROR(BeginItem(context, part));
      part->set_item(static_cast<uint32_t>(item_ - 1));
      while (!IsFull() && next_ != sample_count_) {
        SD_RETURN_IF_ERROR(AddSample(context, part, chunk));
        if (part->samples().rbegin()->has_array()) return budget_.status();
      }
    }
    return budget_.status();
  }

  // Starts the next item. Fails only if the request is over.
  absl::Status BeginItem(RequestContext& context, v1::SampledItem* part) {
    const size_t path = item_ / intervals_.size();
    if (query_path_ != path) {
      query_ = leased_.snapshot->FindAttribute(context, paths_[path]);
      query_path_ = path;
    }
    ++item_;
    const absl::Status found = query_.ok() ? FindSamples(context) : query_.status();
    SD_RETURN_IF_ERROR(context.Check());
    if (!found.ok()) {
      sample_count_ = next_ = 0;
      budget_.FillError(found, static_cast<uint32_t>(item_ - 1), part->mutable_error());
      return budget_.status();
    }
    part->set_type_name(budget_.Text((*query_)->type_name().text()));
    part->set_variation(VariationOf(**query_));
    part->set_sample_count(static_cast<uint32_t>(sample_count_));
    return absl::OkStatus();
  }

  absl::Status FindSamples(RequestContext& context) {
    const TimeRange& interval = Interval();
    auto samples =
        (*query_)->numeric().SamplesCovering(context, interval.first, interval.last, most_of_item_);
    if (!samples.ok()) return WithReason(samples.status(), reason::kRequestTooLarge);
    samples_ = *std::move(samples);
    next_ = 0;
    sample_count_ = std::max<size_t>(samples_.size(), 1);
    if (sample_count_ > left_) {
      left_ = 0;  // so that the items after this one fail as well
      return WithReason(
          ResourceExhaustedError("the reply would have more than ", most_of_reply_, " samples"),
          reason::kRequestTooLarge);
    }
    left_ -= sample_count_;
    return absl::OkStatus();
  }

  // Adds the next sample. Fails only if the request is over.
  absl::Status AddSample(RequestContext& context, v1::SampledItem* part, PinnedChunk* chunk) {
    budget_.StartItem();
    v1::ValueSample* out = budget_.Add(part->mutable_samples());
    const AttributeSample* sample = samples_.empty() ? nullptr : &samples_[next_];
    ++next_;
    FillSample(context, sample, out, chunk);
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, static_cast<uint32_t>(item_ - 1), out));
    if (out->has_error()) out->set_state(v1::ITEM_STATE_ERROR);
    if (sample == nullptr) return absl::OkStatus();
    out->set_time(sample->time);
    out->set_pre_time(sample->pre);
    return absl::OkStatus();
  }

  // `sample` is null if the attribute has none.
  void FillSample(RequestContext& context, const AttributeSample* sample, v1::ValueSample* out,
                  PinnedChunk* chunk) {
    const AttributeQuery& query = **query_;
    Value value;
    absl::Status read = leased_.sources.ReadUntilStable([&](SourceSet*) {
      value = sample != nullptr ? query.Get(context, *sample, interpolation_)
                                : query.Get(context, TimeIn(Interval()), interpolation_);
    });
    if (read.ok() && value.is_invalid()) read = DataLossError(value.invalid_reason());
    if (read.ok()) {
      out->set_state(StateOf(value, query.numeric()));
      if (out->state() == v1::ITEM_STATE_VALUE)
        read = FillSampleValue(std::move(value), out, chunk);
    }
    if (read.ok()) return;
    out->clear_value();
    out->clear_array();
    budget_.FillError(read, static_cast<uint32_t>(item_ - 1), out->mutable_error());
  }

  // DATA_LOSS if the value is in a mapped file that has changed.
  absl::Status FillSampleValue(Value value, v1::ValueSample* out, PinnedChunk* chunk) {
    v1::PackedValues packed;
    const size_t bytes = FillPackedHeader(value, &packed)
                             ? value.array()->size() * PackedElementBytes(value.type())
                             : 0;
    if (bytes <= kInlineArrayBytes) {
      FillValue(value, budget_, out->mutable_value());
      return CheckUnchanged(value);
    }
    *out->mutable_array() = std::move(packed);
    array_ = std::make_shared<const Value>(std::move(value));
    array_offset_ = 0;
    array_bytes_ = bytes;
    // If there is little room left, the next message has the first chunk.
    const size_t room = chunk_bytes_ - std::min(chunk_bytes_, budget_.message_bytes());
    const absl::Status taken = room < kLeastChunkBytes ? absl::OkStatus() : TakeChunk(room, chunk);
    if (!taken.ok()) array_offset_ = array_bytes_ = 0;
    return taken;
  }

  // Takes up to `most` of the next bytes of the array. DATA_LOSS if the array is in a mapped file
  // that has changed.
  absl::Status TakeChunk(size_t most, PinnedChunk* chunk) {
    const size_t bytes = std::min(most, array_bytes_ - array_offset_);
    const char* from = static_cast<const char*>(array_->array()->raw_data()) + array_offset_;
    SD_ASSIGN_OR_RETURN(*chunk, PinOrCopyChunk({from, bytes}, array_, SourceOf(*array_)));
    array_offset_ += bytes;
    if (array_offset_ == array_bytes_) array_ = nullptr;
    return absl::OkStatus();
  }

  ReplyBudget budget_;
  const LeasedStage leased_;
  const std::vector<std::string> paths_;
  const std::vector<TimeRange> intervals_;
  const Interpolation interpolation_;
  const size_t chunk_bytes_;
  const size_t message_bytes_;
  const size_t most_of_item_;
  const size_t most_of_reply_;
  size_t left_;  // samples that the reply may still have
  bool started_ = false;

  size_t item_ = 0;  // the number of items begun
  size_t query_path_ = std::numeric_limits<size_t>::max();
  absl::StatusOr<AttributeQueryTable::Pointer> query_ = nullptr;  // that of query_path_
  std::vector<AttributeSample> samples_;                          // of the latest item
  size_t sample_count_ = 0;  // 1 for an attribute without samples
  size_t next_ = 0;          // the next sample of the latest item

  std::shared_ptr<const Value> array_;  // the array being sent in chunks
  size_t array_offset_ = 0;
  size_t array_bytes_ = 0;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> SampleValues(ServerState& state,
                                                           RequestContext& context,
                                                           const v1::SampleValuesRequest& request) {
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeRange> intervals,
                      ParseIntervals(context, request, state.limits.max_times));
  const auto paths = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(paths * intervals.size(), state.limits.max_items, "items"));
  return std::make_unique<SampleStream>(context, state.limits, std::move(leased), request,
                                        std::move(intervals));
}

}  // namespace stagedoor::server
