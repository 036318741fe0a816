#include "scene/render/render_tokens.h"

namespace stagedoor {

const RenderTokens& Render() {
  static const auto* tokens = new RenderTokens;
  return *tokens;
}

}  // namespace stagedoor
