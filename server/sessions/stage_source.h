#ifndef STAGEDOOR_SERVER_SESSIONS_STAGE_SOURCE_H_
#define STAGEDOOR_SERVER_SESSIONS_STAGE_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

struct SourceState;

// The stage that a StageSource names.
struct SourceStage {
  std::shared_ptr<const StageSnapshot> snapshot;
  std::string routing_key;  // of what the stage was opened with
};

// The stage that a tool works on: of a leased stage, or of one that is opened for the call or
// shared with its lease holders. Errors: those of AcquireStage, or of ParseStageKey and
// StageCache::Open; INVALID_ARGUMENT (INVALID_FIELD) if the request names no stage.
absl::StatusOr<SourceStage> AcquireSource(const SourceState& state, RequestContext& context,
                                          const v1::StageSource& source);
// The snapshot alone.
absl::StatusOr<std::shared_ptr<const StageSnapshot>> AcquireSnapshot(const SourceState& state,
                                                                     RequestContext& context,
                                                                     const v1::StageSource& source);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_STAGE_SOURCE_H_
