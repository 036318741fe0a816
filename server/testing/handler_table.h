#ifndef STAGEDOOR_SERVER_TESTING_HANDLER_TABLE_H_
#define STAGEDOOR_SERVER_TESTING_HANDLER_TABLE_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "server/services/server_state.h"

namespace stagedoor::server {

// Answers a request in wire format as the service of the method does, on the calling thread and
// without a connection: parses it, checks its enums, calls the handler, and appends the messages of
// the reply in wire format. As in the daemon, the messages mean nothing if the status is an error.
absl::Status CallHandler(const google::protobuf::MethodDescriptor& method, const ServerState& state,
                         RequestContext& context, const std::string& request,
                         std::vector<std::string>* messages);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_HANDLER_TABLE_H_
