#ifndef STAGEDOOR_SCENE_STAGE_INTERNAL_ARCS_H_
#define STAGEDOOR_SCENE_STAGE_INTERNAL_ARCS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The text of the path of a prim and, for a prim in a prototype, that of the prototype's source.
struct PrimPlace {
  std::string path;
  std::string within;
};

// Where the opinions of a stage's own layers go besides the prim that they are about. Takes the
// place of the part of OpenUSD's Pcp_Dependencies that edits of a stage need.
//
// The inherits, specializes, internal references and relocates of a stage: arcs that lead to sites
// in its root layer stack. Paths are texts, so that snapshots of one session can share an object.
// Immutable, thread-safe.
class InternalArcs {
 public:
  // Those of a stage: found by a walk over its prims, and then kept with it. Errors: those of the
  // context.
  static absl::StatusOr<std::shared_ptr<const InternalArcs>> Find(RequestContext& context,
                                                                  const Stage& stage);
  // Lets `stage` have those of the snapshot before it, of which it has all prims and arcs.
  static void Share(std::shared_ptr<const InternalArcs> arcs, const Stage& stage);

  // Calls take(place) for each place of a prim that may have opinions from a site by an arc;
  // `site` has no variant selections. The prims may not exist.
  void VisitUsers(const std::string& site, const std::function<void(PrimPlace)>& take) const;

  // As VisitUsers, for the prims that have arcs to sites below `site`.
  void VisitUsersBelow(const std::string& site, const std::function<void(PrimPlace)>& take) const;

  // Calls take(path) for the paths of a prim on the stage, of which a prim in a prototype has one
  // for each instance, until it returns false. Returns the result of the last call, and false for
  // instances that nest too deeply.
  bool VisitPaths(const PrimPlace& place, const std::function<bool(std::string)>& take) const {
    return VisitPaths(place, take, 0);
  }

  size_t byte_size() const { return byte_size_; }

 private:
  class Finder;

  bool VisitPaths(const PrimPlace& place, const std::function<bool(std::string)>& take,
                  int depth) const;

  // By the site that an arc leads to, the prims that have the arc.
  std::multimap<std::string, PrimPlace, std::less<>> arcs_;
  // By the source of a prototype, its instances.
  std::multimap<std::string, PrimPlace, std::less<>> instances_;
  size_t byte_size_ = 0;
};

// The path of the parent of an object; empty for "/".
std::string_view ParentPath(std::string_view path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_INTERNAL_ARCS_H_
