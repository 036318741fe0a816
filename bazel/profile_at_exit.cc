// Linked into every binary by --config=cov (--custom_malloc): processes that end without exit
// handlers write their profile too.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// The name is that of the runtime library. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __llvm_profile_write_file();

// How the daemon exits.
extern "C" void _exit(int status) {
  __llvm_profile_write_file();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

// How the crash handler ends the process. The profile is written in the handler of a signal, which
// is as safe as the place of the crash in a test.
extern "C" int raise(int signal) {
  __llvm_profile_write_file();
  return static_cast<int>(::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal));
}
