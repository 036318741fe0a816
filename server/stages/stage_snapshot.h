#ifndef STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/lru_cache.h"
#include "base/request_context.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// An attribute with its value sources worked out: asked at any number of times by any number of
// requests. Immutable; valid as long as its snapshot.
struct CompiledAttribute {
  Attribute attribute;
  Token type_name;
  AttributeSource numeric;
  AttributeSource at_default;

  const AttributeSource& SourceFor(Time time) const {
    return time.is_default() ? at_default : numeric;
  }
};

// One immutable state of an open stage and what was found out about it so far. Thread-safe.
class StageSnapshot {
 public:
  StageSnapshot(uint64_t number, std::shared_ptr<const Stage> stage);

  // Unique within the daemon, ascending, never 0.
  uint64_t number() const { return number_; }
  const Stage& stage() const { return *stage_; }
  const std::shared_ptr<const Stage>& shared_stage() const { return stage_; }
  std::chrono::steady_clock::time_point opened() const { return opened_; }
  // Rough memory of the composed prims.
  size_t byte_size() const;

  // The attribute at a path as a client wrote it; compiled once and remembered.
  // INVALID_ARGUMENT (INVALID_PATH, WRONG_KIND), NOT_FOUND (PRIM_NOT_FOUND, ATTRIBUTE_NOT_FOUND).
  absl::StatusOr<std::shared_ptr<const CompiledAttribute>> FindAttribute(
      RequestContext& context, const std::string& path) const;

 private:
  const uint64_t number_;
  const std::shared_ptr<const Stage> stage_;
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  mutable LruCache<std::string, CompiledAttribute> attributes_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_
