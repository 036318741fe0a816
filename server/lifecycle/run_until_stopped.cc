#include "server/lifecycle/run_until_stopped.h"

#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLogPatience{500};
constexpr unsigned kLastWordsSeconds = 3;
constexpr int kLookMilliseconds = 50;

// The thread on which the server starts, drains and is destroyed.
class ServerThread {
 public:
  enum class State { kStarting, kServing, kStopping, kEnded };

  ServerThread(const Lifecycle& lifecycle, int done_fd)
      : start_(lifecycle.start),
        publish_(lifecycle.publish),
        grace_period_(lifecycle.times.grace_period),
        done_fd_(done_fd) {
    std::thread([this] { Run(); }).detach();
  }

  State state() const {
    MutexLock lock(mu_);
    return state_;
  }
  absl::Status failure() const {
    MutexLock lock(mu_);
    return failure_;
  }
  // Unset before the server has started and after it has drained.
  std::optional<size_t> calls_in_flight() const {
    MutexLock lock(mu_);
    return server_ == nullptr ? std::nullopt : std::optional(server_->calls_in_flight());
  }
  void Stop() {
    MutexLock lock(mu_);
    stop_requested_ = true;
    changed_.NotifyAll();
  }

  // Calls `fn` of the server, if there is one, on a separate thread, so that the caller cannot
  // hang.
  void CallDetached(void (Drainable::*fn)()) {
    MutexLock lock(mu_);
    if (server_ == nullptr) return;
    ++detached_calls_;
    try {
      std::thread([this, fn, server = server_] {
        (server->*fn)();
        DetachedCallEnded();
      }).detach();
    } catch (const std::exception&) {
      --detached_calls_;  // no thread available; the following steps do not depend on this call
    }
  }

 private:
  void Run() {
    auto server = start_();
    absl::Status status = server.status();
    if (server.ok()) {
      Enter(server->get());
      status = publish_();
      if (status.ok()) AwaitStop();
      (*server)->Drain(grace_period_);
      Forget();
      server->reset();
    }
    End(status);
  }
  void Enter(Drainable* server) {
    MutexLock lock(mu_);
    server_ = server;
    state_ = State::kServing;
  }
  void AwaitStop() {
    MutexLock lock(mu_);
    while (!stop_requested_) changed_.Wait(mu_);
    state_ = State::kStopping;
  }
  void DetachedCallEnded() {
    MutexLock lock(mu_);
    --detached_calls_;
    changed_.NotifyAll();
  }
  // Returns when no thread uses the server any more.
  void Forget() {
    MutexLock lock(mu_);
    server_ = nullptr;
    while (detached_calls_ != 0) changed_.Wait(mu_);
  }
  void End(const absl::Status& status) {
    MutexLock lock(mu_);
    failure_ = status;
    state_ = State::kEnded;
    const uint64_t one = 1;
    (void)!::write(done_fd_, &one, sizeof(one));
  }

  const std::function<absl::StatusOr<std::unique_ptr<Drainable>>()> start_;
  const std::function<absl::Status()> publish_;
  const std::chrono::milliseconds grace_period_;
  const int done_fd_;

  mutable Mutex mu_;  // held only briefly
  CondVar changed_;
  State state_ ABSL_GUARDED_BY(mu_) = State::kStarting;
  bool stop_requested_ ABSL_GUARDED_BY(mu_) = false;
  Drainable* server_ ABSL_GUARDED_BY(mu_) = nullptr;
  size_t detached_calls_ ABSL_GUARDED_BY(mu_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
};

// Milliseconds to poll, or -1. From kDraining on, the calls in flight are checked periodically.
int PollTimeout(const DrainStateMachine& drain) {
  if (drain.state() >= DrainState::kDraining) return kLookMilliseconds;
  const DrainStateMachine::Time deadline = drain.deadline();
  if (deadline == DrainStateMachine::Time::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

// Exits the process regardless of what hangs. If even logging `why` hangs, for example because
// another thread holds a lock, SIGALRM ends the process shortly afterwards.
[[noreturn]] void ExitHard(const Lifecycle& lifecycle, const std::string& why, int status) {
  ::signal(SIGALRM, SIG_DFL);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  ::alarm(kLastWordsSeconds);
  try {
    spdlog::log(status == kExitStopped ? spdlog::level::info : spdlog::level::critical, "{}", why);
    lifecycle.clean_up();
    FlushLog(kLogPatience);
  } catch (...) {
    // For example out of memory: exit without a message.
  }
  ::_exit(status);
}

class Life {
 public:
  Life(const Lifecycle& lifecycle, SignalReceiver& signals, int signal_fd)
      : lifecycle_(lifecycle),
        signals_(signals),
        signal_fd_(signal_fd),
        done_fd_(::eventfd(0, EFD_CLOEXEC)),
        // Never destroyed, because its thread may hang in it forever.
        server_(*new ServerThread(lifecycle, done_fd_)),
        drain_(lifecycle.times) {}

  int Run() {
    for (;;) {
      pollfd fds[] = {{.fd = signal_fd_, .events = POLLIN, .revents = 0},
                      {.fd = done_fd_, .events = POLLIN, .revents = 0}};
      ::poll(fds, 2, PollTimeout(drain_));
      if (server_.state() == ServerThread::State::kEnded) return End();
      std::string_view name;
      for (;;) {
        const SignalReceiver::Event event = signals_.Receive(&name);
        if (event == SignalReceiver::Event::kNone) break;
        Handle(event, name);
      }
      const DrainState before = drain_.state();
      const std::optional<size_t> calls = server_.calls_in_flight();
      drain_.Observe(SteadyClock::now(), calls.value_or(1));
      if (drain_.state() != before) Begin(drain_.state());
    }
  }

 private:
  void Handle(SignalReceiver::Event event, std::string_view name) {
    if (event == SignalReceiver::Event::kReload) return Reload(name);
    if (server_.state() == ServerThread::State::kStarting) {
      ExitHard(lifecycle_, Concat(name, " received during startup; exiting"), kExitStopped);
    }
    spdlog::info("received {} with {} calls in flight", name,
                 server_.calls_in_flight().value_or(0));
    lifecycle_.stopping();
    drain_.Signal(SteadyClock::now());
    Begin(drain_.state());
  }

  void Reload(std::string_view name) {
    const absl::Status status = ReopenLog();
    if (status.ok()) {
      spdlog::info("received {}: reopening files", name);
    } else {
      spdlog::error("{}: {}", name, Message(status));
    }
    lifecycle_.reload();
  }

  void Begin(DrainState state) {
    if (state == DrainState::kAbandoned) GiveUp();
    server_.CallDetached(&Drainable::AnnounceShutdown);
    if (state == DrainState::kLameDuck) spdlog::info("draining: not ready, but still serving");
    if (state == DrainState::kDraining) spdlog::info("draining: no new calls");
    if (state >= DrainState::kDraining) server_.Stop();
    if (state == DrainState::kCancelling) {
      const size_t calls = server_.calls_in_flight().value_or(0);
      if (calls != 0) spdlog::warn("draining: cancelling {} calls", calls);
      server_.CallDetached(&Drainable::CancelCalls);
    }
  }

  [[noreturn]] void GiveUp() {
    const std::optional<size_t> calls = server_.calls_in_flight();
    if (calls == 0u) {
      ExitHard(lifecycle_, "stopped; some connections did not close", kExitStopped);
    }
    ExitHard(lifecycle_,
             calls.has_value() ? Concat("exiting with ", *calls, " cancelled calls still running")
                               : "exiting before the server has shut down",
             kExitForced);
  }

  int End() {
    const absl::Status failure = server_.failure();
    if (failure.ok()) {
      spdlog::info("stopped");
    } else {
      spdlog::error("{}", Message(failure));
    }
    FlushLog(kLogPatience);
    return failure.ok() ? kExitStopped : kExitFailed;
  }

  const Lifecycle& lifecycle_;
  SignalReceiver& signals_;
  const int signal_fd_;
  const int done_fd_;
  ServerThread& server_;
  DrainStateMachine drain_;
};

}  // namespace

int RunUntilStopped(const Lifecycle& lifecycle, SignalReceiver& signals, int signal_fd) {
  return Life(lifecycle, signals, signal_fd).Run();
}

}  // namespace stagedoor::server
