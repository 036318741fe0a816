#include "server/stages/request_id_table.h"

#include "base/status_macros.h"
#include "server/error_info.h"

namespace stagedoor::server {

void RequestIdTable::DropOld() {
  const Clock::time_point expired = options_.now() - options_.ttl;
  while (!order_.empty() &&
         (order_.size() > options_.max_entries || order_.front().first <= expired)) {
    const auto& [added, id] = order_.front();
    const auto it = entries_.find(id);
    // An ID that was forgotten and added again has a newer place in the order.
    if (it != entries_.end() && it->second.added == added) entries_.erase(it);
    order_.pop_front();
  }
}

absl::StatusOr<const RequestIdTable::Entry*> RequestIdTable::Look(
    const RepeatableRequest& request) {
  DropOld();
  const auto it = entries_.find(request.id);
  if (it == entries_.end()) return nullptr;
  if (it->second.fingerprint != request.fingerprint) {
    return InvalidFieldError("request_id", "", "was used for a different request");
  }
  return &it->second;
}

absl::StatusOr<std::optional<std::string>> RequestIdTable::Find(const RepeatableRequest& request) {
  if (request.id.empty()) return std::nullopt;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const Entry* entry, Look(request));
  if (entry == nullptr) return std::nullopt;
  return entry->result;
}

absl::StatusOr<std::string> RequestIdTable::Add(const RepeatableRequest& request,
                                                std::string result) {
  if (request.id.empty()) return result;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const Entry* entry, Look(request));
  if (entry != nullptr) return entry->result;
  const Clock::time_point now = options_.now();
  order_.emplace_back(now, request.id);
  entries_[request.id] = {request.fingerprint, result, now};
  DropOld();
  return result;
}

std::vector<RequestIdTable::Done> RequestIdTable::All() const {
  MutexLock lock(mu_);
  std::vector<Done> all;
  all.reserve(entries_.size());
  for (const auto& [added, id] : order_) {
    const auto it = entries_.find(id);
    if (it == entries_.end() || it->second.added != added) continue;
    all.push_back({{id, it->second.fingerprint}, it->second.result});
  }
  return all;
}

void RequestIdTable::Forget(const std::string& id) {
  MutexLock lock(mu_);
  entries_.erase(id);
}

size_t RequestIdTable::size() const {
  MutexLock lock(mu_);
  return entries_.size();
}

}  // namespace stagedoor::server
