// probe ADDRESS ROOT PATH: a well-behaved client during an attack. Opens ROOT and reads one value
// of PATH every five milliseconds. Prints a line per call: when it was sent, in seconds of the
// monotonic clock, its latency in microseconds, the status code and, if it failed, the message.
//
// Standard input gives orders of one letter: r, pause, confirmed by a line "resting" once no call
// is in flight; g, continue; e, or the end of the input: exit.
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "base/status.h"
#include "base/time_slice.h"
#include "client/cc/client.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kEvery{5};

// Long enough for any machine: the caller of the probe judges the latencies.
constexpr std::chrono::seconds kTimeout{60};

// The next order. Unset if there is none yet.
std::optional<char> NextOrder() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, 0) <= 0) return std::nullopt;
  char order;
  return read(STDIN_FILENO, &order, 1) == 1 ? order : 'e';
}

// Executes orders. False if the probe should exit.
bool Obey() {
  bool resting = false;
  for (;;) {
    const std::optional<char> order = NextOrder();
    if (order == 'e') return false;
    if (order == 'g' || (!order && !resting)) return true;
    if (order == 'r') {
      resting = true;
      std::printf("resting\n");
      std::fflush(stdout);
    }
    std::this_thread::sleep_for(kEvery);
  }
}

// Simulates a client on another machine, whose own waits for a processor do not count.
void NeverWaitForAProcessor() {
  const sched_param first{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) SetTimeSlice(kShortestTimeSlice);
}

int Main(int argc, char** argv) {
  if (argc != 4) return 2;
  NeverWaitForAProcessor();
  const auto client = Client::Connect({.address = argv[1], .timeout = kTimeout, .max_attempts = 1});
  v1::OpenStageRequest open;
  open.set_root_layer(argv[2]);
  const auto stage = client->OpenStage(open);
  if (!stage.ok()) {
    std::fprintf(stderr, "probe: %s\n", std::string(Message(stage.status())).c_str());
    return 1;
  }
  v1::BatchGetValuesRequest ask;
  ask.mutable_stage()->set_handle(stage->handle());
  ask.add_paths(argv[3]);
  ask.mutable_times()->add_frames(1);
  for (auto due = Clock::now(); Obey();) {
    std::this_thread::sleep_until(due);
    const auto begin = Clock::now();
    const auto reply = client->BatchGetValues(ask);
    const auto end = Clock::now();
    std::printf(
        "%.6f %.1f %d %s\n", std::chrono::duration<double>(begin.time_since_epoch()).count(),
        std::chrono::duration<double, std::micro>(end - begin).count(),
        static_cast<int>(reply.status().code()), std::string(Message(reply.status())).c_str());
    std::fflush(stdout);
    due = std::max(due + kEvery, end);
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
