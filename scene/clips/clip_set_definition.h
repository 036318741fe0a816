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
#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/vec.h"

namespace stagedoor {

// 12.3.4.1.3 Template Metadata: asset paths with a number, such as "p.###.usd".
struct ClipTemplate {
  std::string asset_path;
  double start = 0;
  double end = 0;
  double stride = 0;
  std::optional<double> active_offset;
  LayerOffset times_offset;  // maps derived `times` to the set's time
};

// A clip set as the `clips` and `clipSets` metadata of a prim define it, composed over all sites of
// the prim.
//
// Implements Core Specification 12.3.4.1 Clip Sets. Corresponds to OpenUSD's Usd_ClipSetDefinition.
struct ClipSetDefinition {
  std::string name;

  // The anchor: the strongest site with an opinion about the asset paths. Its layer decides the
  // strength of the clip values.
  std::shared_ptr<const LayerStack> layer_stack;
  size_t layer_index = 0;
  Path prim_path;  // with variant selections
  // Maps the set's time to stage time: the offset of the anchor, or, unless its node has a
  // template, of the strongest layer of the node that has `active` (as in OpenUSD).
  LayerOffset offset;

  // Entries of the composed dictionary, if they have the right type. Times are the set's.
  std::optional<std::string> clip_prim;
  std::optional<std::string> manifest;
  std::optional<bool> interpolate_missing;
  std::optional<Array<AssetPath>> asset_paths;
  std::optional<Array<Vec2d>> active;
  std::optional<Array<Vec2d>> times;
  std::optional<ClipTemplate> pattern;  // only without asset_paths

  // A key that is equal for definitions that give the same values.
  std::string Key() const;
};

// The definitions of a prim, strongest first: ordered by anchoring site, and within a site by
// `clipSets`. Sets without an opinion about asset paths, and those that `clipSets` removes, are
// left out. Incomplete once the context is done. Corresponds to
// Usd_ComputeClipSetDefinitionsForPrimIndex.
std::vector<ClipSetDefinition> ComputeClipSetDefinitions(RequestContext& context,
                                                         const PrimIndexRef& index);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_DEFINITION_H_
