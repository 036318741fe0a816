#include "client/cc/routing_table.h"

namespace stagedoor {

void RoutingTable::Add(const std::string& handle, const std::string& routing_key) {
  MutexLock lock(mu_);
  // Leases that expired leave their handles behind. Calls without a routing key are only slower.
  if (keys_.size() >= kMaxHandles) keys_.clear();
  keys_[handle] = routing_key;
}

void RoutingTable::Remove(const std::string& handle) {
  MutexLock lock(mu_);
  keys_.erase(handle);
}

std::string RoutingTable::Find(std::string_view handle) const {
  MutexLock lock(mu_);
  const auto it = keys_.find(handle);
  return it == keys_.end() ? std::string() : it->second;
}

}  // namespace stagedoor
