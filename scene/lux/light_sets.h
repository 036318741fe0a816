#ifndef STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_
#define STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim.h"
#include "scene/stage/rule_regions.h"

namespace stagedoor {

// Finds which lights each prim is linked to: those whose collection has the prim as a member. It is
// the inverse of what lights say about prims, and what renderers need.
//
// Collections are described by rules at paths, so prims between the same rules have the same
// lights: the work is that of the rules times the lights, and a few look-ups for each prim. Only
// collections with a membership expression are asked about each prim, by its path; for others no
// path of an instance proxy is created (RuleRegions). Valid as long as the stage. Not thread-safe.
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

  struct RegionLights {
    Indices linked;                  // by rules
    std::optional<uint32_t> number;  // of this set; nothing while it has none
  };

  RegionLights& LinkedByRules(const Prim& prim);
  uint32_t NumberOf(Indices indices);

  Pacer pacer_;
  Reservation reserved_;
  std::vector<std::pair<uint32_t, CollectionMembershipQuery>> by_rules_;
  std::vector<std::pair<uint32_t, CollectionMembershipQuery>> by_expression_;
  RuleRegions regions_of_rules_;
  std::map<RuleRegions::Region, RegionLights> regions_;
  std::map<Indices, uint32_t> numbers_;
  std::vector<Indices> sets_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LUX_LIGHT_SETS_H_
