#ifndef STAGEDOOR_CLIENT_SDK_FRAME_OPTIONS_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_OPTIONS_H_

#include <optional>
#include <string>

#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/motion.pb.h"

namespace stagedoor::sdk {

// Options for what belongs to the frames of a Frame.
struct FrameOptions {
  // When the shutter opens and closes, in time codes from the time of the frame on.
  struct Shutter {
    double open = 0;
    double close = 0;
    // The number of equal parts at whose ends motion is sampled. 0: at the authored samples.
    uint32_t segments = 0;
  };

  // The absolute path of a Camera prim. Default: that of the render settings of the stage.
  std::string camera = {};
  // Default: everything has one sample, at the time of the frame.
  std::optional<Shutter> shutter = std::nullopt;
  // Everything else: the selection, the rest of the sample_policy, changes_between_snapshots. The
  // fields above are added; the stage, the time and the token of the base are set by each call.
  v1::ExtractFrameRequest request = {};
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_OPTIONS_H_
