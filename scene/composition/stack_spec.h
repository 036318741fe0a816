#ifndef STAGEDOOR_SCENE_COMPOSITION_STACK_SPEC_H_
#define STAGEDOOR_SCENE_COMPOSITION_STACK_SPEC_H_

#include <cstdint>

#include "scene/layer/spec_tree.h"

namespace stagedoor {

// A spec in a layer of a layer stack, given by the layer's index in the stack.
struct StackSpec {
  uint32_t layer;
  SpecId spec;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_STACK_SPEC_H_
