// The flags of a populated prim, and predicates over them that filter traversals.
#ifndef STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_
#define STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_

#include <cstdint>

namespace stagedoor {

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

// A conjunction of wanted and unwanted flags.
struct PrimPredicate {
  uint16_t mask = 0;
  uint16_t values = 0;
  bool instance_proxies = false;  // also visit what is below instances

  bool operator()(uint16_t flags) const { return (flags & mask) == values; }

  static constexpr PrimPredicate All() { return {}; }
  // Active, loaded, defined and not abstract.
  static constexpr PrimPredicate Default() {
    return {kPrimActive | kPrimLoaded | kPrimDefined | kPrimAbstract,
            kPrimActive | kPrimLoaded | kPrimDefined};
  }
  constexpr PrimPredicate With(uint16_t flag, bool value) const {
    PrimPredicate p = *this;
    p.mask |= flag;
    p.values = static_cast<uint16_t>(value ? p.values | flag : p.values & ~flag);
    return p;
  }
  constexpr PrimPredicate WithInstanceProxies() const {
    PrimPredicate p = *this;
    p.instance_proxies = true;
    return p;
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PRIM_FLAGS_H_
