#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PLANS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PLANS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The plans of a snapshot's frames, made on first use and shared by all requests.
//
// Owned by the snapshot (Stage::derived). Bounded in bytes, with the least recently used plans
// evicted first. Thread-safe.
class FramePlans {
 public:
  // The plans of a snapshot.
  static FramePlans& Of(const Stage& stage);
  // Memory is charged to `pool`, which may be null. While stages exceed their memory limit, no plan
  // is kept.
  explicit FramePlans(MemoryPool* pool);

  // The plan of a selection of `stage`, which is that of the plans. `key` is 16 bytes that no other
  // selection has. The plan must not outlive the snapshot. Errors: those of MakeFramePlan.
  absl::StatusOr<std::shared_ptr<const FramePlan>> Find(RequestContext& context, const Stage& stage,
                                                        const FrameSelection& selection,
                                                        std::string_view key);

  // Null if the plan is not there.
  std::shared_ptr<const FramePlan> FindKept(const std::string& key) { return plans_.Get(key); }
  // Keeps a plan, unless there is one already. The one that there is.
  absl::StatusOr<std::shared_ptr<const FramePlan>> Keep(RequestContext& context,
                                                        const std::string& key,
                                                        std::shared_ptr<FramePlan> made);
  // Whether no other request makes this plan part by part. If so, EndParts must follow.
  bool BeginParts(const std::string& key);
  void EndParts(const std::string& key);

 private:
  using Maker = std::function<absl::StatusOr<std::shared_ptr<FramePlan>>()>;
  absl::StatusOr<std::shared_ptr<const FramePlan>> KeepMade(RequestContext& context,
                                                            const std::string& key,
                                                            const Maker& make);

  LruCache<std::string, FramePlan> plans_;
  MemoryPool* const pool_;
  Mutex mu_;
  std::set<std::string> in_parts_ ABSL_GUARDED_BY(mu_);  // the plans that are made part by part
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLANS_H_
