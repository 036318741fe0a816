#include "server/stages/session_table.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

std::string KeyOf(std::string_view owner, std::string_view name) {
  return Concat(owner, '\0', name);
}

}  // namespace

std::shared_ptr<StageSession> SessionTable::Find(std::string_view owner,
                                                 std::string_view name) const {
  MutexLock lock(mu_);
  const auto it = sessions_.find(KeyOf(owner, name));
  return it == sessions_.end() ? nullptr : it->second.lock();
}

std::shared_ptr<StageSession> SessionTable::FindOrAdd(std::string_view owner,
                                                      std::shared_ptr<StageSession> session) {
  MutexLock lock(mu_);
  std::weak_ptr<StageSession>& named = sessions_[KeyOf(owner, session->name())];
  if (auto live = named.lock()) return live;
  named = session;
  if (sessions_.size() >= sweep_at_) Sweep();
  return session;
}

void SessionTable::Sweep() {
  std::erase_if(sessions_, [](const auto& entry) { return entry.second.expired(); });
  // Doubling keeps the cost of sweeping proportional to the number of sessions added.
  sweep_at_ = std::max<size_t>(64, 2 * sessions_.size());
}

size_t SessionTable::size() const {
  MutexLock lock(mu_);
  return sessions_.size();
}

}  // namespace stagedoor::server
