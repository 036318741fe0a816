#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SELECTION_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SELECTION_H_

#include <string>
#include <vector>

#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The prims and properties that belong to a frame: the message FrameSelection, with defaults filled
// in.
struct FrameSelection {
  std::vector<Prim> roots;      // at least one; the pseudo-root for all of the stage
  std::vector<Prim> excluded;   // whose subtrees are left out
  std::vector<Token> types;     // none: all that can be drawn
  std::vector<Token> purposes;  // of the prims to draw
  Prim render_pass;             // invalid if there is none
  std::vector<std::string> render_contexts;
  std::vector<std::string> material_purposes;  // in the order in which bindings are looked for
  std::vector<std::string> primvars;           // names without "primvars:"; none: all
  bool flatten_primvars = false;
  bool without_skinning = false;

  // Whether all primvars are asked for and this attribute is left out nevertheless, because it says
  // how points are deformed and they are sent deformed.
  bool LeavesOut(Token name) const {
    return !without_skinning && (name.text().starts_with("skel:") ||
                                 (primvars.empty() && name.text().starts_with("primvars:skel:")));
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SELECTION_H_
