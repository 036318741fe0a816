// ClipSetDefinition: a clip set as the `clips` and `clipSets` metadata of a prim define it,
// composed over its sites.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SET_DEFINITION_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SET_DEFINITION_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/composition/prim_index.h"
#include "scene/paths/path.h"
#include "scene/values/array.h"
#include "scene/values/linear_types.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

// Asset paths by number: "p.###.usd".
struct ClipTemplate {
  std::string asset_path;
  double start = 0;
  double end = 0;
  double stride = 0;
  std::optional<double> active_offset;
  LayerOffset times_offset;  // what brings its clip times to the set's time
};

struct ClipSetDefinition {
  std::string name;

  // The anchor: the strongest site with an opinion about the asset paths.
  std::shared_ptr<const LayerStack> layer_stack;
  size_t layer_index = 0;
  Path prim_path;  // with variant selections
  // The set's time to stage time: that of the anchor, or of a stronger layer of its node with an
  // `active` where the node has no template (as OpenUSD has it).
  LayerOffset offset;

  // Entries of the composed dictionary that have the right type. Times are the set's.
  std::optional<std::string> clip_prim;
  std::optional<std::string> manifest;
  std::optional<bool> interpolate_missing;
  std::optional<Array<AssetPath>> asset_paths;
  std::optional<Array<Vec2d>> active;
  std::optional<Array<Vec2d>> times;
  std::optional<ClipTemplate> pattern;  // only where there are no asset_paths

  // Equal for definitions that resolve alike.
  std::string Key() const;
};

// The definitions of a prim, by anchoring site and there by the order of `clipSets`. Sets without
// opinion about asset paths are left out, as are those `clipSets` removes. Incomplete once the
// context has ended.
std::vector<ClipSetDefinition> ComputeClipSetDefinitions(RequestContext& context,
                                                         const PrimIndexRef& index);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_DEFINITION_H_
