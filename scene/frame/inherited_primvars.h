#ifndef STAGEDOOR_SCENE_FRAME_INHERITED_PRIMVARS_H_
#define STAGEDOOR_SCENE_FRAME_INHERITED_PRIMVARS_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Numbers the sets of primvars that prims inherit, so that instance proxies of a prim have equal
// primvars if their sets have the same number. Not thread-safe.
class InheritedPrimvars {
 public:
  static constexpr uint32_t kNone = 0;  // the empty set

  explicit InheritedPrimvars(RequestContext& context) : context_(context), reserved_(context) {}

  // The set that the children of `prim` inherit, if the prim inherits `above`. `names` are the
  // primvars that it authors, which it passes on if they are constant, and otherwise hides.
  uint32_t Below(uint32_t above, const Prim& prim, std::span<const Token> names);

 private:
  // Primvars by name, each with the prim that has it. Values are those of the data of the prim, so
  // the sets of two places are equal if they come from the same data.
  using Set = std::vector<std::pair<Token, const PrimData*>>;

  Set SetBelow(uint32_t above, const Prim& prim, std::span<const Token> names);
  uint32_t NumberOf(Set set);

  RequestContext& context_;
  Reservation reserved_;
  std::map<Set, uint32_t> numbers_;
  std::vector<const Set*> sets_;  // from kNone + 1 on
  // Those that were found below prims of prototypes.
  std::map<std::pair<uint32_t, const PrimData*>, uint32_t> below_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_INHERITED_PRIMVARS_H_
