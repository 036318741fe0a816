#include "server/handlers/edit_stage_handler.h"

#include "base/status.h"

namespace stagedoor::server {

absl::Status EditStage(ServerState&, RequestContext&, const v1::EditStageRequest&,
                       v1::EditStageResponse*) {
  return UnimplementedError("EditStage is being written");
}

absl::StatusOr<ResponseStreamPtr<v1::ExportSessionLayerResponse>> ExportSessionLayer(
    ServerState&, RequestContext&, const v1::ExportSessionLayerRequest&) {
  return UnimplementedError("ExportSessionLayer is being written");
}

}  // namespace stagedoor::server
