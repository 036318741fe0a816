#ifndef STAGEDOOR_SCENE_LOD_LOD_CHOICE_H_
#define STAGEDOOR_SCENE_LOD_LOD_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/geom/bbox_cache.h"
#include "scene/lod/lod_heuristic.h"
#include "scene/lod/lod_override.h"
#include "scene/lod/view_volume.h"
#include "scene/stage/prim.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Whether the levels of a prim differ in detail: it has LODRootAPI.
bool IsLodRoot(const Prim& prim);

// The levels of a LOD root, from the first: its children, instance proxies included, that are
// active, loaded, defined and not abstract.
std::vector<Prim> LodLevels(const Prim& root);

// From where a LOD root is seen.
struct LodView {
  Vec3d viewpoint{0, 0, 0};          // in world space
  std::optional<ViewVolume> volume;  // without it, heuristics by size are not used
  // How far measures stay behind; see WithHysteresis.
  double distance_hysteresis = 0;
  double screen_size_hysteresis = 0;
};

// Which level of detail of a prim to show. OpenUSD leaves the choice to renderers; it is made as
// the schema UsdLodRootAPI describes.
struct LodChoice {
  enum class Shown : uint8_t { kNone, kAll, kLevels };
  enum class Reason : uint8_t { kOverride, kHeuristic, kDefault };

  Shown shown = Shown::kLevels;
  Reason reason = Reason::kDefault;
  // With kLevels: the index, at least 0 and at most that of the last level. A fraction is the share
  // of the next level in a blend.
  float level = 0;
  LodOverride override_opinion;
  // With kHeuristic.
  Prim heuristic;
  LodHeuristicKind kind = LodHeuristicKind::kDistance;
  double measure = 0;  // the distance or the size
};

// Chooses among `levels` levels of a LOD root at the time of `cache`: as an override says, else as
// the first heuristic of `domain`, such as "imaging", that can be used recommends, else the root's
// default. `previous`, which may be null, is the choice for the time before, to which hysteresis
// refers.
LodChoice ChooseLod(RequestContext& context, const Prim& root, size_t levels,
                    std::string_view domain, const Matrix4d& local_to_world, const LodView& view,
                    BBoxCache& cache, const LodChoice* previous = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LOD_LOD_CHOICE_H_
