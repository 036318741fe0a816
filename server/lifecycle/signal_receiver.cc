#include "server/lifecycle/signal_receiver.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace stagedoor::server {
namespace {

bool Has(int signal, void (*handler)(int)) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
         action.sa_handler == handler;
}

// Keeps a handler that a library, such as a profiler, has installed.
void IgnoreUnlessHandled(int signal) {
  if (Has(signal, SIG_DFL)) ::signal(signal, SIG_IGN);
}

void IgnoreTheRest() {
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                           SIGPWR, SIGSTKFLT, SIGTTOU, SIGTTIN}) {
    IgnoreUnlessHandled(signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) IgnoreUnlessHandled(signal);
}

}  // namespace

int SignalReceiver::Setup() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGXCPU);
  if (!Has(SIGINT, SIG_IGN)) sigaddset(&wanted, SIGINT);
  if (reloads_ || !Has(SIGHUP, SIG_IGN)) sigaddset(&wanted, SIGHUP);
  // An ignored signal would not be delivered to the descriptor.
  for (const int signal : {SIGTERM, SIGXCPU}) ::signal(signal, SIG_DFL);
  if (reloads_) ::signal(SIGHUP, SIG_DFL);
  IgnoreTheRest();
  pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  fd_ = ::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
  return fd_;
}

SignalReceiver::Event SignalReceiver::Receive(std::string_view* name) {
  signalfd_siginfo info{};
  if (::read(fd_, &info, sizeof(info)) != sizeof(info)) return Event::kNone;
  switch (static_cast<int>(info.ssi_signo)) {
    case SIGHUP:
      *name = "SIGHUP";
      return reloads_ ? Event::kReload : Event::kStop;
    case SIGINT:
      *name = "SIGINT";
      return Event::kStop;
    case SIGXCPU:
      *name = "SIGXCPU";
      return Event::kStop;
    default:
      *name = "SIGTERM";
      return Event::kStop;
  }
}

}  // namespace stagedoor::server
