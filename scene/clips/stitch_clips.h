#ifndef STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_
#define STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// StitchClips: makes a value clip set from clip layers. Corresponds to OpenUSD's
// UsdUtilsStitchClips, UsdUtilsStitchClipsTopology, UsdUtilsStitchClipsManifest and
// UsdUtilsStitchClipsTemplate, and to its command usdstitchclips.

struct StitchClipsOptions {
  std::vector<std::string> clips;  // identifiers, in order
  // Where the result is to be written. Paths of files beside it or below become relative to it, and
  // the names of the other two layers derive from it: STEM.topology.EXT, STEM.manifest.EXT.
  std::string output;
  Path clip_path;  // the prim that gets the clip set, in the result and in the clips
  std::string clip_set = "default";
  // Override the range of time codes that the result gets from the clips.
  std::optional<double> start_time_code;
  std::optional<double> end_time_code;
  bool interpolate_missing_clip_values = false;

  // If set, template metadata is written instead of explicit lists; needs both time codes.
  struct Template {
    std::string path;  // "sim.###.usdc"
    double stride = 1;
    std::optional<double> active_offset;
  };
  std::optional<Template> clip_template;
};

struct StitchedClips {
  std::shared_ptr<const Layer> result;    // has the clip set; sublayers the topology
  std::shared_ptr<const Layer> topology;  // the clips merged, without animation
  std::shared_ptr<const Layer> manifest;  // declares the animated attributes
};

// Opens the layer of a clip, given its identifier. Caching gains nothing: each clip is opened once.
using ClipOpener =
    std::function<absl::StatusOr<std::shared_ptr<const Layer>>(const std::string& identifier)>;

// Opens the clips one after another, so that only one is in memory. Writes nothing.
// INVALID_ARGUMENT for an output without a file extension, a clip path that is not a prim path or
// that no clip has, no clips, or missing time codes of a template; otherwise the errors of `open`.
absl::StatusOr<StitchedClips> StitchClips(RequestContext& context, const ClipOpener& open,
                                          const StitchClipsOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_STITCH_CLIPS_H_
