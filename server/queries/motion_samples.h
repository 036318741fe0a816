#ifndef STAGEDOOR_SERVER_QUERIES_MOTION_SAMPLES_H_
#define STAGEDOOR_SERVER_QUERIES_MOTION_SAMPLES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/sample_policy.h"
#include "scene/value_resolution/time_code.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/motion.pb.h"

namespace stagedoor::server {

// Errors: INVALID_FIELD for a number that is not allowed; INVALID_TIME if one of the `frames`, the
// times of the request, is not numeric or not finite.
absl::StatusOr<SamplePolicy> ParseSamplePolicy(const v1::SamplePolicy& policy,
                                               std::span<const TimeCode> frames);
// As above, for a request that may have no policy.
template <typename Request>
absl::StatusOr<std::optional<SamplePolicy>> ParseSamplePolicyOf(const Request& request,
                                                                std::span<const TimeCode> frames) {
  if (!request.has_sample_policy()) return std::nullopt;
  return ParseSamplePolicy(request.sample_policy(), frames);
}

// Fills what an item of a stream says about its sample, which is one of `selection`.
void FillMotionSample(const MotionSelection& selection, size_t index, bool with_source,
                      ReplyBudget& budget, v1::MotionSample* out);

// The samples of the items of a reply in columns. Items that share their times share a selection.
class MotionPlan {
 public:
  // Without samples.
  MotionPlan(RequestContext& context, size_t items)
      : items_(items), firsts_(items + 1), reserved_(context) {}

  // Reserves memory for a selection, to be used with Set.
  absl::StatusOr<std::shared_ptr<const MotionSelection>> Keep(MotionSelection selection);
  void Set(size_t item, std::shared_ptr<const MotionSelection> selection) {
    items_[item] = std::move(selection);
  }
  // Counts the samples; to be called once all items are set. REQUEST_TOO_LARGE for more than
  // `most`.
  absl::Status Count(size_t most);

  // Require Count().
  size_t sample_count() const { return firsts_.back(); }
  // The index of the first sample of an item among those of the reply.
  size_t first(size_t item) const { return firsts_[item]; }
  // Null for an item without samples.
  const MotionSelection* selection(size_t item) const { return items_[item].get(); }
  void Fill(bool with_sources, ReplyBudget& budget, v1::MotionSamples* out) const;

 private:
  std::vector<std::shared_ptr<const MotionSelection>> items_;
  std::vector<size_t> firsts_;
  Reservation reserved_;
};

// The times of a selection.
std::vector<TimeCode> TimeCodesOf(const MotionSelection& selection);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_MOTION_SAMPLES_H_
