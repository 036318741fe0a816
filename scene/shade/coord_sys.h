#ifndef STAGEDOOR_SCENE_SHADE_COORD_SYS_H_
#define STAGEDOOR_SCENE_SHADE_COORD_SYS_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The coordinate systems that prims name for their shaders. Correspond to OpenUSD's
// UsdShadeCoordSysAPI.

// A name for the space of a prim.
struct CoordSysBinding {
  Token name;         // of the instance of CoordSysAPI
  Path relationship;  // "/A.coordSys:NAME:binding"
  Path target;        // the prim whose space it is; need not exist
};

// Finds the bindings of many prims of a stage: those of the CoordSysAPI instances that are applied
// to a prim, in their order, then those of its ancestors for other names. A target that a reference
// does not reach is left out; OpenUSD leaves out the relationship. Valid as long as the stage. Not
// thread-safe.
class CoordSysBindings {
 public:
  using List = std::vector<CoordSysBinding>;

  explicit CoordSysBindings(RequestContext& context)
      : context_(context), pacer_(context), reserved_(context) {}

  // Prims with the same bindings of the same prims have the same list. Null if there are none, or
  // the request is over. The pointer is valid as long as this object.
  const List* Find(const Prim& prim);

 private:
  const List* ListOf(const Prim& prim, const List* inherited);
  List LocalBindings(const Prim& prim);

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };
  std::unordered_map<Prim, const List*, PrimHash> found_;
  std::vector<std::unique_ptr<List>> all_;
  std::vector<Prim> chain_;  // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_COORD_SYS_H_
