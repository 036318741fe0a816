#include "server/handlers/value_handlers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/source_bytes.h"
#include "server/converters/prim_converter.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_column_builder.h"
#include "server/errors.h"

namespace stagedoor {
namespace {

using Paths = google::protobuf::RepeatedPtrField<std::string>;
using Attributes = std::vector<AttributeTable::Pointer>;

// How often a loop asks whether the client is still there.
constexpr size_t kCheckEvery = 256;

// The attributes of a batch; those that are not there are null and told in `errors`.
absl::StatusOr<Attributes> FindAttributes(
    RequestContext& context, const StageSnapshot& snapshot, const Paths& paths,
    google::protobuf::RepeatedPtrField<v1::ItemStatus>* errors) {
  const std::vector<std::string_view> texts(paths.begin(), paths.end());
  Attributes attributes(texts.size());
  SD_RETURN_IF_ERROR(snapshot.FindAttributes(
      context, texts, [&](size_t i, absl::StatusOr<AttributeTable::Pointer> found) -> absl::Status {
        if (i % kCheckEvery == 0) SD_RETURN_IF_ERROR(context.Check());
        if (found.ok()) {
          attributes[i] = *std::move(found);
        } else {
          FillItemStatus(found.status(), static_cast<uint32_t>(i), errors->Add());
        }
        return absl::OkStatus();
      }));
  return attributes;
}

absl::Status CheckBatch(const ServerLimits& limits, size_t paths, size_t times) {
  SD_RETURN_IF_ERROR(CheckCount(paths, limits.max_paths, "paths"));
  return CheckCount(paths * times, limits.max_items, "items");
}

// Whether a source that gives no value does so because a layer blocks it: where there are samples,
// curves or clips, nothing else leaves a time without a value.
bool EmptyIsBlocked(const AttributeSource& source) {
  return source.blocked() || source.kind() == SourceKind::kTimeSamples ||
         source.kind() == SourceKind::kSpline || source.kind() == SourceKind::kValueClips;
}

// One BatchGetValues.
class ValueBatchFiller {
 public:
  ValueBatchFiller(RequestContext& context, const ServerLimits& limits, Interpolation interpolation,
                   const std::vector<Time>& times, v1::BatchGetValuesResponse* response)
      : context_(context),
        limits_(limits),
        interpolation_(interpolation),
        times_(times),
        response_(response),
        columns_(response) {}

  // `views` gets the sources of arrays that are views into files.
  absl::Status Fill(const Attributes& attributes, SourceSet* views) {
    views_ = views;
    uint32_t item = 0;
    for (const auto& attribute : attributes) {
      for (const Time time : times_) {
        if (item % kCheckEvery == 0) SD_RETURN_IF_ERROR(CheckOn());
        if (attribute != nullptr) AddValue(*attribute, time, item);
        ++item;
      }
    }
    SD_RETURN_IF_ERROR(CheckOn());
    context_.Add(Counter::kValuesResolved, item);
    columns_.Finish(item);
    return absl::OkStatus();
  }

 private:
  absl::Status CheckOn() const {
    SD_RETURN_IF_ERROR(context_.Check());
    if (columns_.array_bytes() <= limits_.max_reply_bytes) return absl::OkStatus();
    return WithReason(ResourceExhaustedError("the values have more than ", limits_.max_reply_bytes,
                                             " bytes: ask for fewer, or use StreamValues"),
                      reason::kRequestTooLarge);
  }

  void AddValue(const CompiledAttribute& attribute, Time time, uint32_t item) {
    const AttributeSource& source = attribute.SourceFor(time);
    const Value value = attribute.attribute.Get(context_, source, time, interpolation_);
    if (value.is_invalid()) {
      FillItemStatus(DataLossError(value.invalid_reason()), item, response_->add_item_errors());
    } else if (absl::Status known = CheckKnown(value); !known.ok()) {
      FillItemStatus(known, item, response_->add_item_errors());
    } else if (value.is_block() || (value.empty() && EmptyIsBlocked(source))) {
      response_->add_blocked_items(item);
    } else if (!value.empty()) {
      columns_.Add(item, attribute.type_name, value);
      views_->Add(value);
    }
  }

  RequestContext& context_;
  const ServerLimits& limits_;
  const Interpolation interpolation_;
  const std::vector<Time>& times_;
  v1::BatchGetValuesResponse* const response_;
  SourceSet* views_ = nullptr;
  ValueColumnBuilder columns_;
};

}  // namespace

absl::Status BatchGetValues(ServerState& state, RequestContext& context,
                            const v1::BatchGetValuesRequest& request,
                            v1::BatchGetValuesResponse* response) {
  SD_ASSIGN_OR_RETURN(const StageUse use, UseStage(state, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<Time> times, ParseTimes(request.times(), state.limits.max_times));
  SD_RETURN_IF_ERROR(
      CheckBatch(state.limits, static_cast<size_t>(request.paths_size()), times.size()));
  response->set_snapshot(use.snapshot->number());
  response->set_path_count(static_cast<uint32_t>(request.paths_size()));
  response->set_time_count(static_cast<uint32_t>(times.size()));
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(context, *use.snapshot, request.paths(), response->mutable_path_errors()));
  if (request.with_sources()) {
    for (const auto& attribute : attributes) {
      response->add_sources(attribute == nullptr ? v1::VALUE_SOURCE_UNSPECIFIED
                                                 : ToWire(attribute->numeric.kind()));
    }
  }
  const Interpolation interpolation =
      ParseInterpolation(request.interpolation(), use.session->interpolation());
  absl::Status filled;
  SD_RETURN_IF_ERROR(use.sources.Settle([&](SourceSet* views) {
    response->clear_columns();
    response->clear_blocked_items();
    response->clear_item_errors();
    filled = ValueBatchFiller(context, state.limits, interpolation, times, response)
                 .Fill(attributes, views);
  }));
  return filled;
}

Array<double> TimesAround(RequestContext& context, const AttributeSource& source,
                          const v1::TimeInterval* interval) {
  if (interval == nullptr) return source.SampleTimes(context);
  return source.SampleTimesIn(context, interval->start(), interval->end());
}

absl::StatusOr<TimeSlice> SliceOf(const Array<double>& times, const v1::TimeInterval* interval) {
  if (interval == nullptr) return TimeSlice{0, times.size()};
  if (std::isnan(interval->start()) || std::isnan(interval->end())) {
    return WithReason(InvalidArgumentError("an end of the interval is nan"), reason::kInvalidTime);
  }
  const auto first = interval->start_open()
                         ? std::upper_bound(times.begin(), times.end(), interval->start())
                         : std::lower_bound(times.begin(), times.end(), interval->start());
  const auto last = interval->end_open()
                        ? std::lower_bound(times.begin(), times.end(), interval->end())
                        : std::upper_bound(times.begin(), times.end(), interval->end());
  const auto index = [&](const double* at) { return static_cast<size_t>(at - times.begin()); };
  return TimeSlice{index(first), std::max(index(first), index(last))};
}

absl::Status ListTimeSamples(ServerState& state, RequestContext& context,
                             const v1::ListTimeSamplesRequest& request,
                             v1::ListTimeSamplesResponse* response) {
  SD_ASSIGN_OR_RETURN(const StageUse use, UseStage(state, request.stage()));
  SD_RETURN_IF_ERROR(CheckBatch(state.limits, static_cast<size_t>(request.paths_size()), 1));
  response->set_snapshot(use.snapshot->number());
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(context, *use.snapshot, request.paths(), response->mutable_path_errors()));
  const v1::TimeInterval* interval = request.has_interval() ? &request.interval() : nullptr;
  size_t total_bytes = 0;
  for (const auto& attribute : attributes) {
    v1::AttributeTimeSamples* samples = response->add_attributes();
    if (attribute == nullptr) continue;
    SD_RETURN_IF_ERROR(context.Check());
    samples->set_might_be_time_varying(attribute->numeric.MightBeTimeVarying(context));
    if (request.count_only() && interval == nullptr) {
      samples->set_count(attribute->numeric.SampleCount(context));
      continue;
    }
    const Array<double> times = TimesAround(context, attribute->numeric, interval);
    SD_ASSIGN_OR_RETURN(const TimeSlice slice, SliceOf(times, interval));
    samples->set_count(slice.last - slice.first);
    if (request.count_only()) continue;
    total_bytes += samples->count() * sizeof(double);
    SD_RETURN_IF_ERROR(
        CheckCount(total_bytes, state.limits.max_reply_bytes, "bytes of sample times"));
    samples->mutable_times()->Add(times.begin() + slice.first, times.begin() + slice.last);
  }
  return use.CheckKnown();
}

absl::Status GetBracketingTimeSamples(ServerState& state, RequestContext& context,
                                      const v1::GetBracketingTimeSamplesRequest& request,
                                      v1::GetBracketingTimeSamplesResponse* response) {
  SD_ASSIGN_OR_RETURN(const StageUse use, UseStage(state, request.stage()));
  SD_RETURN_IF_ERROR(CheckBatch(state.limits, static_cast<size_t>(request.paths_size()),
                                static_cast<size_t>(request.times_size())));
  for (const double time : request.times()) {
    if (std::isnan(time)) {
      return WithReason(InvalidArgumentError("a time is nan"), reason::kInvalidTime);
    }
  }
  response->set_snapshot(use.snapshot->number());
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(context, *use.snapshot, request.paths(), response->mutable_path_errors()));
  for (const auto& attribute : attributes) {
    SD_RETURN_IF_ERROR(context.Check());
    for (const double time : request.times()) {
      std::optional<std::pair<double, double>> around;
      if (attribute != nullptr) around = attribute->numeric.Bracketing(context, time);
      response->add_has_samples(around.has_value());
      response->add_lower(around ? around->first : 0);
      response->add_upper(around ? around->second : 0);
    }
  }
  return use.CheckKnown();
}

}  // namespace stagedoor
