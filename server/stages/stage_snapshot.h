#ifndef STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/attribute_query_table.h"
#include "scene/stage/stage.h"

namespace stagedoor::server {

// One immutable state of an open stage, with the data derived from it so far. Thread-safe.
class StageSnapshot {
 public:
  // `key_bytes` are charged in addition to the memory of the stage itself, for the key by which it
  // is kept. `session_layer` may be null.
  StageSnapshot(uint64_t number, std::string fingerprint, std::shared_ptr<const Stage> stage,
                size_t key_bytes, std::shared_ptr<const Layer> session_layer = nullptr);

  // Unique within the daemon, ascending, never 0.
  uint64_t number() const { return number_; }
  // See SnapshotFingerprint.
  const std::string& fingerprint() const { return fingerprint_; }
  const Stage& stage() const { return *stage_; }
  const std::shared_ptr<const Stage>& shared_stage() const { return stage_; }
  // Null if the stage has none. Also the session layer of a stage in which it is muted.
  const std::shared_ptr<const Layer>& session_layer() const { return session_layer_; }
  std::chrono::steady_clock::time_point opened() const { return opened_; }

  // The number of leases on sessions whose newest snapshot this is. Maintained by the sessions.
  uint32_t holders() const { return holders_.load(std::memory_order_relaxed); }
  void AddHolders(uint32_t count) const { holders_.fetch_add(count, std::memory_order_relaxed); }
  void DropHolders(uint32_t count) const { holders_.fetch_sub(count, std::memory_order_relaxed); }

  // Whether composition did not find an asset. Determined once.
  bool has_missing_assets() const;

  // The attribute at a path in a client's spelling. Compiled once and remembered.
  // INVALID_ARGUMENT (INVALID_PATH, WRONG_KIND), NOT_FOUND (PRIM_NOT_FOUND, ATTRIBUTE_NOT_FOUND).
  absl::StatusOr<AttributeQueryTable::Pointer> FindAttribute(RequestContext& context,
                                                             std::string_view path) const;

  // Finds the attributes of one request: calls take(index, attribute or error) for each path in
  // order, until it returns an error, which is returned.
  using Take = std::function<absl::Status(size_t, absl::StatusOr<AttributeQueryTable::Pointer>)>;
  absl::Status FindAttributes(RequestContext& context, const std::vector<std::string_view>& paths,
                              const Take& take) const;

 private:
  friend class SnapshotReaper;

  absl::StatusOr<AttributeQueryTable::Pointer> Compile(RequestContext& context,
                                                       std::string_view path) const;

  const uint64_t number_;
  const std::string fingerprint_;
  const std::shared_ptr<const Stage> stage_;
  const std::shared_ptr<const Layer> session_layer_;
  Reservation memory_;
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  mutable std::atomic<uint32_t> holders_{0};
  mutable std::once_flag errors_seen_;
  mutable bool has_missing_assets_ = false;
  mutable const StageSnapshot* next_to_destroy_ = nullptr;  // used by SnapshotReaper
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_SNAPSHOT_H_
