#ifndef STAGEDOOR_SERVER_TESTING_GENERIC_CALL_H_
#define STAGEDOOR_SERVER_TESTING_GENERIC_CALL_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/channel.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagedoor::server {

// The status and messages of a call. `valid` is false if a message could not be parsed, for example
// because a string is not valid UTF-8.
struct GenericReply {
  grpc::Status status;
  bool valid = true;
  std::vector<std::unique_ptr<google::protobuf::Message>> messages;
};

// Calls any method of the API, unary or streaming, by its descriptor. Ends a stream without an end
// (WatchStage) after its first message.
GenericReply CallMethod(const std::shared_ptr<grpc::Channel>& channel,
                        const google::protobuf::MethodDescriptor& method,
                        const google::protobuf::Message& request,
                        std::chrono::seconds deadline = std::chrono::hours(1));

// The path of a method on the wire: "/stagedoor.v1.QueryService/GetPrim".
std::string MethodPath(const google::protobuf::MethodDescriptor& method);

// All methods of the API.
std::vector<const google::protobuf::MethodDescriptor*> AllMethods();

// An empty request for a method.
std::unique_ptr<google::protobuf::Message> NewRequest(
    const google::protobuf::MethodDescriptor& method);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_GENERIC_CALL_H_
