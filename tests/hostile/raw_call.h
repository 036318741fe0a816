#ifndef STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_
#define STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace stagedoor {

// One call of any method with any bytes, as no generated stub would send them.
struct RawCall {
  std::string method;  // "/stagedoor.v1.QueryService/GetPrim"
  std::string request;
  std::chrono::milliseconds deadline{2000};
  // Reads this many messages, then leaves the rest unread until the call ends.
  size_t read_at_most = SIZE_MAX;
  // How long to hold a call whose reply is not read, before it is cancelled.
  std::chrono::milliseconds stall{0};
};

struct RawResult {
  grpc::Status status;
  double seconds = 0;
  size_t messages = 0;
  size_t bytes = 0;
  std::string first;  // message
};

RawResult RunRawCall(const std::shared_ptr<grpc::Channel>& channel, const RawCall& call);

// A channel of its own connection, without limits on the size of messages.
std::shared_ptr<grpc::Channel> ConnectRaw(const std::string& address);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_
