#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SOURCE_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SOURCE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "scene/frame/frame_changes.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The sources of the layer of a frame. All must outlive the call of MakeFrameLayer.
struct FrameLayerSource {
  const Stage& stage;
  const FramePlan& plan;  // of `selection`
  const FrameSelection& selection;
  FrameTimes times;
  Prim camera;    // invalid if there is none
  Prim settings;  // a RenderSettings; invalid if there is none
  // Whether to leave out prims that are invisible at the frame, except for lights.
  bool without_invisible = false;
};

// A part of a frame's layer that could not be computed, and is left out.
struct FrameLayerProblem {
  std::string path;  // of the prim
  absl::Status status;
};

// The most problems that are reported of one layer.
inline constexpr size_t kMaxFrameLayerProblems = 1000;

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LAYER_SOURCE_H_
