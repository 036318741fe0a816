#include "server/stages/snapshot_history.h"

#include <utility>

namespace stagedoor {

// Snapshots are torn down after the lock was released: what is dropped is declared before it.

void SnapshotHistory::Add(const void* owner, Snapshot snapshot) {
  Snapshot dropped;
  const uint64_t number = snapshot->number();
  Snapshots added;
  added.emplace(std::pair(number, owner), std::move(snapshot));
  MutexLock lock(mu_);
  if (snapshots_.contains({number, owner})) return;
  std::deque<uint64_t>& numbers = numbers_[owner];
  numbers.push_back(number);
  snapshots_.merge(added);  // allocates nothing
  if (numbers.size() <= kMaxPerOwner) return;
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
  Snapshots dropped;  // the nodes themselves: owners forget when they are destroyed
  MutexLock lock(mu_);
  const auto numbers = numbers_.find(owner);
  if (numbers == numbers_.end()) return;
  for (const uint64_t number : numbers->second) {
    dropped.insert(snapshots_.extract({number, owner}));
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
