#include "server/handlers/watch_handler.h"

#include "base/status.h"

namespace stagedoor::server {

absl::StatusOr<ResponseStreamPtr<v1::WatchStageResponse>> WatchStage(ServerState&, RequestContext&,
                                                                     const v1::WatchStageRequest&) {
  return UnimplementedError("WatchStage is being written");
}

}  // namespace stagedoor::server
