#include "scene/geom/geom_tokens.h"

namespace stagedoor {

const GeomTokens& Geom() {
  static const GeomTokens tokens;
  return tokens;
}

}  // namespace stagedoor
