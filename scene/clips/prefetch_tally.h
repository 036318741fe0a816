#ifndef STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_
#define STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_

#include <cstdint>

namespace stagedoor {

// The result of a prefetch so far, over all clip sets that it has visited.
struct PrefetchTally {
  uint64_t opened = 0;   // clips opened, or found open
  uint64_t skipped = 0;  // clips not opened, because they would have evicted those
  uint64_t bytes = 0;    // size of those opened
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_
