#ifndef STAGEDOOR_SCENE_STAGE_STAGE_ENVIRONMENT_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_ENVIRONMENT_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"
#include "base/executor.h"
#include "base/memory_pool.h"
#include "base/request_context.h"

namespace stagedoor {

class ClipEnvironment;
class LayerRegistry;
class SchemaRegistry;

// The services and limits of all stages of a process. Everything pointed to must outlive the
// stages.
struct StageEnvironment {
  LayerRegistry* layers = nullptr;
  const SchemaRegistry* schemas = nullptr;  // may be null, in which case prims have no schemas
  Executor* executor = nullptr;             // may be null, in which case one thread does all work
  ClipEnvironment* clips = nullptr;         // may be null, in which case value clips are ignored
  // Limit for the prims of one stage, including those of prototypes. A few lines of text can define
  // 2^n prims.
  size_t max_prims = size_t{1} << 24;
  // Limit for the instance proxies that one traversal may visit (TraversalBudget).
  size_t max_proxies = size_t{1} << 24;
  // Charged with the memory of stages, without their layers. May be null, in which case memory is
  // not counted.
  MemoryPool* memory = nullptr;
  // Called often while a stage is composed; returns an error if stages exceed their memory limit.
  // May be null, in which case there is no limit.
  std::function<absl::Status(RequestContext&)> check_memory;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_ENVIRONMENT_H_
