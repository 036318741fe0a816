#ifndef STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_

#include <cstdint>

namespace stagedoor {

// The flags of a populated prim, and predicates over them that filter traversals (Core
// Specification 11.5, "Stage Queries").

// Corresponds to OpenUSD's Usd_PrimFlags.
enum PrimFlag : uint16_t {
  kPrimActive = 1 << 0,
  kPrimLoaded = 1 << 1,
  kPrimModel = 1 << 2,
  kPrimGroup = 1 << 3,
  kPrimComponent = 1 << 4,
  kPrimAbstract = 1 << 5,
  kPrimDefined = 1 << 6,
  kPrimDefiningSpecifier = 1 << 7,
  kPrimInstance = 1 << 8,
  kPrimInPrototype = 1 << 9,
  kPrimHasPayload = 1 << 10,
  kPrimPseudoRoot = 1 << 11,
};

// A conjunction of required and forbidden flags. Corresponds to OpenUSD's Usd_PrimFlagsPredicate.
struct PrimFlagsPredicate {
  uint16_t mask = 0;
  uint16_t values = 0;
  bool instance_proxies = false;  // also visits the descendants of instances

  bool operator()(uint16_t flags) const { return (flags & mask) == values; }

  static constexpr PrimFlagsPredicate All() { return {}; }
  // Active, loaded, defined and not abstract: UsdPrimDefaultPredicate.
  static constexpr PrimFlagsPredicate Default() {
    return {kPrimActive | kPrimLoaded | kPrimDefined | kPrimAbstract,
            kPrimActive | kPrimLoaded | kPrimDefined};
  }
  constexpr PrimFlagsPredicate With(uint16_t flag, bool value) const {
    PrimFlagsPredicate p = *this;
    p.mask |= flag;
    p.values = static_cast<uint16_t>(value ? p.values | flag : p.values & ~flag);
    return p;
  }
  constexpr PrimFlagsPredicate WithInstanceProxies() const {
    PrimFlagsPredicate p = *this;
    p.instance_proxies = true;
    return p;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_
