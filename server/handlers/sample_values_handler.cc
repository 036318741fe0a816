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
#include "server/check_count.h"
#include "server/converters/item_state.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_converter.h"
#include "server/error_info.h"
#include "server/queries/attribute_samples.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

absl::Status InvalidInterval(std::string_view why) {
  return WithReason(InvalidArgumentError(why), v1::ERROR_REASON_INVALID_TIME);
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

// Streams the samples of the items in order, as many as fit into a message.
class SampleStream final : public ChunkedStream<v1::SampleValuesResponse> {
 public:
  SampleStream(RequestContext& context, const ServerLimits& limits, LeasedStage leased,
               const v1::SampleValuesRequest& request, std::vector<TimeRange> intervals)
      : ChunkedStream(context, limits, ChunkBytes(request, limits),
                      "only arrays of numbers are sent in pieces"),
        leased_(std::move(leased)),
        paths_(request.paths().begin(), request.paths().end()),
        intervals_(std::move(intervals)),
        interpolation_(
            ParseInterpolation(request.interpolation(), leased_.session->interpolation())),
        most_of_item_(limits.max_interval_samples),
        most_of_reply_(limits.max_items),
        left_(limits.max_items) {}

 private:
  size_t ItemCount() const { return paths_.size() * intervals_.size(); }
  bool NoMoreItems() const override { return next_ == sample_count_ && item_ == ItemCount(); }
  const TimeRange& Interval() const { return intervals_[(item_ - 1) % intervals_.size()]; }

  absl::StatusOr<bool> Make(RequestContext& context, v1::SampleValuesResponse* message) override {
    if (NoMoreItems()) return false;
    while (HasRoom() && !NoMoreItems()) {
      budget().StartItem();
      v1::SampledItem* part = budget().Add(message->mutable_items());
      if (next_ == sample_count_) SD_RETURN_IF_ERROR(BeginItem(context, part));
      part->set_item(static_cast<uint32_t>(item_ - 1));
      while (HasRoom() && next_ != sample_count_) SD_RETURN_IF_ERROR(AddSample(context, part));
    }
    if (!std::exchange(started_, true)) message->set_snapshot(leased_.snapshot->fingerprint());
    SD_RETURN_IF_ERROR(budget().status());
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(message->mutable_warnings()));
    return true;
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
      budget().FillError(found, static_cast<uint32_t>(item_ - 1), part->mutable_error());
      return budget().status();
    }
    part->set_type_name(budget().Text((*query_)->type_name().text()));
    part->set_variation(VariationOf(**query_));
    part->set_sample_count(static_cast<uint32_t>(sample_count_));
    return absl::OkStatus();
  }

  absl::Status FindSamples(RequestContext& context) {
    const TimeRange& interval = Interval();
    auto samples =
        (*query_)->numeric().SamplesCovering(context, interval.first, interval.last, most_of_item_);
    if (!samples.ok()) return WithReason(samples.status(), v1::ERROR_REASON_REQUEST_TOO_LARGE);
    samples_ = *std::move(samples);
    next_ = 0;
    sample_count_ = std::max<size_t>(samples_.size(), 1);
    if (sample_count_ > left_) {
      left_ = 0;  // so that the items after this one fail as well
      return WithReason(
          ResourceExhaustedError("the reply would have more than ", most_of_reply_, " samples"),
          v1::ERROR_REASON_REQUEST_TOO_LARGE);
    }
    left_ -= sample_count_;
    return absl::OkStatus();
  }

  // Adds the next sample. Fails only if the request is over.
  absl::Status AddSample(RequestContext& context, v1::SampledItem* part) {
    budget().StartItem();
    v1::ValueSample* out = budget().Add(part->mutable_samples());
    const AttributeSample* sample = samples_.empty() ? nullptr : &samples_[next_];
    ++next_;
    FillSample(context, sample, out);
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), static_cast<uint32_t>(item_ - 1), out));
    if (out->has_error()) out->set_state(v1::ITEM_STATE_ERROR);
    if (sample == nullptr) return absl::OkStatus();
    out->set_time(sample->time);
    out->set_pre_time(sample->pre);
    return absl::OkStatus();
  }

  // `sample` is null if the attribute has none.
  void FillSample(RequestContext& context, const AttributeSample* sample, v1::ValueSample* out) {
    const AttributeQuery& query = **query_;
    Value value;
    absl::Status read = leased_.sources.ReadUntilStable([&](SourceSet*) {
      value = sample != nullptr ? query.Get(context, *sample, interpolation_)
                                : query.Get(context, TimeIn(Interval()), interpolation_);
    });
    if (read.ok() && value.is_invalid()) read = DataLossError(value.invalid_reason());
    if (read.ok()) {
      out->set_state(StateOf(value, query.numeric()));
      if (out->state() != v1::ITEM_STATE_VALUE) return;
      FillValue(value, budget(), out->mutable_value());
      out->set_state(FilledState(out->value()));
      read = CheckUnchanged(value);
    }
    if (read.ok()) return;
    budget().RestartItem();
    out->clear_value();
    budget().FillError(read, static_cast<uint32_t>(item_ - 1), out->mutable_error());
  }

  const LeasedStage leased_;
  const std::vector<std::string> paths_;
  const std::vector<TimeRange> intervals_;
  const Interpolation interpolation_;
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
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> SampleValues(const QueryState& state,
                                                           RequestContext& context,
                                                           const v1::SampleValuesRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeRange> intervals,
                      ParseIntervals(context, request, state.limits.max_times));
  const auto paths = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(paths * intervals.size(), state.limits.max_items, "items"));
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<SampleStream>(context, state.limits, std::move(leased), request,
                                               std::move(intervals));
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

}  // namespace stagedoor::server
