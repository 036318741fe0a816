#ifndef STAGEDOOR_SERVER_UPSTREAM_FORWARDED_METHOD_H_
#define STAGEDOOR_SERVER_UPSTREAM_FORWARDED_METHOD_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "server/rpc/method_policy.h"

namespace stagedoor::server {

// The ways in which a node daemon serves the calls of a method.
enum class ForwardKind {
  kPass,   // passes them on
  kQuery,  // keeps replies, which are functions of the request and the snapshot
  kOpen,   // answers with handles of its own, which share a lease upstream
  kRenew,
  kClose,
  kEdit,      // passes them on, once the handle has a session of its own
  kGetStage,  // passes it on, and says when the lease here expires
  kDescribe,  // passes GetCapabilities on, and says what is different here
};

// A method of the API that a node daemon serves by means of another daemon. Immutable.
struct ForwardedMethod {
  std::string path;  // "/stagedoor.v1.QueryService/GetPrim"
  MethodPolicy policy;
  ForwardKind kind;
  bool streams;
  // Whether streams last until the client ends them.
  bool watches;
  const google::protobuf::Message* request;  // an empty one
  // The field of the request that is its StageRef; null if it has none, or not as a field.
  const google::protobuf::FieldDescriptor* stage_field;
  const google::protobuf::Message* response;  // an empty one

  // As counters and logs name it.
  std::string name() const { return path.substr(1); }
};

// All of them. What the other methods show and steer is the node daemon itself.
std::vector<ForwardedMethod> ForwardedMethods();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_FORWARDED_METHOD_H_
