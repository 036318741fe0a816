#ifndef STAGEDOOR_SERVER_SESSIONS_STAGE_EDITOR_H_
#define STAGEDOOR_SERVER_SESSIONS_STAGE_EDITOR_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/edit/edited_stage.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_key.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {

struct AssetState;

// Applies the edits of one call to the key of a session's stage, as the change of
// StageSession::Edit. Used once, on one thread.
class StageEditor {
 public:
  // `newest` is the session's newest snapshot, which has the stage of `stage_key`. All outlive the
  // object.
  StageEditor(const AssetState& state, RequestContext& context,
              std::shared_ptr<const StageSnapshot> newest, StageKey& stage_key);

  // Applies all edits. If some fail, the status has them (EditErrorList), and the key must not be
  // used. RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for a session layer that is or becomes larger than
  // ServerLimits::max_session_layer_bytes; errors of StageCache::OpenEdited.
  absl::Status Apply(const v1::EditStageRequest& request);

 private:
  absl::Status ApplyOne(const v1::EditStageRequest& request, const v1::Edit& edit);
  absl::Status ApplyToKey(const v1::Edit& edit);
  absl::Status ReplaceSessionLayer(const v1::SessionLayer& session_layer);
  // Starts to edit the session layer of the stage, unless it has been started.
  absl::Status BeginLayer(const v1::EditTarget& target);
  absl::Status CopyLayer(const v1::EditTarget& target);
  absl::Status FinishLayer(const v1::EditStageRequest& request);
  // Reserves the memory that the last edit has added.
  absl::Status CountMemory();
  absl::StatusOr<std::shared_ptr<const Stage>> Compose(std::shared_ptr<const Layer> layer);

  const AssetState& state_;
  RequestContext& context_;
  const std::shared_ptr<const StageSnapshot> newest_;
  StageKey& stage_key_;
  const SourceCheck sources_;
  // The newest snapshot, or the one with the session layer that an edit has set.
  std::shared_ptr<const StageSnapshot> current_;
  bool key_changed_ = false;  // since current_
  std::shared_ptr<PathScope> paths_;
  std::unique_ptr<EditedStage> edited_;  // null until an edit of the layer
  Reservation reserved_{context_};       // for edited_
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_STAGE_EDITOR_H_
