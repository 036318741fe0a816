#ifndef STAGEDOOR_SERVER_FUZZ_CONTRACT_H_
#define STAGEDOOR_SERVER_FUZZ_CONTRACT_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/testing/generic_call.h"

namespace stagedoor::server {

// The problem with an error that a handler returned: a code or reason that errors.proto does not
// permit, or details that a client cannot parse or that do not fit into its metadata. Empty if
// there is none, and for OK.
std::string ProblemWithError(const absl::Status& status);

// Parses the messages that CallHandler returned for a method. `valid` is false if one of them
// cannot be parsed or is larger than a client accepts of a stream.
GenericReply ParseReply(const google::protobuf::MethodDescriptor& method,
                        const absl::Status& status, const std::vector<std::string>& messages);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FUZZ_CONTRACT_H_
