#ifndef STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_
#define STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Finds which lights each prim is linked to: those whose collection has the prim as a member. It is
// the inverse of what lights say about prims, and what renderers need.
//
// Collections are described by rules at paths, so prims between the same rules have the same
// lights: the work is that of the rules times the lights, and a few look-ups for each prim. Only
// collections with a membership expression are asked about each prim. Valid as long as the stage.
// Not thread-safe.
class LightSets {
 public:
  // `lights` may contain invalid prims, which no prim is linked to. `collection` is "lightLink",
  // "shadowLink" or "filterLink".
  LightSets(RequestContext& context, const std::vector<Prim>& lights, Token collection);

  // The number of the set of a prim's lights. Meaningless once the request is over.
  uint32_t Find(const Prim& prim);

  // The sets by number, each once: ascending indices into the lights.
  const std::vector<std::vector<uint32_t>>& sets() const { return sets_; }

 private:
  using Indices = std::vector<uint32_t>;

  // Where membership by rules is the same: at a path with rules, or below it, down to the next
  // ones.
  struct Region {
    Path path;
    bool is_below;
    friend bool operator<(const Region& a, const Region& b) {
      return a.path == b.path ? a.is_below < b.is_below : a.path < b.path;
    }
  };

  struct RegionLights {
    Indices linked;                  // by rules
    std::optional<uint32_t> number;  // of this set; nothing while it has none
  };

  Region RegionOf(Path path) const;
  RegionLights& LinkedByRules(Path path);
  uint32_t NumberOf(Indices indices);

  Pacer pacer_;
  Reservation reserved_;
  std::vector<std::pair<uint32_t, CollectionMembershipQuery>> by_rules_;
  std::vector<std::pair<uint32_t, CollectionMembershipQuery>> by_expression_;
  std::unordered_set<Path> rule_paths_;
  std::map<Region, RegionLights> regions_;
  std::map<Indices, uint32_t> numbers_;
  std::vector<Indices> sets_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_
