#ifndef STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_
#define STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace stagedoor {

// A call of any method with arbitrary bytes, which a generated stub would not send.
struct RawCall {
  std::string method;  // "/stagedoor.v1.QueryService/GetPrim"
  std::string request;
  std::chrono::milliseconds deadline{2000};
  // Reads this many messages, then leaves the rest unread until the call ends.
  size_t read_at_most = SIZE_MAX;
  // How long to leave the reply unread before the call is cancelled.
  std::chrono::milliseconds stall{0};
};

struct RawResult {
  grpc::Status status;
  double seconds = 0;
  size_t messages = 0;
  size_t bytes = 0;
  std::string first;  // the first message
};

RawResult RunRawCall(const std::shared_ptr<grpc::Channel>& channel, const RawCall& call);

// A channel with its own connection, without limits on message sizes.
std::shared_ptr<grpc::Channel> ConnectRaw(const std::string& address);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_HOSTILE_RAW_CALL_H_
