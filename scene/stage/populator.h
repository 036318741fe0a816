// Populator: fills a new stage with prims, in parallel on the executor.
#ifndef STAGEDOOR_SCENE_STAGE_POPULATOR_H_
#define STAGEDOOR_SCENE_STAGE_POPULATOR_H_

#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Used once, by Stage::Open.
class Populator {
 public:
  Populator(RequestContext& context, Stage& stage) : context_(context), stage_(stage) {}

  // Fails only when the request was cancelled or its deadline passed.
  absl::Status Run();

 private:
  void PopulateChildren(PrimData& parent, int depth);
  void Populate(PrimData& prim, const PrimData& parent, Token name, int depth);
  void ComputeFlags(PrimData& prim, const PrimData& parent);
  void ComputeModelFlags(PrimData& prim, const PrimData& parent);
  void ComputeType(PrimData& prim);
  void ComputeClips(PrimData& prim, const PrimData& parent);
  void JoinPrototype(PrimData& instance, int depth);
  std::string PrototypeKey(const PrimData& instance) const;

  RequestContext& context_;
  Stage& stage_;
  Mutex mutex_;
  std::unordered_map<std::string, const Prototype*> prototypes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_POPULATOR_H_
