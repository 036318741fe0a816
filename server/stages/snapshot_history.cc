#include "server/stages/snapshot_history.h"

#include <utility>

namespace stagedoor::server {

// Dropped snapshots are declared before the lock, so that they are destroyed after its release.

void SnapshotHistory::Add(const void* owner, Snapshot snapshot) {
  Snapshot dropped;
  const uint64_t number = snapshot->number();
  Snapshots added;
  added.emplace(std::pair(number, owner), std::move(snapshot));
  MutexLock lock(mu_);
  if (snapshots_.contains({number, owner})) return;
  std::deque<uint64_t>& numbers = numbers_[owner];
  numbers.push_back(number);
  snapshots_.merge(added);  // does not allocate, so it cannot fail
  if (numbers.size() <= kMaxPerOwner) return;
  const auto oldest = snapshots_.find({numbers.front(), owner});
  numbers.pop_front();
  dropped = std::move(oldest->second);
  snapshots_.erase(oldest);
}

SnapshotHistory::Snapshot SnapshotHistory::Find(const void* owner,
                                                std::string_view fingerprint) const {
  MutexLock lock(mu_);
  const auto numbers = numbers_.find(owner);
  if (numbers == numbers_.end()) return nullptr;
  for (auto number = numbers->second.rbegin(); number != numbers->second.rend(); ++number) {
    const Snapshot& snapshot = snapshots_.at({*number, owner});
    if (snapshot->fingerprint() == fingerprint) return snapshot;
  }
  return nullptr;
}

void SnapshotHistory::Forget(const void* owner) {
  Snapshots dropped;  // moves the nodes, since a destructor calls this and must not allocate
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
  // The oldest of all is also the first of its owner.
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

}  // namespace stagedoor::server
