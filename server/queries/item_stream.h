#ifndef STAGEDOOR_SERVER_QUERIES_ITEM_STREAM_H_
#define STAGEDOOR_SERVER_QUERIES_ITEM_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/sample_policy.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "server/converters/reply_budget.h"
#include "server/queries/motion_samples.h"
#include "server/queries/prim_batch.h"
#include "server/server_limits.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {

// The time of an item of a stream. With a SamplePolicy, the time of a sample around the frame.
struct ItemTime {
  TimeCode frame;
  TimeCode time;
};

// Base of item streams. Makes the items in order, as many per message as fit. With a SamplePolicy,
// makes one item for each sample.
template <typename Response>
class ItemStream : public ChunkedStream<Response> {
 public:
  ItemStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
             PrimBatch batch)
      : ChunkedStream<Response>(context, limits, chunk_bytes, "request fewer values of this prim"),
        batch_(std::move(batch)) {}

  // To be called before the stream is read. Errors: those of ParseSamplePolicy.
  template <typename Request>
  absl::Status UseSamplePolicy(const Request& request) {
    SD_ASSIGN_OR_RETURN(policy_, ParseSamplePolicyOf(request, batch_.times));
    with_sources_ = request.sample_policy().with_sources();
    return absl::OkStatus();
  }

 protected:
  using Item = std::remove_reference_t<decltype(*std::declval<Response>().mutable_items(0))>;
  // Fills an item; stops when the budget is used up.
  virtual void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget, Item* out) = 0;
  // Adds the samples of what is computed from a prim. Errors: those of the context. Called only for
  // requests with a SamplePolicy.
  virtual absl::Status AddMotion(RequestContext&, const Prim&, TimeCode, MotionTimes*) {
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<bool> Make(RequestContext& context, Response* response) override {
    if (item_ == 0) response->set_snapshot(batch_.leased.snapshot->fingerprint());
    while (item_ < batch_.item_count() && this->HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      if (sample_ == 0) SD_RETURN_IF_ERROR(SelectSamples(context));
      SD_RETURN_IF_ERROR(FillItem(response));
      if (++sample_ < selection_.times.size()) continue;
      sample_ = 0;
      ++item_;
    }
    SD_RETURN_IF_ERROR(batch_.leased.CheckRead());
    return response->items_size() != 0;
  }

  // Finds the samples of the next item; a single one without a policy.
  absl::Status SelectSamples(RequestContext& context) {
    selection_ = MotionSelection();
    const Prim& prim = batch_.prims[item_ / batch_.times.size()];
    if (!policy_ || !prim.valid()) return absl::OkStatus();
    const TimeCode time = batch_.times[item_ % batch_.times.size()];
    MotionTimes times(policy_->Begin(time.value()), policy_->End(time.value()));
    SD_RETURN_IF_ERROR(AddMotion(context, prim, time, &times));
    selection_ = times.Select(*policy_, time.value());
    return absl::OkStatus();
  }

  void FillSample(const Prim& prim, ReplyBudget& budget, Item* out) {
    const TimeCode frame = batch_.times[item_ % batch_.times.size()];
    if (selection_.times.empty()) return Fill(prim, {frame, frame}, budget, out);
    if constexpr (requires { out->mutable_sample(); }) {
      FillMotionSample(selection_, sample_, with_sources_, budget, out->mutable_sample());
    }
    Fill(prim, {frame, TimeCode::At(selection_.times[sample_].time)}, budget, out);
  }

  // Fails only if the request is over.
  absl::Status FillItem(Response* response) {
    const auto item = static_cast<uint32_t>(item_);
    const size_t prim = item_ / batch_.times.size();
    ReplyBudget& budget = this->budget();
    budget.StartItem();
    Item* out = budget.Add(response->mutable_items());
    out->set_item(item);
    if (!batch_.prims[prim].valid()) {
      budget.FillError(batch_.failures[prim], item, out->mutable_error());
    } else {
      FillSample(batch_.prims[prim], budget, out);
    }
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget, item, out));
    out->set_item(item);
    return absl::OkStatus();
  }

  const PrimBatch batch_;
  std::optional<SamplePolicy> policy_;
  bool with_sources_ = false;
  size_t item_ = 0;
  MotionSelection selection_;  // of the item; empty without a policy
  size_t sample_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_ITEM_STREAM_H_
