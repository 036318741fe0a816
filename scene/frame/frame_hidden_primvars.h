#ifndef STAGEDOOR_SCENE_FRAME_FRAME_HIDDEN_PRIMVARS_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_HIDDEN_PRIMVARS_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/reservation.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/geom/prim_map.h"
#include "scene/paths/token.h"

namespace stagedoor {

// Keeps the primvars of what is drawn from prims below that do not inherit them on the stage,
// because a prim in between has one of the same name that is not constant. Not thread-safe. Borrows
// the work.
class FrameHiddenPrimvars {
 public:
  explicit FrameHiddenPrimvars(FrameLayerWork& work)
      : work_(work), attributes_(work), reserved_(work.context) {}

  // Writes the primvars that hide those of `above`, the closest row above, from a row. Stops when
  // the request is over.
  void WriteBetween(const Prim& above, const Prim& row);

 private:
  // Names, sorted.
  using Names = std::vector<Token>;

  const Names& ConstantsOf(const Prim& row);
  void Hide(const Prim& row, const Prim& above, Token name);

  FrameLayerWork& work_;
  FrameAttributeWriter attributes_;
  PrimMap<uint32_t> places_;  // in constants_, of rows that have others below
  std::vector<Names> constants_;
  std::set<std::pair<SpecId, Token>> written_;
  Reservation reserved_;  // for the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_HIDDEN_PRIMVARS_H_
