#ifndef STAGEDOOR_SERVER_STAGES_SESSION_FOLLOWER_H_
#define STAGEDOOR_SERVER_STAGES_SESSION_FOLLOWER_H_

#include <cstdint>
#include <memory>

#include "server/stages/stage_session.h"

namespace stagedoor::server {

// Keeps sessions with ChangePolicy::kFollow up to date: see StageFollower. Thread-safe.
class SessionFollower {
 public:
  struct Stats {
    uint64_t stages = 0;          // snapshots that are followed
    uint64_t watched_assets = 0;  // see ChangeSource::Stats
    uint64_t polled_assets = 0;
    uint64_t changes = 0;   // reported by the source
    uint64_t reopens = 0;   // snapshots published
    uint64_t failures = 0;  // attempts to publish one
  };

  virtual ~SessionFollower() = default;

  // Follows the assets of the session's newest snapshot, from now on until the session ends. To be
  // called again after each edit. Does not wait: a change that is made before the assets are
  // watched is found by comparing versions.
  virtual void Follow(const std::shared_ptr<StageSession>& session) = 0;

  virtual Stats GetStats() const = 0;
};

// Leaves all sessions as they are.
class IdleFollower final : public SessionFollower {
 public:
  void Follow(const std::shared_ptr<StageSession>&) override {}
  Stats GetStats() const override { return {}; }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SESSION_FOLLOWER_H_
