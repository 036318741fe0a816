#ifndef STAGEDOOR_SCENE_STAGE_PRIM_FINDER_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_FINDER_H_

#include <cstddef>
#include <string_view>

#include "scene/stage/prim.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// Finds the prims of many paths, which mostly follow each other as a traversal visits prims: the
// next sibling of a prim, its first child, or the next sibling of an ancestor. These are beside it
// in memory, where a look-up by path would read a table at random places. Paths in any other order
// are looked up. Valid as long as the stage. Not thread-safe.
class PrimFinder {
 public:
  explicit PrimFinder(const Stage& stage) : stage_(stage) {}

  // As Stage::FindPrim. `path` must be valid until the next call.
  Prim Find(std::string_view path);

 private:
  // The prim at `path` if it follows the last one; else null.
  const PrimData* FindNext(std::string_view path) const;
  // As FindNext, for a prim that is not the next sibling of the last one.
  const PrimData* FindNextElsewhere(std::string_view path) const;

  const Stage& stage_;
  std::string_view last_path_;
  size_t last_name_begin_ = 0;      // in last_path_
  const PrimData* last_ = nullptr;  // null if it is in a prototype, or nothing was found
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_FINDER_H_
