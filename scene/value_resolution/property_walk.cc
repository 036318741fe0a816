#include "scene/value_resolution/property_walk.h"

namespace stagedoor {

std::vector<PropertyOpinion> PropertyStack(const PrimIndex& index, Token name) {
  std::vector<PropertyOpinion> stack;
  WalkProperty(index, name, [&](const PropertyOpinion& opinion) {
    stack.push_back(opinion);
    return true;
  });
  return stack;
}

}  // namespace stagedoor
