#ifndef STAGEDOOR_SERVER_STAGES_STAGE_STATE_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_STATE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_pool.h"
#include "base/request_context.h"
#include "scene/layer/layer_format.h"
#include "server/stages/stage_key.h"

namespace stagedoor::server {

// The part of a StageKey that edits of a session change, as a StateRecord: the session layer with
// its edits, load rules, muted layers. RESOURCE_EXHAUSTED if the context has no memory for it.
absl::StatusOr<std::string> SerializeStageState(RequestContext& context,
                                                const LayerFormats& formats,
                                                const StageKey& stage_key);

// Replaces that part of `stage_key` by what was serialized, perhaps by another daemon, so that its
// CacheKey is what it was there. An edited layer is charged to `pool`, which may be null.
// DATA_LOSS if the record is damaged.
absl::Status RestoreStageState(RequestContext& context, const LayerFormats& formats,
                               MemoryPool* pool, std::string_view record, StageKey& stage_key);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_STATE_H_
