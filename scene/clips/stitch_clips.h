// StitchClips: makes a value clip set of clip layers, as OpenUSD's usdstitchclips.
#ifndef STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_
#define STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_registry.h"
#include "scene/paths/path.h"

namespace stagedoor {

struct StitchClipsOptions {
  std::vector<std::string> clips;  // identifiers, in order
  // Where the result goes. Asset paths of files beside it or below become relative to it, and the
  // names of the other two layers derive from it: STEM.topology.EXT, STEM.manifest.EXT.
  std::string output;
  Path clip_path;  // the prim that has the set
  std::string clip_set = "default";
  std::optional<double> start_time_code;
  std::optional<double> end_time_code;
  bool interpolate_missing_clip_values = false;

  // Template metadata instead of lists of clips and times; needs both time codes.
  struct Template {
    std::string path;  // "sim.###.usdc"
    double stride = 1;
    std::optional<double> active_offset;
  };
  std::optional<Template> clip_template;
};

struct StitchedClips {
  std::shared_ptr<const Layer> result;    // has the set; includes the topology
  std::shared_ptr<const Layer> topology;  // all of the clips but the samples
  std::shared_ptr<const Layer> manifest;
};

// Opens the clips one after another, in `registry` but not in its cache. Nothing is written.
// INVALID_ARGUMENT for an output without extension, a path that is not a prim path or that no clip
// has, missing time codes; else the errors of opening, which name the clip.
absl::StatusOr<StitchedClips> StitchClips(RequestContext& context, const LayerRegistry& registry,
                                          const StitchClipsOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_
