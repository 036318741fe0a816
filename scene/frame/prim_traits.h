#ifndef STAGEDOOR_SCENE_FRAME_PRIM_TRAITS_H_
#define STAGEDOOR_SCENE_FRAME_PRIM_TRAITS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_selection.h"
#include "scene/geom/geom_subset.h"
#include "scene/geom/xform_query.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_flags.h"
#include "scene/stage/stage.h"

namespace stagedoor {

class PrimDefinition;

// The prims that are drawn where they are, and those that are drawn as parts of prototypes of point
// instancers, which may be overs: as in UsdImaging, so that they are not drawn elsewhere.
PrimFlagsPredicate FramePredicate();
PrimFlagsPredicate FramePrototypePredicate();

// The properties of a prim definition that the plan of a frame depends on.
struct TypeTraits {
  bool is_imageable = false;
  bool is_gprim = false;
  bool is_instancer = false;
  bool is_volume = false;
  bool is_point_based = false;
  bool is_subset = false;
  bool is_skel_root = false;
  bool is_skinnable = false;
  bool is_light = false;
  bool is_selected = false;  // by the types of the selection
};

// The properties of a prim that the plan of a frame depends on, independent of its place: equal for
// all instance proxies of the prim.
struct PrimTraits {
  struct Subset {
    GeomSubset subset;
    bool varies = false;
    bool has_bindings = false;
    bool binds_collections = false;
  };

  Prim prim;  // the place at which it was met first
  TypeTraits type;
  std::optional<Token> purpose;    // see AuthoredPurpose
  std::optional<Token> draw_mode;  // see OwnDrawMode
  bool applies_draw_mode = false;
  bool moves = false;         // its own transform may vary
  bool resets_xform = false;  // its ancestors do not move it
  bool hides = false;         // its own visibility is "invisible" at all times
  bool blinks = false;        // its own visibility may vary, or is another one at default time
  bool has_children = false;
  bool has_bindings = false;       // of materials
  bool binds_collections = false;  // to materials
  bool names_paths = false;        // primvars whose values are paths: "primvars:NAME:idFrom"
  std::vector<Token> primvars;     // the authored ones of the selection
  std::vector<Subset> subsets;     // as children of `prim`

  // The subsets as children of `place`, which is `prim` or another instance proxy of it.
  GeomSubset SubsetAt(size_t index, const Prim& place) const;
};

// Finds the traits of prims, of those in prototypes only once. Not thread-safe.
class PrimTraitsTable {
 public:
  PrimTraitsTable(RequestContext& context, const Stage& stage, const FrameSelection& selection);

  // Valid until the next call of a function. Incomplete once the request is over.
  const PrimTraits& Of(const Prim& prim);

  // Reads the traits of prims that are not in prototypes, in parallel. Of() has them ready if it is
  // called for these prims in this order; it may leave some out.
  void ReadAhead(Executor& executor, std::span<const Prim> prims);
  // Whether all that was read ahead is used or left out.
  bool needs_more() const { return next_ahead_ == ahead_.size(); }
  // How much of it was left out.
  size_t left_out() const { return left_out_; }

 private:
  // The traits that were read ahead; null if there are none.
  const PrimTraits* FindAhead(const Prim& prim);
  const TypeTraits& TypeOf(const Prim& prim);
  // The type of the traits must be set.
  void Read(const Prim& prim, PrimTraits* traits) const;
  void ReadNames(const Prim& prim, PrimTraits* traits) const;
  void ReadVisibility(const Prim& prim, bool is_authored, PrimTraits* traits) const;
  void ReadSubsets(const Prim& prim, PrimTraits* traits) const;
  bool IsSelectedPrimvar(Token name) const;

  RequestContext& context_;
  const FrameSelection& selection_;
  XformTable& xforms_;
  std::unordered_set<std::string> primvars_;  // the selected ones, with "primvars:"; none: all
  Reservation reserved_;
  std::unordered_map<const PrimDefinition*, TypeTraits> types_;
  std::unordered_map<const PrimData*, PrimTraits> in_prototypes_;
  std::vector<PrimTraits> ahead_;
  size_t next_ahead_ = 0;
  size_t left_out_ = 0;
  PrimTraits other_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_PRIM_TRAITS_H_
