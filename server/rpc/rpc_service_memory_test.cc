// Calls in a process with a memory limit.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded_new.h"
#include "base/memory_guard.h"
#include "server/rpc/testing/rpc_service_fixture.h"

namespace stagedoor::server {
namespace {

TEST_F(RpcServiceTest, ARequestThatReservesNothingFailsAlone) {
  if (!STAGEDOOR_GUARDS_NEW) GTEST_SKIP() << "sanitizers replace operator new";
  unary_ = [](RequestContext&, const ErrorInfo& in, ErrorInfo*) -> absl::Status {
    std::vector<std::string> held;
    while (!in.reason().empty()) held.emplace_back(100000, 'x');
    return absl::OkStatus();
  };
  SetMemoryLimit(MemoryInUse() + (uint64_t{150} << 20));
  ErrorInfo greedy;
  greedy.set_reason("greedy");
  std::atomic<bool> ended{false};
  std::thread other([&] {
    EXPECT_EQ(Call(kUnary, greedy).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    ended = true;
  });
  do {
    EXPECT_TRUE(Call(kLight).ok());
  } while (!ended);
  other.join();
  EXPECT_TRUE(Call(kUnary).ok());
  SetMemoryLimit(0);
}

}  // namespace
}  // namespace stagedoor::server
