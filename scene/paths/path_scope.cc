#include "scene/paths/path_scope.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/request_scope.h"
#include "scene/paths/path_table.h"

namespace stagedoor {
namespace {

// Memory of a path in the lists of a scope, in bytes. The node itself is charged only to the scope
// that created it.
constexpr size_t kHeldBytes = 16;

// The value of Node::holder if no scope is the holder.
constexpr uint32_t kNobody = 0;

uint32_t NextId() {
  static std::atomic<uint32_t> last{0};
  uint32_t id = 0;
  while (id == 0) id = ++last;
  return id;
}

}  // namespace

std::shared_ptr<PathScope> PathScope::Create(MemoryPool* memory,
                                             std::shared_ptr<const PathScope> base) {
  return std::shared_ptr<PathScope>(new PathScope(memory, std::move(base), kShards));
}

std::shared_ptr<PathScope> PathScope::CreateSmall() {
  return std::shared_ptr<PathScope>(new PathScope(nullptr, nullptr, 1));
}

std::shared_ptr<PathScope> PathScope::CreateSuccessor(const std::shared_ptr<PathScope>& before) {
  if (before == nullptr) return Create();
  return before->base_ != nullptr ? before : Create(before->memory_.pool(), before);
}

PathScope::PathScope(MemoryPool* memory, std::shared_ptr<const PathScope> base, size_t shards)
    : id_(NextId()),
      base_(std::move(base)),
      memory_(memory),
      shard_count_(shards),
      shards_(std::make_unique<Shard[]>(shards)) {}

PathScope::~PathScope() {
  const RequestMemoryExemption pause;
  PathTable& table = PathTable::Get();
  for (size_t i = 0; i < shard_count_; ++i) {
    Shard& shard = shards_[i];
    MutexLock lock(shard.mu);
    for (const Node* node : shard.own) {
      const EpochGuard guard;
      node->holder.store(kNobody, std::memory_order_relaxed);
      table.Unpin(node);
    }
    shard.others.ForEach([&](const Node* node) {
      const EpochGuard guard;
      table.Unpin(node);
    });
  }
}

void PathScope::Shard::ReserveOwn() {
  if (own.size() == own.capacity()) own.reserve(std::max<size_t>(4, 2 * own.size()));
}

bool PathScope::Hold(const Node* node) {
  if (node->holder.load(std::memory_order_relaxed) == id_) return true;
  if (base_ != nullptr && base_->Holds(node)) return true;
  Shard& shard = ShardOf(node);
  MutexLock lock(shard.mu);
  // A scope becomes the holder only here, with this lock held, so this check is not racy.
  uint32_t holder = node->holder.load(std::memory_order_relaxed);
  if (holder == id_ || shard.others.Contains(node)) return true;
  // Reserve first, so that no allocation can fail after the node is pinned.
  shard.ReserveOwn();
  shard.others.Reserve();
  bool first = false;
  if (!PathTable::Pin(node, &first)) return false;
  if (holder == kNobody &&
      node->holder.compare_exchange_strong(holder, id_, std::memory_order_relaxed)) {
    shard.own.push_back(node);
  } else {
    shard.others.Add(node);
  }
  memory_.Add(first ? kHeldBytes + PathTable::kNodeMemoryBytes : kHeldBytes);
  return true;
}

bool PathScope::Holds(const Node* node) const {
  if (node->holder.load(std::memory_order_relaxed) == id_) return true;
  Shard& shard = ShardOf(node);
  MutexLock lock(shard.mu);
  return shard.others.Contains(node);
}

void PathScope::Keep(Path path) {
  const EpochGuard guard;
  if (path.node_ != nullptr && path.node_->parent != nullptr) Hold(path.node_);
}

size_t PathScope::count() const {
  size_t count = 0;
  for (size_t i = 0; i < shard_count_; ++i) {
    MutexLock lock(shards_[i].mu);
    count += shards_[i].own.size() + shards_[i].others.size();
  }
  return count;
}

bool PathTable::HoldInScope(const Node* node) {
  PathScope* const scope = PathScope::Current();
  return scope != nullptr ? scope->Hold(node) : KeepForever(node);
}

}  // namespace stagedoor
