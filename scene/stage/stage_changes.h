#ifndef STAGEDOOR_SCENE_STAGE_STAGE_CHANGES_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_CHANGES_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/change_filter.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The differences between two snapshots of a stage. Corresponds to OpenUSD's
// UsdNotice::ObjectsChanged; docs/decisions/watching.md has the differences.
struct StageChanges {
  // More paths than this become "/".
  static constexpr size_t kMaxPaths = 10000;

  // The paths of prims and properties that have appeared, disappeared or may be composed in another
  // way, each with everything below it. No path is below another one. In namespace order, which is
  // the order of the texts, since '.' and '/' sort before the characters of names.
  std::set<std::string> resynced;
  // Other prims and properties whose opinions differ, with the names of the fields; none of them at
  // or below a path of `resynced`. "/" is the metadata of the stage.
  std::map<std::string, std::set<Token>> changed_infos;

  bool empty() const { return resynced.empty() && changed_infos.empty(); }
  bool everything() const { return resynced.contains("/"); }

  // If it is not known what has changed.
  static StageChanges Everything() { return {.resynced = {"/"}, .changed_infos = {}}; }

  // Compares two snapshots of one session, not necessarily neighbours; never misses a change that
  // `filter` wants. An edit of the session layer, or of others of the root layer stack, costs what
  // the layers that differ cost; layers that differ behind arcs cost a walk over all prims. Each
  // path of an instance proxy is reported, where OpenUSD reports prims of prototypes. Errors: those
  // of the context.
  static absl::StatusOr<StageChanges> Find(RequestContext& context, const Stage& before,
                                           const Stage& after, const ChangeFilter& filter);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_CHANGES_H_
