#ifndef STAGEDOOR_SERVER_STAGES_FOLLOWED_STAGE_H_
#define STAGEDOOR_SERVER_STAGES_FOLLOWED_STAGE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/change_source.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_snapshot.h"
#include "server/stages/used_assets.h"

namespace stagedoor::server {

// Determines the assets that a snapshot depends on, and whether they have changed. Used by one
// thread at a time.
class FollowedStage {
 public:
  // Versions, by path, of assets that composition could not open and that were tried since.
  using Tried = std::map<std::string, std::string>;

  // Visits the whole stage. `search_paths` are those of the resolver itself. `tried` are the assets
  // that were tried for the snapshot before this one.
  FollowedStage(const StageSnapshot& snapshot, const std::vector<std::string>& search_paths,
                Tried tried);

  // The assets to watch, sorted, each once: those of the layers and pin files, packages instead of
  // the files in them, and the places of missing assets.
  const std::vector<WatchedAsset>& watched() const { return watched_; }

  struct Changes {
    std::vector<UsedAsset> used;  // have another version now, or are gone
    bool found = false;           // whether an asset that could not be opened can be opened now
    Tried tried;                  // for the snapshot that follows
    absl::Status unanswered;      // of an asset that may have changed, but cannot be asked now
    bool any() const { return found || !used.empty(); }
  };
  // Compares with what is there now. Errors: those of the context.
  absl::StatusOr<Changes> FindChanges(RequestContext& context, LayerRegistry& layers,
                                      const ResolverContext& resolver_context) const;
  // Remembers what was tried, if nothing else follows from the changes.
  void KeepTried(Changes changes) { tried_ = std::move(changes.tried); }

 private:
  const std::vector<UsedAsset> used_;
  std::vector<std::string> missing_;  // paths, sorted
  std::vector<WatchedAsset> watched_;
  Tried tried_;
};

// Opens the stage that follows `before`, whose `changes` were found: see StageCache::Reopen. Fails
// if a changed layer exists but cannot be read, which composition would leave out with an error,
// and if a layer changes again meanwhile (ABORTED).
absl::StatusOr<std::shared_ptr<const StageSnapshot>> ReopenChanged(
    RequestContext& context, StageCache& cache, const StageKey& stage_key,
    const StageSnapshot& before, const FollowedStage::Changes& changes);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_FOLLOWED_STAGE_H_
