#include "server/stages/snapshot_history.h"

#include <utility>
#include <vector>

namespace stagedoor {

// Snapshots are torn down after the lock was released: what is dropped is declared before it.

void SnapshotHistory::Add(const void* owner, Snapshot snapshot) {
  Snapshot dropped;
  const uint64_t number = snapshot->number();
  MutexLock lock(mu_);
  if (!snapshots_.emplace(std::pair(number, owner), std::move(snapshot)).second) return;
  std::deque<uint64_t>& numbers = numbers_[owner];
  numbers.push_back(number);
  if (numbers.size() <= kMostPerOwner) return;
  const auto oldest = snapshots_.find({numbers.front(), owner});
  numbers.pop_front();
  dropped = std::move(oldest->second);
  snapshots_.erase(oldest);
}

SnapshotHistory::Snapshot SnapshotHistory::Find(const void* owner, uint64_t number) const {
  MutexLock lock(mu_);
  const auto it = snapshots_.find({number, owner});
  return it == snapshots_.end() ? nullptr : it->second;
}

void SnapshotHistory::Forget(const void* owner) {
  std::vector<Snapshot> dropped;
  MutexLock lock(mu_);
  const auto numbers = numbers_.find(owner);
  if (numbers == numbers_.end()) return;
  for (const uint64_t number : numbers->second) {
    const auto it = snapshots_.find({number, owner});
    dropped.push_back(std::move(it->second));
    snapshots_.erase(it);
  }
  numbers_.erase(numbers);
}

bool SnapshotHistory::DropOldest() {
  Snapshot dropped;
  MutexLock lock(mu_);
  if (snapshots_.empty()) return false;
  const auto oldest = snapshots_.begin();
  // The oldest of all is the oldest of its owner.
  const auto numbers = numbers_.find(oldest->first.second);
  numbers->second.pop_front();
  if (numbers->second.empty()) numbers_.erase(numbers);
  dropped = std::move(oldest->second);
  snapshots_.erase(oldest);
  return true;
}

size_t SnapshotHistory::size() const {
  MutexLock lock(mu_);
  return snapshots_.size();
}

}  // namespace stagedoor
