#ifndef STAGEDOOR_SERVER_SHARING_RECIPE_USES_H_
#define STAGEDOOR_SERVER_SHARING_RECIPE_USES_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "server/stages/lease_table.h"
#include "server/stages/stage_session.h"
#include "server/store/session_store.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// Counts how many leases were in use of each recipe, for SessionStore::RecordUses.
// Sessions on the same stage have the same recipe, whatever their names and edits. Thread-safe.
class RecipeUses {
 public:
  // Recipes with a larger record, for example because they have long layers, are not counted.
  static constexpr size_t kMaxRecordBytes = size_t{64} << 10;
  // The memory for records. Above it, only known recipes are counted until the next Take.
  static constexpr size_t kMaxBytes = size_t{8} << 20;

  // A lease of a session was granted or taken over. The session must be a StoredSession.
  void Add(const StageSession& session);

  // The most used recipes since the last call, at most SessionStore::kMaxRecipes. From now on,
  // `living` counts again: a weight is the number of leases that existed in between.
  std::vector<SessionStore::Use> Take(const std::vector<LeaseTable::Living>& living);

 private:
  struct Counts {
    std::map<std::string, SessionStore::Use> uses;  // by ID
    size_t bytes = 0;

    void Add(const StageSession& session);
  };

  Mutex mu_;
  Counts counts_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SHARING_RECIPE_USES_H_
