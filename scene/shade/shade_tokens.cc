#include "scene/shade/shade_tokens.h"

namespace stagedoor {

const ShadeTokens& Shade() {
  static const auto* tokens = new ShadeTokens;
  return *tokens;
}

}  // namespace stagedoor
