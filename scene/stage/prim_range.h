#ifndef STAGEDOOR_SCENE_STAGE_PRIM_RANGE_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_RANGE_H_

#include <vector>

#include "scene/stage/prim.h"

namespace stagedoor {

// A depth-first traversal of the prims at and below a root that pass a predicate. Corresponds to
// OpenUSD's UsdPrimRange.
//
//   for (const Prim& prim : stage->Traverse(PrimFlagsPredicate::Default())) …
//
// A prim that fails the predicate is skipped with all its descendants. From an instance proxy on,
// the descendants of instances are visited whatever the predicate says, as in OpenUSD. Valid as
// long as the stage.
class PrimRange {
 public:
  struct End {};
  class Iterator {
   public:
    Iterator(Prim root, PrimFlagsPredicate predicate);

    const Prim& operator*() const { return current_; }
    const Prim* operator->() const { return &current_; }
    Iterator& operator++();
    // Makes the next step skip the descendants of the current prim.
    void PruneChildren() { prune_ = true; }
    size_t depth() const { return stack_.size(); }
    friend bool operator==(const Iterator& it, End) { return it.done_; }

   private:
    // The siblings still to visit at one depth, and the members that their handles get.
    struct Level {
      const PrimData* next;
      const PrimData* end;
      const Prototype* within;
      Path instance_path;
    };
    void Descend();
    void Advance();

    const StageData* stage_;
    PrimFlagsPredicate predicate_;
    Prim current_;
    std::vector<Level> stack_;
    bool prune_ = false;
    bool done_ = false;
  };

  PrimRange(Prim root, PrimFlagsPredicate predicate) : root_(root), predicate_(predicate) {}
  Iterator begin() const { return Iterator(root_, predicate_); }
  End end() const { return {}; }

 private:
  Prim root_;
  PrimFlagsPredicate predicate_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_RANGE_H_
