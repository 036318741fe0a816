#include "server/rpc/call_registry.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/request_scope.h"

namespace stagedoor::server {

size_t CallRegistry::ShardOf(const Entry& entry) { return (SpreadBits(&entry) >> 32) % kShards; }

void CallRegistry::Add(Entry& entry) {
  if (std::exchange(entry.is_added_, true)) return;
  Shard& shard = shards_[ShardOf(entry)];
  MutexLock lock(shard.mu);
  shard.calls.push_back(entry);
}

void CallRegistry::Remove(Entry& entry) {
  if (!std::exchange(entry.is_added_, false)) return;
  Shard& shard = shards_[ShardOf(entry)];
  MutexLock lock(shard.mu);
  IntrusiveList<Entry>::Remove(entry);
}

CallRegistry::Clock::time_point CallRegistry::FindLatest(size_t limit, size_t* waiting) const {
  std::vector<Clock::time_point> arrivals;
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (const Entry* call = shard.calls.front(); call != nullptr; call = shard.calls.next(*call)) {
      arrivals.push_back(call->arrived());
      *waiting += call->state() == CallState::kWaiting;
    }
  }
  if (limit == 0 || arrivals.size() <= limit) return Clock::time_point::max();
  const auto last = arrivals.begin() + static_cast<std::ptrdiff_t>(limit - 1);
  std::nth_element(arrivals.begin(), last, arrivals.end());
  return *last;
}

// Two rounds, so that texts are made for few calls only while a lock is held.
CallRegistry::Listing CallRegistry::List(size_t limit, Clock::time_point now) const {
  const RequestMemoryExemption pause;  // under a lock, no allocation may wait for memory
  Listing listing;
  const Clock::time_point latest = FindLatest(limit, &listing.waiting);
  if (limit == 0) return listing;
  std::vector<CallInFlight>& calls = listing.longest;
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (Entry* call = shard.calls.front(); call != nullptr; call = shard.calls.next(*call)) {
      if (call->arrived() > latest || calls.size() >= 2 * limit) continue;
      CallInFlight& out = calls.emplace_back();
      out.age = now - call->arrived();
      out.state = call->state();
      call->Describe(&out);
    }
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [](const auto& a, const auto& b) { return a.age > b.age; });
  if (calls.size() > limit) calls.resize(limit);
  return listing;
}

}  // namespace stagedoor::server
