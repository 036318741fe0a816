#ifndef STAGEDOOR_SERVER_STAGES_CLIP_FOLLOWER_H_
#define STAGEDOOR_SERVER_STAGES_CLIP_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/change_source.h"
#include "scene/clips/clip_cache.h"

namespace stagedoor::server {

// The part of StageFollower that is concerned with value clips, which are no part of a snapshot:
// watches the clip layers that are open and drops those that have changed, so that the next read
// opens them again. Clips that are not open need no watch. Thread-safe.
class ClipFollower {
 public:
  // Both must outlive the object. `cache` may be null, in which case there are no clips.
  ClipFollower(ClipCache* cache, ChangeSource& source) : cache_(cache), source_(source) {}

  // Notes reported changes. Returns how many concern clips; if any do, Update must be called.
  size_t NoteChanges(const AssetChanges& changes);

  // Watches the clips that are open now, none of them unless `follow`, and drops those that have
  // changed. To be called regularly, by one thread at a time. Cheap if there is nothing to do.
  void Update(RequestContext& context, bool follow);

 private:
  struct Difference {
    std::vector<WatchedAsset> added;
    std::vector<std::string> removed;
  };
  Difference Compare(bool follow);

  ClipCache* const cache_;
  ChangeSource& source_;

  Mutex mu_;
  std::set<std::string> watched_ ABSL_GUARDED_BY(mu_);  // paths; packages instead of files in them
  std::set<std::string> changed_ ABSL_GUARDED_BY(mu_);
  std::optional<uint32_t> clock_ ABSL_GUARDED_BY(mu_);  // ClipCache::clock at the last comparison
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_CLIP_FOLLOWER_H_
