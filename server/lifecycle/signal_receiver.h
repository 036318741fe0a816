#ifndef STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_
#define STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_

#include <string_view>

namespace stagedoor {

// The signals a daemon waits for, and what it does about all others.
//
//   SIGTERM, SIGINT, SIGXCPU   stop; SIGINT only if it was not ignored at the start, as it is for a
//                              background job of a script
//   SIGHUP                     opens the log file anew; without one it means stop, unless it was
//                              ignored at the start (nohup)
//   SIGPIPE, SIGXFSZ           ignored: the write fails and says so
//   others that end or halt a process and that no library handles: ignored (SIGUSR1, SIGALRM,
//                              SIGIO, SIGTTOU, real-time signals …)
//   SIGQUIT, SIGABRT, SIGSEGV … stay: they end it, with a core file where those are on
//
// Call Setup once in main before other threads start: they inherit the mask.
class SignalReceiver {
 public:
  enum class Event { kNone, kStop, kReopenLog };

  // `has_log_file`: what SIGHUP is about.
  explicit SignalReceiver(bool has_log_file) : has_log_file_(has_log_file) {}

  // A descriptor that is readable when a signal waits.
  int Setup();

  // Takes one signal from it; kNone where there is none. `*name` is its name.
  Event Receive(std::string_view* name);

 private:
  const bool has_log_file_;
  int fd_ = -1;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_
