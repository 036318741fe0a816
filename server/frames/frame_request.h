#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_REQUEST_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_REQUEST_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_changes.h"
#include "scene/frame/frame_selection.h"
#include "scene/render/render_spec.h"
#include "scene/stage/prim.h"
#include "server/frame_memory/frame_token.h"
#include "server/sessions/leased_stage.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {

struct QueryState;

// The fields of a request about a frame, with defaults filled in. Valid as long as the context of
// the request.
struct FrameRequest {
  LeasedStage leased;
  FrameSelection selection;
  bool without_invisible = false;
  FrameTimes times;
  Prim camera;                              // invalid if there is none
  Prim settings;                            // invalid if there are none
  std::optional<RenderSpec> settings_spec;  // that of `settings`
  // 16 bytes that are equal for equal selections, by which plans are kept (FramePlans).
  std::string plan_key;

  const Stage& stage() const { return leased.stage(); }
};

// The fields that all requests about frames have.
struct FrameRequestFields {
  const v1::StageRef& stage;
  const v1::TimeCode& time;
  const v1::SamplePolicy* policy;  // null if it is not set
  const v1::FrameSelection& selection;

  template <typename Request>
  static FrameRequestFields Of(const Request& request) {
    return {.stage = request.stage(),
            .time = request.time(),
            .policy = request.has_sample_policy() ? &request.sample_policy() : nullptr,
            .selection = request.selection()};
  }
};

// Looks up the stage and the prims of the selection. Errors: those of AcquireStage, ParseTimeCode,
// ParseSamplePolicy and LookUpPrim; WRONG_KIND for settings, a pass or a camera of another type;
// INVALID_FIELD for a purpose that no renderer has; REQUEST_TOO_LARGE for a list with more than
// kMostSelected elements.
absl::StatusOr<FrameRequest> ParseFrameRequest(const QueryState& state, RequestContext& context,
                                               const FrameRequestFields& fields);

inline constexpr size_t kMostSelected = 1000;

// The key of frames (FrameToken::key): equal for requests that ask for the same of any stage at any
// time.
FrameToken::Words FrameKeyOf(const FrameRequestFields& fields, bool changes_between_snapshots);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_REQUEST_H_
