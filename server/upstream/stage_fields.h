#ifndef STAGEDOOR_SERVER_UPSTREAM_STAGE_FIELDS_H_
#define STAGEDOOR_SERVER_UPSTREAM_STAGE_FIELDS_H_

#include <google/protobuf/message.h>

#include "stagedoor/v1/stages.pb.h"
#include "stagedoor/v1/types.pb.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The parts of a request of any method that a node daemon has to know. Pointers are into the
// request.

// The stage that it names by a handle; null if it names none.
v1::StageRef* FindStageRef(google::protobuf::Message* request);

// The stage that it opens for itself; null if it opens none.
const v1::OpenStageRequest* FindOpenRequest(const google::protobuf::Message& request);

// Its options for digests of arrays; null if it does not ask for digests.
v1::DigestOptions* FindDigestOptions(google::protobuf::Message* request);

// Whether it has a field of text or bytes of this name that is not empty.
bool HasText(const google::protobuf::Message& request, const char* field);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_STAGE_FIELDS_H_
