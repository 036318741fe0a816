#include "base/request_context.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace stagedoor {

std::string_view CounterName(Counter counter) {
  switch (counter) {
    case Counter::kAssetOpens:
      return "asset_opens";
    case Counter::kBytesRead:
      return "bytes_read";
    case Counter::kLayerOpens:
      return "layer_opens";
    case Counter::kClipOpens:
      return "clip_opens";
    case Counter::kCacheHits:
      return "cache_hits";
    case Counter::kCacheMisses:
      return "cache_misses";
    case Counter::kIndexesBuilt:
      return "indexes_built";
    case Counter::kValuesResolved:
      return "values_resolved";
    case Counter::kCount:
      break;
  }
  return "unknown";
}

absl::Status RequestContext::Check() const {
  if (cancelled()) return CancelledError("the request was cancelled");
  if (has_deadline() && Clock::now() >= deadline_) {
    return DeadlineExceededError("the request's deadline has passed");
  }
  return absl::OkStatus();
}

void RequestContext::Warn(std::string warning) {
  MutexLock lock(mu_);
  if (std::find(warnings_.begin(), warnings_.end(), warning) != warnings_.end()) return;
  if (warnings_.size() == kMaxWarnings) {
    ++dropped_warnings_;
  } else {
    warnings_.push_back(std::move(warning));
  }
}

std::vector<std::string> RequestContext::warnings() const {
  MutexLock lock(mu_);
  return warnings_;
}

size_t RequestContext::dropped_warnings() const {
  MutexLock lock(mu_);
  return dropped_warnings_;
}

}  // namespace stagedoor
