#ifndef STAGEDOOR_SCENE_STAGE_RULE_REGIONS_H_
#define STAGEDOOR_SCENE_STAGE_RULE_REGIONS_H_

#include <unordered_set>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/stage/collection_rules.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Divides a stage into regions in which prims belong to the same of some collections, as far as
// these are described by rules: the closest rule of each collection is the same. So membership is
// determined once for each region.
//
// The paths of instance proxies are only created below instances that have rules. Not thread-safe.
class RuleRegions {
 public:
  // A path that has rules, or what is below it, down to the next ones.
  struct Region {
    Path path;  // empty for prims without a rule at or above them
    bool is_below = true;
    friend bool operator<(const Region& a, const Region& b) {
      return a.path == b.path ? a.is_below < b.is_below : a.path < b.path;
    }
  };

  explicit RuleRegions(RequestContext& context) : pacer_(context), reserved_(context) {}

  // Adds the rules of a collection. False once the request is over.
  bool Add(const CollectionRules& rules);
  // The region of a prim.
  Region Of(const Prim& prim) const;

 private:
  bool Insert(Path path, std::unordered_set<Path>* set);

  Pacer pacer_;
  Reservation reserved_;
  std::unordered_set<Path> paths_;  // those that have rules
  std::unordered_set<Path> above_;  // their ancestors
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_RULE_REGIONS_H_
