#ifndef STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_
#define STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_

#include "scene/stage/stage.h"
#include "server/converters/reply_budget.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor {

// What is known of a stage without looking for it, whether anyone holds it or not.
void FillStage(const StageSnapshot& snapshot, ReplyBudget& budget, v1::Stage* out);

// What those who hold it see differently: interpolation, and how many they are.
void FillSession(const StageSession& session, v1::Stage* out);

// The details that cost something.
void FillStageMetadata(const Stage& stage, ReplyBudget& budget, v1::Stage* out);
void FillUsedLayers(const Stage& stage, ReplyBudget& budget, v1::Stage* out);
void FillCompositionErrors(const Stage& stage, ReplyBudget& budget, v1::Stage* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_STAGE_CONVERTER_H_
