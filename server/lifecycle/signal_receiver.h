#ifndef STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_
#define STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_

#include <string_view>

namespace stagedoor::server {

// Receives the signals that a daemon waits for, and sets the disposition of all others.
//
//   SIGTERM, SIGINT, SIGXCPU   stop the daemon; SIGINT only if it was not ignored at the start, as
//                              it is for background jobs of scripts
//   SIGHUP                     reopens the log file and reads the configuration file again; if the
//                              daemon has neither, it stops, unless the signal was ignored at the
//                              start (nohup)
//   SIGPIPE, SIGXFSZ           ignored: the write returns an error instead
//   SIGUSR1, SIGALRM, SIGIO, SIGTTOU, real-time signals and others that would end or suspend a
//                              process: ignored unless a library handles them
//   SIGQUIT                    keeps its default: ends the process, with a core file if enabled
//   SIGABRT, SIGSEGV …         crashes, see crash_handler.h
//
// Not thread-safe. Call Setup once in main before other threads start, because they inherit the
// signal mask.
class SignalReceiver {
 public:
  enum class Event { kNone, kStop, kReload };

  // `reloads` tells whether SIGHUP is for the daemon's files or stops the daemon.
  explicit SignalReceiver(bool reloads) : reloads_(reloads) {}

  // Returns a descriptor that is readable when a signal is pending.
  int Setup();

  // Takes one pending signal and sets `*name` to its name. kNone if there is none.
  Event Receive(std::string_view* name);

 private:
  const bool reloads_;
  int fd_ = -1;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_SIGNAL_RECEIVER_H_
