#ifndef STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_
#define STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

struct SessionState;

// The RPCs of StagesService; stages.proto documents them.
absl::Status OpenStage(const SessionState& state, RequestContext& context,
                       const v1::OpenStageRequest& request, v1::OpenStageResponse* response);
absl::Status GetStage(const SessionState& state, RequestContext& context,
                      const v1::GetStageRequest& request, v1::GetStageResponse* response);
absl::Status ListStages(const SessionState& state, RequestContext& context,
                        const v1::ListStagesRequest& request, v1::ListStagesResponse* response);
absl::Status CloseStage(const SessionState& state, RequestContext& context,
                        const v1::CloseStageRequest& request, v1::CloseStageResponse* response);
absl::Status RenewLease(const SessionState& state, RequestContext& context,
                        const v1::RenewLeaseRequest& request, v1::RenewLeaseResponse* response);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_STAGE_HANDLERS_H_
