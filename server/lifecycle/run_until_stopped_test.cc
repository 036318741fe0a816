// Daemon processes whose servers end normally, late or never. No test measures time: a step that
// should not be reached would take hours.
#include "server/lifecycle/run_until_stopped.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::hours kHours{10};
constexpr std::chrono::milliseconds kNow{0};

enum class Ends { kAtOnce, kWhenCancelled, kNever };

struct Plan {
  Ends calls = Ends::kAtOnce;
  bool starts = true;
  bool destructor_hangs = false;
  DrainTimeouts times{.delay = kHours, .grace_period = kHours, .cancel_grace_period = kHours};
  std::string log_file;
  std::string log_level = "off";
  bool hup_ignored = false;
};

[[noreturn]] void Hang() {
  for (;;) ::pause();
}

// Writes one letter for each call it receives.
class FakeServer final : public Drainable {
 public:
  FakeServer(const Plan& plan, int report) : plan_(plan), report_(report) {}
  ~FakeServer() override {
    if (plan_.destructor_hangs) Hang();
    Report('~');
  }
  void AnnounceShutdown() override { Report('A'); }
  void Drain(std::chrono::milliseconds) override {
    Report('D');
    if (plan_.calls == Ends::kNever) Hang();
    MutexLock lock(mu_);
    while (plan_.calls == Ends::kWhenCancelled && !cancelled_) changed_.Wait(mu_);
  }
  void CancelCalls() override {
    Report('C');
    MutexLock lock(mu_);
    cancelled_ = true;
    changed_.NotifyAll();
  }
  size_t calls_in_flight() const override { return 1; }

 private:
  void Report(char letter) const { (void)!::write(report_, &letter, 1); }

  const Plan& plan_;
  const int report_;
  Mutex mu_;
  CondVar changed_;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

int RunChild(const Plan& plan, int report) {
  ::signal(SIGHUP, plan.hup_ignored ? SIG_IGN : SIG_DFL);
  SignalReceiver signals(!plan.log_file.empty());
  const int fd = signals.Setup();
  if (!InitializeLog(plan.log_level, plan.log_file).ok()) return 99;
  Lifecycle lifecycle;
  lifecycle.times = plan.times;
  lifecycle.start = [&]() -> absl::StatusOr<std::unique_ptr<Drainable>> {
    if (!plan.starts) {
      (void)!::write(report, "s", 1);
      Hang();
    }
    return std::make_unique<FakeServer>(plan, report);
  };
  lifecycle.publish = [report] {
    (void)!::write(report, "S", 1);
    return absl::OkStatus();
  };
  lifecycle.reload = [report] { (void)!::write(report, "R", 1); };
  lifecycle.clean_up = [report] { (void)!::write(report, "X", 1); };
  return RunUntilStopped(lifecycle, signals, fd);
}

class RunUntilStoppedTest : public ::testing::Test {
 protected:
  ~RunUntilStoppedTest() override {
    if (child_ > 0) ::kill(child_, SIGKILL);
  }
  void Run(const Plan& plan) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    child_ = ::fork();
    if (child_ == 0) ::_exit(RunChild(plan, ends[1]));
    ::close(ends[1]);
    report_ = ends[0];
  }
  void Signal(int signal) const { ::kill(child_, signal); }
  // Waits until the child has written `letter`. Collects all letters in reported_.
  void Await(char letter) {
    char c = 0;
    while (reported_.find(letter) == std::string::npos && ::read(report_, &c, 1) == 1)
      reported_ += c;
    ASSERT_NE(reported_.find(letter), std::string::npos) << reported_;
  }
  // Waits for the child to end. Returns its exit status, or minus the signal that ended it.
  int Status() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = 0;
    for (char c = 0; ::read(report_, &c, 1) == 1;) reported_ += c;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  bool Reported(char letter) const { return reported_.find(letter) != std::string::npos; }

  pid_t child_ = 0;
  int report_ = -1;
  std::string reported_;
};

TEST_F(RunUntilStoppedTest, AnnouncesThenDrainsThenCancels) {
  Run({.calls = Ends::kWhenCancelled});
  Await('S');
  Signal(SIGTERM);
  Await('A');
  EXPECT_FALSE(Reported('D')) << "still serving during the delay";
  Signal(SIGTERM);
  Await('D');
  EXPECT_FALSE(Reported('C')) << "calls may finish";
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
  EXPECT_TRUE(Reported('C'));
  EXPECT_TRUE(Reported('~'));
}

TEST_F(RunUntilStoppedTest, DrainsAfterTheDelay) {
  Plan plan;
  plan.times.delay = std::chrono::milliseconds(1);
  Run(plan);
  Await('S');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
  EXPECT_TRUE(Reported('A') && Reported('D'));
}

TEST_F(RunUntilStoppedTest, EndsAsSoonAsCallsHaveEnded) {
  Run({.calls = Ends::kAtOnce,
       .times = {.delay = kNow, .grace_period = kHours, .cancel_grace_period = kHours}});
  Await('S');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
  EXPECT_FALSE(Reported('C'));
}

TEST_F(RunUntilStoppedTest, CancelsAfterTheGracePeriod) {
  Run({.calls = Ends::kWhenCancelled,
       .times = {.delay = kNow, .grace_period = kNow, .cancel_grace_period = kHours}});
  Await('S');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
  EXPECT_TRUE(Reported('C'));
}

TEST_F(RunUntilStoppedTest, ExitsDespiteCallsThatNeverEnd) {
  Run({.calls = Ends::kNever,
       .times = {
           .delay = kNow, .grace_period = kNow, .cancel_grace_period = std::chrono::seconds(1)}});
  Await('S');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitForced);
  EXPECT_TRUE(Reported('X')) << "files are removed even then";
  EXPECT_FALSE(Reported('~'));
}

TEST_F(RunUntilStoppedTest, FurtherSignalsSkipTheGracePeriods) {
  Run({.calls = Ends::kNever,
       .times = {.delay = kNow, .grace_period = kHours, .cancel_grace_period = kHours}});
  Await('S');
  Signal(SIGTERM);
  Await('D');
  Signal(SIGTERM);
  Await('C');
  EXPECT_EQ(Status(), kExitForced) << "without a third signal";
}

TEST_F(RunUntilStoppedTest, ExitsIfTheServerHangsInItsDestructor) {
  Run({.calls = Ends::kAtOnce,
       .destructor_hangs = true,
       .times = {
           .delay = kNow, .grace_period = kNow, .cancel_grace_period = std::chrono::seconds(1)}});
  Await('S');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitForced);
}

TEST_F(RunUntilStoppedTest, ExitsIfTheServerHangsInItsStart) {
  Run({.starts = false});
  Await('s');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
}

// Each of these signals ends a process that does not handle it.
TEST_F(RunUntilStoppedTest, OtherSignalsAreIgnored) {
  Run({});
  Await('S');
  for (const int signal : {SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXFSZ,
                           SIGPWR, SIGTTOU, SIGRTMIN, SIGRTMAX}) {
    Signal(signal);
  }
  Signal(SIGTERM);
  Await('A');
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
}

TEST_F(RunUntilStoppedTest, InterruptAndHangUpAlsoDrain) {
  for (const int signal : {SIGINT, SIGHUP, SIGXCPU}) {
    reported_.clear();
    Run({});
    Await('S');
    Signal(signal);
    Await('A');
    Signal(SIGTERM);
    EXPECT_EQ(Status(), kExitStopped) << signal;
    EXPECT_TRUE(Reported('D')) << signal;
  }
}

TEST_F(RunUntilStoppedTest, EachStepOfADrainIsLogged) {
  const std::string file = ::testing::TempDir() + "/drain.log";
  ::unlink(file.c_str());
  Run({.calls = Ends::kWhenCancelled, .log_file = file, .log_level = "info"});
  Await('S');
  for (const char step : {'A', 'D', 'C'}) {
    Signal(SIGTERM);
    Await(step);
  }
  EXPECT_EQ(Status(), kExitStopped);
  std::ifstream log(file);
  std::vector<std::string> steps;
  for (std::string line; std::getline(log, line);) {
    const size_t at = line.find("draining: ");
    if (at != std::string::npos) steps.push_back(line.substr(at + 10));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"not ready, but still serving", "no new calls",
                                             "cancelling 1 calls"}));
}

TEST_F(RunUntilStoppedTest, HangUpReopensTheLogFileAndReloads) {
  const std::string file = ::testing::TempDir() + "/hup.log";
  const std::string moved = file + ".1";
  Run({.log_file = file});
  Await('S');
  ASSERT_EQ(std::rename(file.c_str(), moved.c_str()), 0);
  Signal(SIGHUP);
  // Signals are delivered in the order of their numbers, so SIGHUP comes first.
  Signal(SIGTERM);
  Await('A');
  EXPECT_FALSE(Reported('D')) << "SIGHUP does not stop the daemon";
  EXPECT_TRUE(Reported('R')) << "and reads the configuration again";
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
  EXPECT_EQ(::access(file.c_str(), F_OK), 0);
}

TEST_F(RunUntilStoppedTest, NohupIsHonored) {
  Run({.hup_ignored = true});
  Await('S');
  Signal(SIGHUP);
  Signal(SIGTERM);
  Await('A');
  EXPECT_FALSE(Reported('D'));
  Signal(SIGTERM);
  EXPECT_EQ(Status(), kExitStopped);
}

}  // namespace
}  // namespace stagedoor::server
