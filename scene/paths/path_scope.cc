#include "scene/paths/path_scope.h"

#include <atomic>
#include <utility>

#include "base/memory_guard.h"
#include "scene/paths/path_table.h"

namespace stagedoor {
namespace {

// What a path takes of the scope's set, and what its node and that's slot in the table take. The
// node is charged to the scope that made it, however many hold it.
constexpr size_t kHeldBytes = 16;
constexpr size_t kSlotBytes = 16;

uint32_t NextId() {
  static std::atomic<uint32_t> last{0};
  uint32_t id = 0;
  while (id == 0) id = ++last;
  return id;
}

}  // namespace

std::shared_ptr<PathScope> PathScope::Create(MemoryAccount* memory,
                                             std::shared_ptr<const PathScope> base) {
  return std::shared_ptr<PathScope>(new PathScope(memory, std::move(base), kShards));
}

std::shared_ptr<PathScope> PathScope::CreateSmall() {
  return std::shared_ptr<PathScope>(new PathScope(nullptr, nullptr, 1));
}

std::shared_ptr<PathScope> PathScope::After(const std::shared_ptr<PathScope>& before) {
  if (before == nullptr) return Create();
  return before->base_ != nullptr ? before : Create(before->memory_.account(), before);
}

PathScope::PathScope(MemoryAccount* memory, std::shared_ptr<const PathScope> base, size_t shards)
    : id_(NextId()),
      base_(std::move(base)),
      memory_(memory),
      shard_count_(shards),
      shards_(std::make_unique<Shard[]>(shards)) {}

PathScope::~PathScope() {
  const RequestMemoryPause pause;
  PathTable& table = PathTable::Get();
  for (size_t i = 0; i < shard_count_; ++i) {
    Shard& shard = shards_[i];
    MutexLock lock(shard.mu);
    shard.held.ForEach([&](const Node* node) {
      const EpochGuard guard;
      uint32_t id = id_;
      node->holder.compare_exchange_strong(id, 0, std::memory_order_relaxed);
      table.Unpin(node);
    });
  }
}

bool PathScope::Hold(const Node* node) {
  if (node->holder.load(std::memory_order_relaxed) == id_) return true;
  if (base_ != nullptr && base_->Holds(node)) return true;
  Shard& shard = ShardOf(node);
  MutexLock lock(shard.mu);
  if (!shard.held.Contains(node)) {
    shard.held.Reserve();
    bool first = false;
    if (!PathTable::Pin(node, &first)) return false;
    shard.held.Add(node);
    memory_.Grow(first ? kHeldBytes + sizeof(Node) + kHeapBlockBytes + kSlotBytes : kHeldBytes);
  }
  node->holder.store(id_, std::memory_order_relaxed);
  return true;
}

bool PathScope::Holds(const Node* node) const {
  Shard& shard = ShardOf(node);
  MutexLock lock(shard.mu);
  return shard.held.Contains(node);
}

void PathScope::Keep(Path path) {
  const EpochGuard guard;
  if (path.node_ != nullptr && path.node_->parent != nullptr) Hold(path.node_);
}

size_t PathScope::count() const {
  size_t count = 0;
  for (size_t i = 0; i < shard_count_; ++i) {
    MutexLock lock(shards_[i].mu);
    count += shards_[i].held.size();
  }
  return count;
}

}  // namespace stagedoor
