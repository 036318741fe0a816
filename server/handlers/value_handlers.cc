#include "server/handlers/value_handlers.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/values/source_bytes.h"
#include "server/check_count.h"
#include "server/converters/array_placer.h"
#include "server/converters/item_state.h"
#include "server/converters/packed_values.h"
#include "server/converters/prim_converter.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/converters/value_column_builder.h"
#include "server/error_info.h"
#include "server/queries/attribute_samples.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_snapshot.h"

namespace stagedoor::server {
namespace {

using Paths = google::protobuf::RepeatedPtrField<std::string>;
using Attributes = std::vector<AttributeQueryTable::Pointer>;

// Looks up the attributes of a batch. Those that do not exist are null and reported in `errors`.
absl::StatusOr<Attributes> FindAttributes(
    ReplyBudget& budget, const StageSnapshot& snapshot, const Paths& paths,
    google::protobuf::RepeatedPtrField<v1::ItemStatus>* errors) {
  const auto count = static_cast<size_t>(paths.size());
  SD_RETURN_IF_ERROR(budget.context().Reserve(
      count * (sizeof(std::string_view) + sizeof(AttributeQueryTable::Pointer)),
      "the paths of a batch"));
  const std::vector<std::string_view> texts(paths.begin(), paths.end());
  Attributes attributes(texts.size());
  SD_RETURN_IF_ERROR(snapshot.FindAttributes(
      budget.context(), texts,
      [&](size_t i, absl::StatusOr<AttributeQueryTable::Pointer> found) -> absl::Status {
        if (found.ok()) {
          attributes[i] = *std::move(found);
          budget.Charge(0);
        } else {
          budget.FillError(found.status(), static_cast<uint32_t>(i), errors->Add());
        }
        return budget.status();
      }));
  return attributes;
}

absl::Status CheckBatch(const ServerLimits& limits, size_t paths, size_t times) {
  SD_RETURN_IF_ERROR(CheckCount(paths, limits.max_paths, "paths"));
  return CheckCount(paths * times, limits.max_items, "items");
}

// Fills the values of one BatchGetValuesResponse.
class ValueBatchFiller {
 public:
  ValueBatchFiller(ReplyBudget& budget, Interpolation interpolation,
                   const std::vector<TimeCode>& times, v1::BatchGetValuesResponse* response)
      : context_(budget.context()),
        budget_(budget),
        interpolation_(interpolation),
        times_(times),
        response_(response),
        item_count_(static_cast<int>(response->path_count() * response->time_count())),
        columns_(budget, response) {}

  // Adds to `views` the sources of arrays that are views into mapped files.
  absl::Status Fill(const Attributes& attributes, bool paired, SourceSet* views) {
    views_ = views;
    uint32_t item = 0;
    for (size_t path = 0; path < attributes.size(); ++path) {
      const size_t first = paired ? path : 0, last = paired ? path + 1 : times_.size();
      Prefetch(attributes, path, paired);
      for (size_t time = first; time < last; ++time) {
        if (attributes[path] != nullptr) {
          AddValue(*attributes[path], times_[time], item);
        } else {
          SetState(item, v1::ITEM_STATE_ERROR);
        }
        if (!budget_.Charge(0)) return budget_.status();
        ++item;
      }
    }
    SD_RETURN_IF_ERROR(context_.Check());
    columns_.Finish(item);
    return absl::OkStatus();
  }

 private:
  // How many attributes ahead the steps to a sample are prefetched.
  static constexpr size_t kQueriesAhead = 24, kSourcesAhead = 16, kSamplesAhead = 8;

  // A sample, and the objects that lead to it, are far from those of the attribute before: without
  // this, the loop waits for memory several times for each attribute.
  void Prefetch(const Attributes& attributes, size_t path, bool paired) const {
    const auto ahead = [&](size_t steps) {
      return path + steps < attributes.size() ? attributes[path + steps].get() : nullptr;
    };
    __builtin_prefetch(ahead(kQueriesAhead));
    if (const auto* query = ahead(kSourcesAhead)) query->numeric().PrefetchSamples();
    const auto* query = ahead(kSamplesAhead);
    if (query == nullptr || times_.empty()) return;
    query->numeric().PrefetchSamplesAt(times_[paired ? path + kSamplesAhead : 0]);
  }

  void AddValue(const AttributeQuery& query, TimeCode time, uint32_t item) {
    const Value value = query.Get(context_, time, interpolation_);
    if (value.is_invalid()) return AddError(DataLossError(value.invalid_reason()), item);
    if (absl::Status known = CheckKnownChanges(value); !known.ok()) return AddError(known, item);
    if (value.empty() || value.is_block()) {
      return SetState(item, StateOf(value, query.SourceFor(time)));
    }
    const v1::ItemState state = columns_.Add(item, query.type_name(), value);
    if (state != v1::ITEM_STATE_VALUE) SetState(item, state);
    views_->Add(value);
  }

  void AddError(const absl::Status& error, uint32_t item) {
    SetState(item, v1::ITEM_STATE_ERROR);
    budget_.FillError(error, item, response_->add_item_errors());
  }

  // Sets a state other than VALUE. The list of states is made for the first of these.
  void SetState(uint32_t item, v1::ItemState state) {
    auto* states = response_->mutable_states();
    if (states->empty()) {
      if (!budget_.Charge(static_cast<size_t>(item_count_) * sizeof(int))) return;
      states->Resize(item_count_, v1::ITEM_STATE_VALUE);
    }
    states->Set(static_cast<int>(item), state);
  }

  RequestContext& context_;
  ReplyBudget& budget_;
  const Interpolation interpolation_;
  const std::vector<TimeCode>& times_;
  v1::BatchGetValuesResponse* const response_;
  const int item_count_;
  SourceSet* views_ = nullptr;
  ValueColumnBuilder columns_;
};

absl::Status FillBatch(const QueryState& state, RequestContext& context,
                       const v1::BatchGetValuesRequest& request, ArrayPlacer* placer,
                       v1::BatchGetValuesResponse* response) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_times));
  const auto paths = static_cast<size_t>(request.paths_size());
  if (request.paired() && paths != times.size()) {
    return InvalidFieldError("paired", Concat(paths, " paths, ", times.size(), " times"),
                             "must have as many times as paths");
  }
  const size_t times_per_path = request.paired() ? 1 : times.size();
  SD_RETURN_IF_ERROR(CheckBatch(state.limits, paths, times_per_path));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  response->set_path_count(static_cast<uint32_t>(paths));
  response->set_time_count(static_cast<uint32_t>(times_per_path));
  ReplyBudget budget(context, state.limits.max_reply_bytes,
                     "request fewer values, or use StreamValues");
  budget.UsePlacer(placer);
  SD_RETURN_IF_ERROR(budget.UseDigestOptions(request));
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(budget, *leased.snapshot, request.paths(), response->mutable_path_errors()));
  if (request.with_sources()) {
    if (!budget.Charge(attributes.size() * sizeof(int))) return budget.status();
    for (const auto& attribute : attributes) {
      response->add_sources(attribute == nullptr ? v1::VALUE_SOURCE_UNSPECIFIED
                                                 : ToProto(attribute->numeric().kind()));
    }
  }
  const Interpolation interpolation =
      ParseInterpolation(request.interpolation(), leased.session->interpolation());
  absl::Status filled;
  const size_t before = budget.message_bytes();
  SD_RETURN_IF_ERROR(leased.sources.ReadUntilStable([&](SourceSet* views) {
    budget.RollBackTo(before);
    if (placer != nullptr) placer->TakeBack();
    response->clear_columns();
    response->clear_states();
    response->clear_item_errors();
    filled = ValueBatchFiller(budget, interpolation, times, response)
                 .Fill(attributes, request.paired(), views);
  }));
  SD_RETURN_IF_ERROR(filled);
  budget.AddWarnings(response->mutable_warnings());
  return budget.status();
}

}  // namespace

absl::Status BatchGetValues(const QueryState& state, RequestContext& context,
                            const v1::BatchGetValuesRequest& request,
                            v1::BatchGetValuesResponse* response) {
  return FillBatch(state, context, request, nullptr, response);
}

absl::Status BatchGetPlacedValues(const QueryState& state, RequestContext& context,
                                  const v1::BatchGetValuesRequest& request, ArrayPlacer* placer,
                                  v1::BatchGetValuesResponse* response) {
  absl::Status filled = FillBatch(state, context, request, placer, response);
  if (!filled.ok() && placer != nullptr) placer->TakeBack();
  return filled;
}

absl::Status ListTimeSamples(const QueryState& state, RequestContext& context,
                             const v1::ListTimeSamplesRequest& request,
                             v1::ListTimeSamplesResponse* response) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(CheckBatch(state.limits, static_cast<size_t>(request.paths_size()), 1));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes,
                     "request fewer paths, or use StreamTimeSamples");
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(budget, *leased.snapshot, request.paths(), response->mutable_path_errors()));
  SD_ASSIGN_OR_RETURN(const TimeRange within, ParseInterval(request.interval()));
  const TimeRange* interval = request.has_interval() ? &within : nullptr;
  for (const auto& attribute : attributes) {
    if (!budget.ok()) return budget.status();
    v1::AttributeTimeSamples* samples = budget.Add(response->mutable_attributes());
    if (attribute == nullptr) continue;
    SD_RETURN_IF_ERROR(context.Check());
    samples->set_might_be_time_varying(attribute->numeric().MightBeTimeVarying(context));
    if (request.count_only() && interval == nullptr) {
      samples->set_count(attribute->numeric().SampleCount(context));
      continue;
    }
    const Array<double> times = SampleTimesCovering(context, attribute->numeric(), interval);
    const SampleRange slice = FindSampleRange(times, interval);
    samples->set_count(slice.last - slice.first);
    if (request.count_only()) continue;
    FillPackedDoubles(times.span().subspan(slice.first, samples->count()), budget,
                      samples->mutable_times());
  }
  SD_RETURN_IF_ERROR(budget.status());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

absl::Status GetBracketingTimeSamples(const QueryState& state, RequestContext& context,
                                      const v1::GetBracketingTimeSamplesRequest& request,
                                      v1::GetBracketingTimeSamplesResponse* response) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(CheckBatch(state.limits, static_cast<size_t>(request.paths_size()),
                                static_cast<size_t>(request.times_size())));
  for (const double time : request.times()) {
    if (std::isnan(time)) {
      return WithReason(InvalidArgumentError("a time is NaN"), v1::ERROR_REASON_INVALID_TIME);
    }
  }
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request fewer paths or times");
  SD_ASSIGN_OR_RETURN(
      const Attributes attributes,
      FindAttributes(budget, *leased.snapshot, request.paths(), response->mutable_path_errors()));
  const size_t items = attributes.size() * static_cast<size_t>(request.times_size());
  const Packing doubles = PackingOf(ValueType::kDouble);
  char* lower = FillPackedZeros(doubles, items, budget, response->mutable_lower());
  char* upper = FillPackedZeros(doubles, items, budget, response->mutable_upper());
  if (!budget.Charge(items * sizeof(bool))) return budget.status();
  for (const auto& attribute : attributes) {
    for (const double time : request.times()) {
      if (!budget.Charge(0)) return budget.status();
      std::optional<std::pair<double, double>> around;
      if (attribute != nullptr) around = attribute->numeric().Bracketing(context, time);
      response->add_has_samples(around.has_value());
      if (around) {
        std::memcpy(lower, &around->first, sizeof(double));
        std::memcpy(upper, &around->second, sizeof(double));
      }
      lower += sizeof(double);
      upper += sizeof(double);
    }
  }
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server
