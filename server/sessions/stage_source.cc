#include "server/sessions/stage_source.h"

#include <utility>

#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/error_info.h"
#include "server/sessions/audit.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/source_state.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/stage_cache.h"
#include "server/stages/stage_key.h"

namespace stagedoor::server {

absl::StatusOr<SourceStage> AcquireSource(const SourceState& state, RequestContext& context,
                                          const v1::StageSource& source) {
  if (source.has_stage()) {
    SD_ASSIGN_OR_RETURN(const LeasedStage leased,
                        AcquireStage(state.queries, context, source.stage()));
    return SourceStage{leased.snapshot, leased.session->routing_key()};
  }
  if (!source.has_open()) {
    return InvalidFieldError("source", "", "the request must set stage or open");
  }
  SD_ASSIGN_OR_RETURN(const StageKey stage_key,
                      ParseStageKey(state.assets, context, source.open()));
  const std::string cache_key = stage_key.CacheKey();
  const absl::StatusOr<StageCache::Opened> result =
      state.assets.stages.Open(context, stage_key, cache_key);
  AuditOpening(state.assets.audit, "open stage", source.open().root_layer(), result.status());
  SD_ASSIGN_OR_RETURN(const StageCache::Opened opened, result);
  RequestScope::Adopt(opened.snapshot->stage().paths());
  return SourceStage{opened.snapshot, RoutingKeyOf(cache_key)};
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> AcquireSnapshot(
    const SourceState& state, RequestContext& context, const v1::StageSource& source) {
  SD_ASSIGN_OR_RETURN(SourceStage acquired, AcquireSource(state, context, source));
  return std::move(acquired.snapshot);
}

}  // namespace stagedoor::server
