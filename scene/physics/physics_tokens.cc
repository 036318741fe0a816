#include "scene/physics/physics_tokens.h"

namespace stagedoor {

const PhysicsTokens& Physics() {
  static const auto* tokens = new PhysicsTokens;
  return *tokens;
}

}  // namespace stagedoor
