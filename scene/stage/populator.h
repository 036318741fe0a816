// Populator: fills a new stage with prims, in parallel on the executor.
#ifndef STAGEDOOR_SCENE_STAGE_POPULATOR_H_
#define STAGEDOOR_SCENE_STAGE_POPULATOR_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/stage/change_set.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Used once, by Stage::Open and Stage::Succeed. Given a snapshot before and what changed since, it
// takes over what is not affected.
class Populator {
 public:
  Populator(RequestContext& context, Stage& stage, const ChangeSet* changes = nullptr)
      : context_(context), stage_(stage), changes_(changes) {}

  // Fails when the request was cancelled, its deadline passed or there are too many prims.
  // `before` is the pseudo-root of the snapshot before.
  absl::Status Run(const PrimData* before = nullptr);

 private:
  // `before` is the prim in the snapshot before, null where nothing may be taken over.
  void PopulateChildren(PrimData& parent, const PrimData* before, int depth);
  void Populate(PrimData& prim, const PrimData& parent, Token name, const PrimData* before,
                int depth);
  void ComputeFlags(PrimData& prim, const PrimData& parent);
  void ComputeModelFlags(PrimData& prim, const PrimData& parent);
  void ComputeType(PrimData& prim);
  void ComputeClips(PrimData& prim, const PrimData& parent);
  std::string PrototypeKey(const PrimData& instance) const;
  void AddInstance(PrimData& instance, const PrimData* before, int depth);
  void PopulatePrototypes();

  struct Instance {
    PrimData* prim;
    const PrimData* before;
    int depth;
    const Prototype** prototype;  // of its key
  };
  void PopulatePrototype(Prototype& prototype, const Instance& source);

  // Makes room for so many prims; false where there is none.
  bool Reserve(size_t prims);
  // OK as long as there is reason to go on.
  absl::Status Check() const;
  // Whether to compose the next sibling; checks when some work was done since the last time.
  bool GoesOn(size_t sibling);

  RequestContext& context_;
  Stage& stage_;
  const ChangeSet* const changes_;
  std::atomic<size_t> prims_{0};
  std::atomic<bool> over_{false};        // GoesOn has said no
  std::atomic<uint64_t> checked_at_{0};  // in steps
  Mutex mutex_;
  // By key; null until it is made.
  std::unordered_map<std::string, const Prototype*> prototypes_ ABSL_GUARDED_BY(mutex_);
  std::vector<Instance> instances_ ABSL_GUARDED_BY(mutex_);  // without a prototype yet
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATOR_H_
