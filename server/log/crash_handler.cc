#include "server/log/crash_handler.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <span>
#include <string_view>

#include "absl/debugging/symbolize.h"
#include "base/version.h"
#include "server/log/crash_report.h"
#include "server/log/logging.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxFrames = 64;
constexpr size_t kStackBytes = size_t{256} << 10;
constexpr unsigned kLastWordsSeconds = 5;
constexpr timespec kTimeForTheWriter{.tv_sec = 0, .tv_nsec = 200'000'000};

struct FatalSignal {
  int number;
  std::string_view name;
};
constexpr std::array<FatalSignal, 6> kFatalSignals = {{{SIGSEGV, "SIGSEGV"},
                                                       {SIGBUS, "SIGBUS"},
                                                       {SIGILL, "SIGILL"},
                                                       {SIGFPE, "SIGFPE"},
                                                       {SIGSYS, "SIGSYS"},
                                                       {SIGABRT, "SIGABRT"}}};

std::atomic<bool> installed{false};
std::atomic<pid_t> crashing_thread{0};

pid_t ThreadId() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

void SetDefault(int signal) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
}

void Write(CrashLine& line) {
  const int fd = LogDescriptor();
  line.WriteTo(fd);
  if (fd != STDERR_FILENO) line.WriteTo(STDERR_FILENO);
}

// Where the thread was when the signal arrived; 0 if that is not known.
uintptr_t InterruptedAt(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(machine.pc);
#else
  static_cast<void>(machine);
  return 0;
#endif
}

void WriteStack(const void* context) {
  std::array<void*, kMaxFrames> frames{};
  const int found = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  std::span<void* const> stack(frames.data(), static_cast<size_t>(std::max(found, 0)));
  // The frames above are those of the handlers.
  const auto interrupted = reinterpret_cast<void*>(InterruptedAt(context));
  const auto at = std::find(stack.begin(), stack.end(), interrupted);
  const bool known = at != stack.end();
  if (known) stack = stack.subspan(static_cast<size_t>(at - stack.begin()));
  for (size_t i = 0; i < stack.size(); ++i) {
    CrashLine line(CurrentLogFormat());
    line.Add("#").AddDecimal(i).Add(" ");
    AddFrame(reinterpret_cast<uintptr_t>(stack[i]), i != 0 || !known, line);
    Write(line);
  }
}

std::string_view NameOf(int signal) {
  for (const FatalSignal& fatal : kFatalSignals) {
    if (fatal.number == signal) return fatal.name;
  }
  return "signal";
}

void Report(int signal, const siginfo_t* info, const void* context) {
  CrashLine line(CurrentLogFormat());
  line.Add(NameOf(signal)).Add(", code ");
  if (info->si_code < 0) line.Add("-");
  line.AddDecimal(static_cast<uint64_t>(info->si_code < 0 ? -info->si_code : info->si_code));
  if (info->si_code <= 0) {
    line.Add(", sent by process ").AddDecimal(static_cast<uint64_t>(info->si_pid));
  } else {
    line.Add(", address ").AddHex(reinterpret_cast<uintptr_t>(info->si_addr));
  }
  line.Add(", thread ").AddDecimal(static_cast<uint64_t>(ThreadId()));
  line.Add(", stagedoord ").Add(kVersion);
  Write(line);
  WriteStack(context);
}

void OnFatalSignal(int signal, siginfo_t* info, void* context) {
  pid_t first = 0;
  const pid_t self = ThreadId();
  if (crashing_thread.compare_exchange_strong(first, self)) {
    // The report ends the process even if it hangs.
    SetDefault(SIGALRM);
    ::alarm(kLastWordsSeconds);
    // Messages that were logged before are still written, by another thread.
    ::nanosleep(&kTimeForTheWriter, nullptr);
    Report(signal, info, context);
  } else if (first != self) {
    for (;;) ::pause();  // the first thread ends the process
  }
  // The process ends once the handlers have returned.
  SetDefault(signal);
  ::raise(signal);
}

[[noreturn]] void OnTerminate() {
  CrashLine line(CurrentLogFormat());
  line.Add("std::terminate");
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::exception& error) {
    line.Add(": ").Add(error.what());
  } catch (...) {
    line.Add(": an exception of another type");
  }
  Write(line);
  std::abort();
}

// The alternate signal stack of one thread.
class CrashStack {
 public:
  CrashStack() {
    stack_t current{};
    // A sanitizer may have given the thread a stack already.
    if (::sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
    void* const memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    stack_t ours{};
    ours.ss_sp = memory;
    ours.ss_size = kStackBytes;
    ::sigaltstack(&ours, nullptr);
  }
  ~CrashStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(memory_, kStackBytes);
  }
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace

void InstallCrashHandler(const char* argv0) {
  absl::InitializeSymbolizer(argv0);
  // The first call loads the unwinder, which would allocate.
  std::array<void*, 1> frame{};
  static_cast<void>(::backtrace(frame.data(), 1));
  installed.store(true, std::memory_order_relaxed);
  EnsureCrashStack();
  struct sigaction action = {};
  action.sa_sigaction = OnFatalSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const FatalSignal& fatal : kFatalSignals) ::sigaction(fatal.number, &action, nullptr);
  std::set_terminate(OnTerminate);
}

void EnsureCrashStack() {
  if (!installed.load(std::memory_order_relaxed)) return;
  thread_local const CrashStack stack;
}

}  // namespace stagedoor::server
