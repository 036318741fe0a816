#include "server/sharing/recipe_uses.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "server/sharing/stored_session.h"

namespace stagedoor::server {
namespace {

// The memory of a use besides its record.
constexpr size_t kUseBytes = 200;

// Names the stage that a session was opened on, as StageCache tells them apart.
std::string IdOf(const StageSession& session) {
  return Concat(session.routing_key(), session.policy() == ChangePolicy::kFixed ? "|fixed" : "");
}

}  // namespace

void RecipeUses::Counts::Add(const StageSession& session) {
  std::string id = IdOf(session);
  if (const auto known = uses.find(id); known != uses.end()) {
    ++known->second.weight;
    return;
  }
  const v1::OpenStageRequest& recipe = StoredSession::Of(session).recipe();
  const size_t recipe_bytes = recipe.ByteSizeLong();
  if (recipe_bytes > kMaxRecordBytes || bytes + recipe_bytes + kUseBytes > kMaxBytes) return;
  bytes += recipe_bytes + kUseBytes;
  store::v1::RecipeRecord record;
  *record.mutable_recipe() = recipe;
  record.mutable_recipe()->clear_session();
  record.set_access_scope(session.scope());
  SessionStore::Use use{.id = id, .record = record.SerializeAsString(), .weight = 1};
  uses.emplace(std::move(id), std::move(use));
}

void RecipeUses::Add(const StageSession& session) {
  MutexLock lock(mu_);
  counts_.Add(session);
}

std::vector<SessionStore::Use> RecipeUses::Take(const std::vector<LeaseTable::Living>& living) {
  Counts next;
  for (const LeaseTable::Living& lease : living) next.Add(*lease.session);
  {
    MutexLock lock(mu_);
    std::swap(counts_, next);
  }
  std::vector<SessionStore::Use> uses;
  uses.reserve(next.uses.size());
  for (auto& [id, use] : next.uses) uses.push_back(std::move(use));
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (uses.size() > SessionStore::kMaxRecipes) uses.resize(SessionStore::kMaxRecipes);
  return uses;
}

}  // namespace stagedoor::server
