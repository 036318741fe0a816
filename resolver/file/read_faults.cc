#include "resolver/file/read_faults.h"

#include <algorithm>

namespace stagedoor {

void ReadFaults::Add(const struct stat& info) {
  MutexLock lock(mu_);
  if (counts_.size() >= kMaxFiles) {
    uint64_t most = 0;
    for (const auto& [_, count] : counts_) most = std::max(most, count);
    forgotten_ += most;
    counts_.clear();
  }
  ++counts_[{info.st_dev, info.st_ino}];
  any_.store(true, std::memory_order_release);
}

uint64_t ReadFaults::Count(const struct stat& info) const {
  if (!any_.load(std::memory_order_acquire)) return 0;
  MutexLock lock(mu_);
  const auto it = counts_.find({info.st_dev, info.st_ino});
  return forgotten_ + (it == counts_.end() ? 0 : it->second);
}

}  // namespace stagedoor
