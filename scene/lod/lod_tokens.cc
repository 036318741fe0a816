#include "scene/lod/lod_tokens.h"

namespace stagedoor {

const LodTokens& Lod() {
  static const auto* tokens = new LodTokens;
  return *tokens;
}

}  // namespace stagedoor
