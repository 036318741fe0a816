// probe ADDRESS ROOT PATH: a well-behaved client beside an attack. Opens ROOT and asks for one
// value of PATH every five milliseconds, until standard input ends. Prints a line a call: when it
// was sent, in seconds of the monotonic clock, how many microseconds later the answer was there,
// and the status code.
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "base/status.h"
#include "client/cc/client.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kEvery{5};

bool InputEnded() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  char byte;
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

int Main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto client =
      Client::Connect({.address = argv[1], .timeout = std::chrono::seconds(20), .max_attempts = 1});
  v1::OpenStageRequest open;
  open.set_root_layer(argv[2]);
  const auto stage = client->OpenStage(open);
  if (!stage.ok()) {
    std::fprintf(stderr, "probe: %s\n", std::string(Message(stage.status())).c_str());
    return 1;
  }
  v1::BatchGetValuesRequest ask;
  ask.mutable_stage()->set_handle(stage->stage().handle());
  ask.add_paths(argv[3]);
  ask.mutable_times()->add_frames(1);
  for (auto due = Clock::now(); !InputEnded();) {
    std::this_thread::sleep_until(due);
    const auto begin = Clock::now();
    const auto reply = client->BatchGetValues(ask);
    const auto end = Clock::now();
    std::printf("%.6f %.1f %d\n", std::chrono::duration<double>(begin.time_since_epoch()).count(),
                std::chrono::duration<double, std::micro>(end - begin).count(),
                static_cast<int>(reply.status().code()));
    std::fflush(stdout);
    due = std::max(due + kEvery, end);
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
