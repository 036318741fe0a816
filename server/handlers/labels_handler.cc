#include "server/handlers/labels_handler.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/semantics/labels.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/error_info.h"
#include "server/queries/closed_interval.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr size_t kBytesPerLabelTime = 512;

using TaxonomyFilter = std::optional<std::unordered_set<Token>>;  // nothing to have all

// The times of a request, or its interval.
absl::StatusOr<std::vector<LabelTime>> ParseLabelTimes(RequestContext& context,
                                                       const v1::ComputeLabelsRequest& request,
                                                       size_t max_times) {
  std::vector<LabelTime> found;
  if (!request.has_interval()) {
    SD_ASSIGN_OR_RETURN(const auto times, ParseTimes(context, request.times(), max_times));
    SD_RETURN_IF_ERROR(context.Reserve(times.size() * kBytesPerLabelTime, "times of labels"));
    for (const TimeCode time : times) found.push_back({.time = time, .samples_within = {}});
    return found;
  }
  if (request.has_times()) {
    return WithReason(InvalidArgumentError("either times or an interval must be set, not both"),
                      v1::ERROR_REASON_INVALID_FIELD);
  }
  SD_ASSIGN_OR_RETURN(const TimeRange range, ParseInterval(request.interval()));
  SD_ASSIGN_OR_RETURN(const ClosedInterval closed, ParseClosedInterval(request.interval()));
  if (closed.empty()) {
    return WithReason(InvalidArgumentError("the interval of labels must not be empty"),
                      v1::ERROR_REASON_INVALID_TIME);
  }
  using Limits = std::numeric_limits<double>;
  const double start = std::clamp(range.first, Limits::lowest(), Limits::max());
  found.push_back(
      {.time = TimeCode::At(start), .samples_within = std::pair(closed.first, closed.last)});
  return found;
}

absl::StatusOr<TaxonomyFilter> ParseTaxonomies(const QueryState& state, RequestContext& context,
                                               const v1::ComputeLabelsRequest& request) {
  const auto count = static_cast<size_t>(request.taxonomies_size());
  if (count == 0) return std::nullopt;
  SD_RETURN_IF_ERROR(CheckCount(count, state.limits.max_paths, "taxonomies"));
  SD_RETURN_IF_ERROR(context.Reserve(count * 4 * sizeof(Token), "taxonomies"));
  std::unordered_set<Token> names;
  Pacer pacer(context);
  for (const std::string& taxonomy : request.taxonomies()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    // A prim does not have one that is not interned.
    if (const auto name = Token::Find(taxonomy)) names.insert(*name);
  }
  return names;
}

// Fills the answers of a reply for one time or interval. Prims below the same labels share one.
class LabelAnswers {
 public:
  LabelAnswers(LabelScopes& scopes, const TaxonomyFilter& filter, const LabelTime& time,
               ReplyBudget& budget, v1::ComputeLabelsResponse* response)
      : scopes_(scopes),
        filter_(filter),
        query_(scopes, time),
        budget_(budget),
        response_(*response) {}

  void Add(const Prim& prim) {
    if (!budget_.Charge(sizeof(uint32_t))) return;
    const Prim nearest = prim.valid() ? scopes_.Nearest(prim) : Prim();
    if (!nearest.valid()) return response_.add_answer(0);
    Numbers& numbers = numbers_[nearest];
    uint32_t& number = nearest == prim ? numbers.own : numbers.below;
    if (number == 0) {
      if (!budget_.Charge(kBytesPerAnswer)) return;
      number = static_cast<uint32_t>(response_.answers_size() + 1);
      Fill(nearest, nearest == prim, budget_.Add(response_.mutable_answers()));
    }
    response_.add_answer(number);
  }

 private:
  static constexpr size_t kBytesPerAnswer = 64;  // an entry of the map
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };
  // Those of the answers for a prim with labels and for what is below it; 0 until they are filled.
  struct Numbers {
    uint32_t own = 0;
    uint32_t below = 0;
  };

  void Fill(const Prim& nearest, bool own, v1::PrimLabels* out) {
    if (own) budget_.AddTokens(scopes_.DirectTaxonomies(nearest), out->mutable_direct_taxonomies());
    for (const Token taxonomy : scopes_.InheritedTaxonomies(nearest)) {
      if (!budget_.Charge(0)) return;
      if (filter_ && !filter_->contains(taxonomy)) continue;
      v1::TaxonomyLabels* labels = budget_.Add(out->mutable_taxonomies());
      labels->set_taxonomy(budget_.Text(taxonomy.text()));
      if (own) budget_.AddTokens(query_.DirectLabels(nearest, taxonomy), labels->mutable_direct());
      budget_.AddTokens(query_.InheritedLabels(nearest, taxonomy), labels->mutable_inherited());
    }
  }

  LabelScopes& scopes_;
  const TaxonomyFilter& filter_;
  LabelsQuery query_;
  ReplyBudget& budget_;
  v1::ComputeLabelsResponse& response_;
  std::unordered_map<Prim, Numbers, PrimHash> numbers_;
};

}  // namespace

absl::Status ComputeLabels(const QueryState& state, RequestContext& context,
                           const v1::ComputeLabelsRequest& request,
                           v1::ComputeLabelsResponse* response) {
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const auto times, ParseLabelTimes(context, request, state.limits.max_times));
  SD_ASSIGN_OR_RETURN(const TaxonomyFilter filter, ParseTaxonomies(state, context, request));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, times.size(), &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "request fewer paths or times");
  batch.FillErrors(budget, response->mutable_path_errors());
  LabelScopes scopes(context);
  std::deque<LabelAnswers> answers;
  for (const LabelTime& time : times) {
    answers.emplace_back(scopes, filter, time, budget, response);
  }
  for (const Prim& prim : batch.prims) {
    for (LabelAnswers& at_time : answers) {
      if (!budget.ok()) return budget.status();
      at_time.Add(prim);
    }
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
