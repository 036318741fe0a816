#include "server/stages/lease_table.h"

#include <algorithm>
#include <vector>

#include "base/random_id.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kPrefix = "stage-";
constexpr size_t kIdDigits = 32;

// No client can guess another's handle.
absl::StatusOr<std::string> NewHandle() {
  SD_ASSIGN_OR_RETURN(const std::string id, RandomId());
  return Concat(kPrefix, id);
}

std::string ExpiredKey(std::string_view handle, std::string_view owner) {
  return Concat(handle, '\0', owner);
}

absl::Status Expired() {
  return WithReason(
      FailedPreconditionError("the lease of the stage handle has expired; open the stage again"),
      v1::ERROR_REASON_LEASE_EXPIRED);
}

}  // namespace

absl::Status LeaseTable::UnknownHandle() {
  return WithReason(NotFoundError("no stage is open by this handle; open the stage again"),
                    v1::ERROR_REASON_STAGE_NOT_FOUND);
}

bool LeaseTable::IsHandle(std::string_view text) {
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + kIdDigits;
}

LeaseTable::Clock::duration LeaseTable::Allowed(Clock::duration ttl) const {
  if (ttl <= Clock::duration::zero()) ttl = options_.default_ttl;
  return std::min(ttl, options_.max_ttl);
}

absl::Status LeaseTable::CheckRoom(const Owner& owner) const {
  if (leases_.size() >= options_.max_leases) {
    return WithReason(ResourceExhaustedError(
                          "cannot open another stage: all ", leases_.size(),
                          " leases (--max-leases) are in use; close stages or try again later"),
                      v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", "leases"}});
  }
  const auto known = counts_.find(owner.name);
  const size_t count = known == counts_.end() ? 0 : known->second;
  if (count < owner.max_leases) return absl::OkStatus();
  return WithReason(ResourceExhaustedError("cannot open another stage: ", Quoted(owner.name),
                                           " has its limit of ", count,
                                           " leases; close stages or try again later"),
                    v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", "leases of the caller"}});
}

absl::StatusOr<LeaseTable::Grant> LeaseTable::Add(std::shared_ptr<StageSession> session,
                                                  Clock::duration ttl, Owner owner) {
  SD_ASSIGN_OR_RETURN(std::string handle, NewHandle());
  SD_RETURN_IF_ERROR(Restore(handle, std::move(session), ttl, std::move(owner)));
  return Grant{std::move(handle), Allowed(ttl)};
}

absl::Status LeaseTable::Restore(std::string_view handle, std::shared_ptr<StageSession> session,
                                 Clock::duration ttl, Owner owner) {
  // If the table is full, the lease is dropped after the lock has been released.
  SessionLease held(std::move(session));
  const Clock::duration allowed = Allowed(ttl);
  MutexLock lock(mu_);
  if (leases_.contains(handle)) return absl::OkStatus();
  SD_RETURN_IF_ERROR(CheckRoom(owner));
  const Clock::time_point now = options_.now();
  const RequestMemoryExemption exempt;  // a lease must be counted, and vice versa
  ++counts_[owner.name];
  leases_.emplace(std::string(handle),
                  Lease{std::move(held), std::move(owner), allowed, now + allowed, {}, now});
  return absl::OkStatus();
}

LeaseTable::Living LeaseTable::Describe(const std::string& handle, const Lease& lease) {
  return {handle, lease.held.session(), lease.ttl, lease.owner};
}

std::vector<LeaseTable::Living> LeaseTable::All() const {
  MutexLock lock(mu_);
  std::vector<Living> all;
  all.reserve(leases_.size());
  for (const auto& [handle, lease] : leases_) {
    all.push_back(Describe(handle, lease));
  }
  return all;
}

std::optional<LeaseTable::Living> LeaseTable::Find(std::string_view handle) const {
  MutexLock lock(mu_);
  const auto it = leases_.find(handle);
  if (it == leases_.end()) return std::nullopt;
  return Describe(it->first, it->second);
}

std::vector<LeaseTable::Living> LeaseTable::TakeUsed() {
  MutexLock lock(mu_);
  std::vector<Living> used;
  const Clock::time_point now = options_.now();
  for (auto& [handle, lease] : leases_) {
    const Clock::time_point last_use = lease.expiry - lease.ttl;
    if (last_use <= lease.taken || now - lease.taken < lease.ttl / 8) continue;
    lease.taken = now;
    used.push_back(Describe(handle, lease));
  }
  return used;
}

absl::StatusOr<LeaseTable::Map::iterator> LeaseTable::Find(std::string_view handle,
                                                           std::string_view owner,
                                                           EndedLease* expired) {
  const auto it = leases_.find(handle);
  if (it == leases_.end() || it->second.owner.name != owner) {
    if (expired_.contains(ExpiredKey(handle, owner))) return Expired();
    return UnknownHandle();
  }
  if (it->second.expiry <= options_.now()) {
    RememberExpired(it->first, it->second);
    *expired = Take(it);
    return Expired();
  }
  return it;
}

void LeaseTable::RememberExpired(const std::string& handle, const Lease& lease) {
  const RequestMemoryExemption exempt;  // both know a lease, or neither
  expired_order_.push_back(ExpiredKey(handle, lease.owner.name));
  expired_.insert(expired_order_.back());
  if (expired_order_.size() > options_.max_remembered) {
    expired_.erase(expired_order_.front());
    expired_order_.pop_front();
  }
}

LeaseTable::EndedLease LeaseTable::Take(Map::iterator it) {
  const RequestMemoryExemption exempt;  // a lease is taken as a whole
  EndedLease ended;
  ended.held = std::move(it->second.held);
  ended.watchers = it->second.watchers.Living();
  const auto count = counts_.find(it->second.owner.name);
  if (--count->second == 0) counts_.erase(count);
  leases_.erase(it);
  return ended;
}

absl::StatusOr<std::shared_ptr<StageSession>> LeaseTable::Acquire(std::string_view handle,
                                                                  std::string_view owner) {
  EndedLease expired;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const auto it, Find(handle, owner, &expired));
  it->second.expiry = options_.now() + it->second.ttl;
  return it->second.held.session();
}

absl::StatusOr<std::shared_ptr<StageSession>> LeaseTable::Peek(std::string_view handle,
                                                               std::string_view owner) {
  EndedLease expired;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const auto it, Find(handle, owner, &expired));
  return it->second.held.session();
}

absl::Status LeaseTable::Watch(std::string_view handle, std::string_view owner,
                               const std::shared_ptr<ChangeSignal>& signal) {
  EndedLease expired;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const auto it, Find(handle, owner, &expired));
  it->second.watchers.Add(signal);
  return absl::OkStatus();
}

absl::StatusOr<LeaseTable::Clock::duration> LeaseTable::Renew(std::string_view handle,
                                                              std::string_view owner,
                                                              Clock::duration ttl) {
  EndedLease expired;
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const auto it, Find(handle, owner, &expired));
  it->second.ttl = Allowed(ttl);
  it->second.expiry = options_.now() + it->second.ttl;
  return it->second.ttl;
}

LeaseTable::Clock::duration LeaseTable::RemainingTtl(std::string_view handle) const {
  MutexLock lock(mu_);
  const auto it = leases_.find(handle);
  if (it == leases_.end()) return Clock::duration::zero();
  return std::max(it->second.expiry - options_.now(), Clock::duration::zero());
}

absl::Status LeaseTable::Remove(std::string_view handle, std::string_view owner) {
  EndedLease last, expired;  // destroyed after the lock is released
  MutexLock lock(mu_);
  SD_ASSIGN_OR_RETURN(const auto it, Find(handle, owner, &expired));
  last = Take(it);
  return absl::OkStatus();
}

size_t LeaseTable::Sweep() {
  std::vector<EndedLease> dropped;
  MutexLock lock(mu_);
  const Clock::time_point now = options_.now();
  for (auto it = leases_.begin(); it != leases_.end();) {
    const auto lease = it++;
    if (lease->second.expiry > now) continue;
    RememberExpired(lease->first, lease->second);
    dropped.push_back(Take(lease));
  }
  return dropped.size();
}

size_t LeaseTable::size() const {
  MutexLock lock(mu_);
  return leases_.size();
}

}  // namespace stagedoor::server
