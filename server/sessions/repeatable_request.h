#ifndef STAGEDOOR_SERVER_SESSIONS_REPEATABLE_REQUEST_H_
#define STAGEDOOR_SERVER_SESSIONS_REPEATABLE_REQUEST_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/stages/request_id_table.h"

namespace stagedoor::server {

// Identifies a request message by its request_id and content. If `id` is empty, so is the result.
// INVALID_ARGUMENT (INVALID_FIELD) for an ID that is too short to be unguessable, or too long.
absl::StatusOr<RepeatableRequest> IdentifyRequest(RequestContext& context, const std::string& id,
                                                  const google::protobuf::Message& request);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_REPEATABLE_REQUEST_H_
