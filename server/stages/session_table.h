#ifndef STAGEDOOR_SERVER_STAGES_SESSION_TABLE_H_
#define STAGEDOOR_SERVER_STAGES_SESSION_TABLE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "server/stages/stage_session.h"

namespace stagedoor::server {

// The sessions that clients named, to be shared by all calls of one owner that name them. Leases
// keep sessions alive, the table does not. Thread-safe.
class SessionTable {
 public:
  // The owner's live session of this name, or null. The owner is the name of the caller, empty
  // inside the process.
  std::shared_ptr<StageSession> Find(std::string_view owner, std::string_view name) const;

  // Registers a session of the owner by its name and returns it. If a live session of the owner has
  // the name already, returns that one instead.
  std::shared_ptr<StageSession> FindOrAdd(std::string_view owner,
                                          std::shared_ptr<StageSession> session);

  // The number of names, including those of sessions that have ended but were not swept yet.
  size_t size() const;

 private:
  void Sweep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  mutable Mutex mu_;
  // By owner and name.
  std::unordered_map<std::string, std::weak_ptr<StageSession>> sessions_ ABSL_GUARDED_BY(mu_);
  size_t sweep_at_ ABSL_GUARDED_BY(mu_) = 64;  // the size at which ended sessions are dropped
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SESSION_TABLE_H_
