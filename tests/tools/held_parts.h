#ifndef STAGEDOOR_TESTS_TOOLS_HELD_PARTS_H_
#define STAGEDOOR_TESTS_TOOLS_HELD_PARTS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace stagedoor {

// The parts of a frame that a client holds.

enum class HeldPartKind {
  kHeader,
  kMaterial,
  kLight,
  kLightSet,
  kPrim,
  kVisibility,
  kTransform,
  kGeometry,   // that it exists
  kFields,     // of a volume
  kInstances,  // of a point instancer
  kValue,      // of a geometry
  kSubset,
};

struct HeldPartKey {
  uint64_t id = 0;
  HeldPartKind kind = HeldPartKind::kHeader;
  std::string name;  // of a value
  friend auto operator<=>(const HeldPartKey&, const HeldPartKey&) = default;
};

// Each part as the serialized ExtractFrameResponse that has nothing else. Equal frames have equal
// parts.
using HeldParts = std::map<HeldPartKey, std::string>;

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_HELD_PARTS_H_
