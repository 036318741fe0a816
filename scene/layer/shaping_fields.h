#ifndef STAGEDOOR_SCENE_LAYER_SHAPING_FIELDS_H_
#define STAGEDOOR_SCENE_LAYER_SHAPING_FIELDS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// Whether composition or population reads a field of a prim: a change of it may change which sites
// contribute to the prim and those below it, or which prims there are. OpenUSD resyncs the prim.
bool ShapesPrims(Token field);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_SHAPING_FIELDS_H_
