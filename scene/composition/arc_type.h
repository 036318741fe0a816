#ifndef STAGEDOOR_SCENE_COMPOSITION_ARC_TYPE_H_
#define STAGEDOOR_SCENE_COMPOSITION_ARC_TYPE_H_

#include <cstdint>
#include <string_view>

namespace stagedoor {

// The types of composition arcs, in strength order: LIVERPS (Core Specification, 10.4 Strength
// Ordering). Corresponds to OpenUSD's PcpArcType.

// Strength comparisons rely on the order of the enumerators.
enum class ArcType : uint8_t {
  kRoot,  // the prim's own site: local opinions
  kInherit,
  kVariant,
  kRelocate,
  kReference,
  kPayload,
  kSpecialize,
};

// The name of an arc type, such as "inherit", as Explain and prim stacks print it.
std::string_view ArcTypeName(ArcType arc);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_ARC_TYPE_H_
