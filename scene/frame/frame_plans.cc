#include "scene/frame/frame_plans.h"

#include <utility>

#include "base/status_macros.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxPlanBytes = size_t{256} << 20;

}  // namespace

FramePlans& FramePlans::Of(const Stage& stage) {
  return stage.derived().Get<FramePlans>(stage.memory().pool());
}

// One shard, so that the limit applies to all plans together: a plan may be large.
FramePlans::FramePlans(MemoryPool* pool)
    : plans_({.max_bytes = kMaxPlanBytes, .shards = 1}), pool_(pool) {}

absl::StatusOr<std::shared_ptr<const FramePlan>> FramePlans::Find(RequestContext& context,
                                                                  const Stage& stage,
                                                                  const FrameSelection& selection,
                                                                  std::string_view key) {
  using Loaded = decltype(plans_)::Loaded;
  auto plan = plans_.GetOrLoad(context, std::string(key), [&]() -> absl::StatusOr<Loaded> {
    SD_ASSIGN_OR_RETURN(std::shared_ptr<FramePlan> made, MakeFramePlan(context, stage, selection));
    // Requests share it from now on, so the stage is charged in place of this one.
    const size_t bytes = made->byte_size();
    made->reserved = Reservation(pool_);
    made->reserved.Add(bytes);
    return Loaded{std::move(made), bytes};
  });
  // Requests that hold plans keep them; they are just not shared with later ones.
  if (Reservation(pool_).over()) plans_.Clear();
  return plan;
}

}  // namespace stagedoor
