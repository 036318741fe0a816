#include "server/lifecycle/signal_receiver.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string_view>

namespace stagedoor::server {
namespace {

using Event = SignalReceiver::Event;

// The event that a process receives for a signal that has the disposition `handler` when it starts;
// as its exit status.
[[noreturn]] void ExitWithEvent(int number, sighandler_t handler, bool reloads) {
  ::signal(number, handler);
  SignalReceiver receiver(reloads);
  receiver.Setup();
  ::raise(number);
  std::string_view name;
  std::exit(static_cast<int>(receiver.Receive(&name)));
}

::testing::ExitedWithCode With(Event event) {
  return ::testing::ExitedWithCode(static_cast<int>(event));
}

TEST(SignalReceiverTest, SignalsStopTheDaemon) {
  for (const int number : {SIGTERM, SIGINT, SIGXCPU, SIGHUP}) {
    EXPECT_EXIT(ExitWithEvent(number, SIG_DFL, false), With(Event::kStop), "") << number;
  }
}

TEST(SignalReceiverTest, IgnoredSignalsStayIgnored) {
  EXPECT_EXIT(ExitWithEvent(SIGHUP, SIG_IGN, false), With(Event::kNone), "") << "nohup";
  EXPECT_EXIT(ExitWithEvent(SIGINT, SIG_IGN, false), With(Event::kNone), "");
}

TEST(SignalReceiverTest, SupervisorsCanAlwaysStopTheDaemon) {
  for (const int number : {SIGTERM, SIGXCPU}) {
    EXPECT_EXIT(ExitWithEvent(number, SIG_IGN, false), With(Event::kStop), "") << number;
  }
}

TEST(SignalReceiverTest, HangUpReloadsWhatTheDaemonHasToReload) {
  EXPECT_EXIT(ExitWithEvent(SIGHUP, SIG_DFL, true), With(Event::kReload), "");
  EXPECT_EXIT(ExitWithEvent(SIGHUP, SIG_IGN, true), With(Event::kReload), "");
}

TEST(SignalReceiverTest, OtherSignalsDoNothing) {
  for (const int number : {SIGUSR1, SIGALRM, SIGPIPE, SIGRTMIN}) {
    EXPECT_EXIT(ExitWithEvent(number, SIG_DFL, false), With(Event::kNone), "") << number;
  }
}

}  // namespace
}  // namespace stagedoor::server
