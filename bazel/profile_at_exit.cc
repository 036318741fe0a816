// Linked into every binary by --config=cov (--custom_malloc).
#include <sys/syscall.h>
#include <unistd.h>

// The name is that of the runtime library. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __llvm_profile_write_file();

// The daemon exits with _exit, which runs no exit handlers, so its profile would not be written.
extern "C" void _exit(int status) {
  __llvm_profile_write_file();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
