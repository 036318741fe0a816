#include "server/store/testing/memory_session_store.h"

#include <algorithm>

#include "base/status_macros.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {

void SharedRecords::DropExpired() {
  const Clock::time_point now = now_();
  const auto expired = [now](const auto& entry) { return entry.second.expiry <= now; };
  std::erase_if(leases_, expired);
  std::erase_if(states_, expired);
  std::erase_if(sessions_, expired);
}

void SharedRecords::DropUnleased(const std::string& session) {
  const auto holds = [&](const auto& entry) { return entry.second.session == session; };
  if (std::any_of(leases_.begin(), leases_.end(), holds)) return;
  std::erase_if(states_, [&](const auto& entry) { return entry.first.first == session; });
  sessions_.erase(session);
}

int64_t SharedRecords::Slot(SessionStore::Ttl slot) {
  const int64_t current = now_().time_since_epoch() / slot;
  uses_.erase(uses_.begin(), uses_.lower_bound(current - 1));
  return current;
}

absl::Status MemorySessionStore::Begin(RequestContext& context) {
  SD_RETURN_IF_ERROR(context.Check());
  if (!records_->reachable_) return StoreUnavailable("it is switched off");
  records_->DropExpired();
  return absl::OkStatus();
}

absl::StatusOr<std::optional<SessionStore::Session>> MemorySessionStore::FindSession(
    RequestContext& context, std::string_view session) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  const auto it = records_->sessions_.find(session);
  if (it == records_->sessions_.end()) return std::nullopt;
  return Session{it->second.data, it->second.revision};
}

absl::StatusOr<bool> MemorySessionStore::WriteSession(RequestContext& context,
                                                      const Update& update) {
  {
    MutexLock lock(records_->mu_);
    SD_RETURN_IF_ERROR(Begin(context));
    const auto it = records_->sessions_.find(update.session);
    const uint64_t revision = it == records_->sessions_.end() ? 0 : it->second.revision;
    if (revision != update.revision) return false;
    const auto expiry = records_->now_() + update.ttl;
    const std::string session(update.session);
    records_->sessions_[session] = {std::string(update.record), revision + 1, expiry};
    if (!update.state.empty()) {
      records_->states_[{session, std::string(update.state)}] = {std::string(update.state_record),
                                                                 1, expiry};
    }
  }
  Announce(update.session);
  return true;
}

absl::StatusOr<std::optional<std::string>> MemorySessionStore::FindState(RequestContext& context,
                                                                         std::string_view session,
                                                                         std::string_view state) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  const auto it = records_->states_.find({std::string(session), std::string(state)});
  if (it == records_->states_.end()) return std::nullopt;
  return it->second.data;
}

absl::Status MemorySessionStore::WriteLease(RequestContext& context, std::string_view session,
                                            std::string_view lease, std::string_view record,
                                            Ttl ttl) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  records_->leases_[std::string(lease)] = {std::string(session), std::string(record),
                                           records_->now_() + ttl};
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> MemorySessionStore::FindLease(RequestContext& context,
                                                                         std::string_view lease) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  const auto it = records_->leases_.find(lease);
  if (it == records_->leases_.end()) return std::nullopt;
  return it->second.data;
}

absl::Status MemorySessionStore::RemoveLease(RequestContext& context, std::string_view session,
                                             std::string_view lease) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  if (records_->leases_.erase(std::string(lease)) != 0) {
    records_->DropUnleased(std::string(session));
  }
  return absl::OkStatus();
}

absl::Status MemorySessionStore::Renew(RequestContext& context, std::span<const Renewal> renewals) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  for (const Renewal& renewal : renewals) {
    const auto expiry = records_->now_() + renewal.ttl;
    const auto extend = [&](auto& records, const auto& key) {
      const auto it = records.find(key);
      if (it != records.end()) it->second.expiry = std::max(it->second.expiry, expiry);
    };
    extend(records_->leases_, renewal.lease);
    extend(records_->sessions_, renewal.session);
    extend(records_->states_, SharedRecords::StateKey(renewal.session, renewal.state));
  }
  return absl::OkStatus();
}

absl::Status MemorySessionStore::RecordUses(RequestContext& context, std::span<const Use> uses,
                                            Ttl slot) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  SharedRecords::Recipes& recipes = records_->uses_[records_->Slot(slot)];
  for (const Use& use : uses) {
    SharedRecords::Recipe& recipe = recipes[use.id];
    recipe.data = use.record;
    recipe.weight += use.weight;
    if (recipes.size() <= kMaxRecipes) continue;
    recipes.erase(std::min_element(
        recipes.begin(), recipes.end(),
        [](const auto& a, const auto& b) { return a.second.weight < b.second.weight; }));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> MemorySessionStore::HottestRecipes(RequestContext& context,
                                                                            size_t count,
                                                                            Ttl slot) {
  MutexLock lock(records_->mu_);
  SD_RETURN_IF_ERROR(Begin(context));
  records_->Slot(slot);
  SharedRecords::Recipes sums;
  for (const auto& [number, recipes] : records_->uses_) {
    for (const auto& [id, recipe] : recipes) {
      SharedRecords::Recipe& sum = sums[id];
      sum.data = recipe.data;
      sum.weight += recipe.weight;
    }
  }
  std::vector<SharedRecords::Recipe> sorted;
  for (auto& [id, recipe] : sums) sorted.push_back(std::move(recipe));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  std::vector<std::string> records;
  for (auto& recipe : sorted) {
    if (records.size() == count) break;
    records.push_back(std::move(recipe.data));
  }
  return records;
}

void MemorySessionStore::SetListener(Listener listener) {
  MutexLock lock(records_->listeners_mu_);
  if (listener == nullptr) {
    records_->listeners_.erase(this);
  } else {
    records_->listeners_[this] = std::move(listener);
  }
}

void MemorySessionStore::Announce(std::optional<std::string_view> session) {
  MutexLock lock(records_->listeners_mu_);
  for (const auto& [store, listener] : records_->listeners_) {
    if (store != this || !session.has_value()) listener(session);
  }
}

void MemorySessionStore::LoseRecords() {
  MutexLock lock(records_->mu_);
  records_->leases_.clear();
  records_->sessions_.clear();
  records_->states_.clear();
  records_->uses_.clear();
}

void MemorySessionStore::SetReachable(bool reachable) {
  {
    MutexLock lock(records_->mu_);
    records_->reachable_ = reachable;
  }
  if (reachable) Announce(std::nullopt);
}

}  // namespace stagedoor::server
