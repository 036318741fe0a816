#ifndef STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_

#include "scene/stage/stage.h"
#include "server/converters/reply_budget.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// Fills the fields that are known without visiting prims and are the same for all sessions.
void FillStage(const StageSnapshot& snapshot, ReplyBudget& budget, v1::Stage* out);

// Fills the fields that depend on the session: its name, interpolation and change policy.
void FillSession(const StageSession& session, v1::Stage* out);

// The functions below fill one StageDetail each.
void FillStageMetadata(const Stage& stage, ReplyBudget& budget, v1::Stage* out);
void FillUsedLayers(const Stage& stage, ReplyBudget& budget, v1::Stage* out);
void FillCompositionErrors(const Stage& stage, ReplyBudget& budget, v1::Stage* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_
