#ifndef STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_
#define STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_

#include <cstdint>

namespace stagedoor {

// What a prefetch has come to, over all clip sets it went through.
struct PrefetchTally {
  uint64_t opened = 0;   // clips that are open now
  uint64_t skipped = 0;  // clips that would have pushed out those: the budget is used up
  uint64_t bytes = 0;    // of those opened
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_PREFETCH_TALLY_H_
