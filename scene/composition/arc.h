// The composition arcs in strength order, LIVERPS (Core Specification, chapter 10).
#ifndef STAGEDOOR_SCENE_COMPOSITION_ARC_H_
#define STAGEDOOR_SCENE_COMPOSITION_ARC_H_

#include <cstdint>
#include <string_view>

namespace stagedoor {

enum class Arc : uint8_t {
  kRoot,  // local opinions
  kInherit,
  kVariant,
  kRelocate,
  kReference,
  kPayload,
  kSpecialize,
};

// "inherit" …, as Explain and stacks print it.
std::string_view ArcName(Arc arc);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_ARC_H_
