#ifndef STAGEDOOR_TESTS_HOSTILE_GENERIC_CALL_H_
#define STAGEDOOR_TESTS_HOSTILE_GENERIC_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace google::protobuf {
class MethodDescriptor;
}  // namespace google::protobuf

namespace stagedoor {

// One call of any method with any bytes, as no generated stub would send them.
struct GenericCall {
  std::string method;  // "/stagedoor.v1.QueryService/GetPrim"
  std::string request;
  std::chrono::milliseconds deadline{2000};
  // Reads this many messages, then leaves the rest unread until the call ends.
  size_t read_at_most = SIZE_MAX;
  // How long to hold a call whose reply is not read, before it is cancelled.
  std::chrono::milliseconds stall{0};
};

struct GenericResult {
  grpc::Status status;
  double seconds = 0;
  size_t messages = 0;
  size_t bytes = 0;
  std::string first;  // message
};

GenericResult RunGenericCall(const std::shared_ptr<grpc::Channel>& channel,
                             const GenericCall& call);

// A channel of its own connection, without limits on the size of messages.
std::shared_ptr<grpc::Channel> ConnectGeneric(const std::string& address);

// All methods of the API, and their paths on the wire.
std::vector<const google::protobuf::MethodDescriptor*> AllMethods();
std::string MethodPath(const google::protobuf::MethodDescriptor& method);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_HOSTILE_GENERIC_CALL_H_
