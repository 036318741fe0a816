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
  const auto make = [&] { return MakeFramePlan(context, stage, selection); };
  return KeepMade(context, std::string(key), make);
}

absl::StatusOr<std::shared_ptr<const FramePlan>> FramePlans::Keep(RequestContext& context,
                                                                  const std::string& key,
                                                                  std::shared_ptr<FramePlan> made) {
  return KeepMade(context, key, [&] { return std::move(made); });
}

absl::StatusOr<std::shared_ptr<const FramePlan>> FramePlans::KeepMade(RequestContext& context,
                                                                      const std::string& key,
                                                                      const Maker& make) {
  using Loaded = decltype(plans_)::Loaded;
  auto plan = plans_.GetOrLoad(context, key, [&]() -> absl::StatusOr<Loaded> {
    SD_ASSIGN_OR_RETURN(std::shared_ptr<FramePlan> made, make());
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

bool FramePlans::BeginParts(const std::string& key) {
  MutexLock lock(mu_);
  return in_parts_.insert(key).second;
}

void FramePlans::EndParts(const std::string& key) {
  MutexLock lock(mu_);
  in_parts_.erase(key);
}

}  // namespace stagedoor
