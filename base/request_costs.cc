#include "base/request_costs.h"

namespace stagedoor {

void RequestCosts::Record(Kind kind, std::string_view asset, uint64_t bytes,
                          std::chrono::nanoseconds time) {
  MutexLock lock(mu_);
  Cost& cost = costs_[static_cast<size_t>(kind)];
  ++cost.count;
  cost.bytes += bytes;
  cost.time += time;
  if (cost.first_names.size() < kMaxNames) cost.first_names.emplace_back(asset);
}

std::array<RequestCosts::Cost, RequestCosts::kKinds> RequestCosts::costs() const {
  MutexLock lock(mu_);
  return costs_;
}

}  // namespace stagedoor
