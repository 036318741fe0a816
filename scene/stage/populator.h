#ifndef STAGEDOOR_SCENE_STAGE_POPULATOR_H_
#define STAGEDOOR_SCENE_STAGE_POPULATOR_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/stage/change_set.h"
#include "scene/stage/stage_data.h"

namespace stagedoor {

// Populates a new stage with prims, in parallel on the executor (Core Specification 11.3,
// "Populating the Stage"). Does the work of UsdStage::_ComposeSubtreesInParallel in OpenUSD.
//
// Used once per stage, by Stage::Open and Stage::Recompose. Given the previous snapshot and the
// changes since, it reuses the prim indexes that are not affected.
class Populator {
 public:
  Populator(RequestContext& context, StageData& stage, const ChangeSet* changes = nullptr)
      : context_(context), stage_(stage), population_(*stage.population), changes_(changes) {}

  // Fails if the request is cancelled or misses its deadline, or the stage exceeds the
  // environment's limits of prims or memory. `before` is the pseudo-root of the previous snapshot;
  // null if nothing can be reused.
  absl::Status Run(const PrimData* before = nullptr);

 private:
  // In these, `before` is the same prim in the previous snapshot, null if nothing can be reused.
  void PopulateChildren(PrimData& parent, const PrimData* before, int depth);
  void Populate(PrimData& prim, const PrimData& parent, Token name, const PrimData* before,
                int depth);
  // The index of a prim from which its children can be composed: one of the new root layer stack,
  // and so not one that is reused. Composed if necessary.
  PrimIndexRef CurrentIndex(const PrimData& prim);
  bool IsCurrent(const PrimIndexRef& index) const;
  // The clips that the children of a prim inherit if they are composed: those of the new root layer
  // stack, since clips are next to the opinions of one layer stack.
  std::shared_ptr<const ClipSources> CurrentClips(const PrimData& prim);
  void ComputeFlags(PrimData& prim, const PrimData& parent);
  void ComputeModelFlags(PrimData& prim, const PrimData& parent);
  void ComputeType(PrimData& prim);
  void ComputeClips(PrimData& prim, const PrimData& parent);
  void ChargeClips(const ClipSources& clips);
  void FindSharedSites(const PrimData& prim);
  std::string PrototypeKey(const PrimData& instance) const;
  void AddInstance(PrimData& instance, const PrimData* before, int depth);
  void PopulatePrototypes();

  struct Instance {
    PrimData* prim;
    const PrimData* before;
    int depth;
    const Prototype** prototype;  // the entry of prototypes_ for its key
  };
  void PopulatePrototype(Prototype& prototype, const Instance& source);

  // Counts `prims` more prims; false if the stage would exceed its limit.
  bool Reserve(size_t prims);
  // Non-OK once the request is over or the stage exceeds a limit.
  absl::Status Check() const;
  // Whether to compose the next sibling. Calls Check() only after enough work since the last check.
  bool ShouldContinue(size_t sibling);

  RequestContext& context_;
  StageData& stage_;
  Population& population_;
  const ChangeSet* const changes_;
  std::atomic<size_t> prims_{0};
  std::atomic<bool> over_{false};        // a check has failed
  std::atomic<uint64_t> checked_at_{0};  // steps of the request at the last check
  Mutex mutex_;
  // Prototypes by instance key; null until the prototype is created.
  std::unordered_map<std::string, const Prototype*> prototypes_ ABSL_GUARDED_BY(mutex_);
  std::vector<Instance> instances_ ABSL_GUARDED_BY(mutex_);  // found since the last round
  Mutex current_mutex_;
  std::unordered_map<Path, PrimIndexRef> current_ ABSL_GUARDED_BY(current_mutex_);
  std::unordered_map<Path, std::shared_ptr<const ClipSources>> current_clips_
      ABSL_GUARDED_BY(current_mutex_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATOR_H_
