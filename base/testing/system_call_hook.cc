#include "base/testing/system_call_hook.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace stagedoor {
namespace {

using SharedFunction = std::shared_ptr<const SystemCallHook::Function>;

struct Hooks {
  std::mutex mu;
  std::map<std::string_view, SharedFunction> functions;
};

// Never destroyed: other threads may make calls until the process ends.
Hooks& AllHooks() {
  static Hooks& hooks = *new Hooks;
  return hooks;
}

// Null if there is none.
SharedFunction FindHook(std::string_view name) {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  const auto found = hooks.functions.find(name);
  return found == hooks.functions.end() ? nullptr : found->second;
}

// Constant-initialized, because sanitizers make system calls before anything else can be used.
constinit int hook_count = 0;
constinit thread_local bool in_hook = false;

std::atomic<long> file_system_type{0};  // 0 for the actual one

// For what sanitizers call before they are ready.
#if __has_attribute(disable_sanitizer_instrumentation)
#define STAGEDOOR_UNSANITIZED __attribute__((disable_sanitizer_instrumentation))
#else
#define STAGEDOOR_UNSANITIZED
#endif

// The error that the call must fail with, or 0.
int RunHook(const char* name) {
  if (in_hook) return 0;
  const SharedFunction hook = FindHook(name);
  if (hook == nullptr) return 0;
  in_hook = true;
  const int error = (*hook)();
  in_hook = false;
  return error;
}

// Whether the call must fail; sets errno if so.
STAGEDOOR_UNSANITIZED bool MustFail(const char* name) {
  if (__atomic_load_n(&hook_count, __ATOMIC_ACQUIRE) == 0) return false;
  const int error = RunHook(name);
  if (error != 0) errno = error;
  return error != 0;
}

}  // namespace

SystemCallHook::SystemCallHook(std::string_view name, Function function) : name_(name) {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  hooks.functions[name] = std::make_shared<const Function>(std::move(function));
  __atomic_add_fetch(&hook_count, 1, __ATOMIC_RELEASE);
}

SystemCallHook::~SystemCallHook() {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  hooks.functions.erase(name_);
  __atomic_sub_fetch(&hook_count, 1, __ATOMIC_RELEASE);
}

SystemCallHook::Function Fail(int error, int times, int successes) {
  auto calls = std::make_shared<std::atomic<int>>(0);
  return [=] {
    const int call = (*calls)++;
    return call >= successes && call - successes < times ? error : 0;
  };
}

FileSystemTypeOverride::FileSystemTypeOverride(long type) { file_system_type = type; }

FileSystemTypeOverride::~FileSystemTypeOverride() { file_system_type = 0; }

}  // namespace stagedoor

// The linker replaces calls of `name` by those of `__wrap_name`, and `__real_name` by `name`.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define STAGEDOOR_WRAP(Result, failed, name, parameters, arguments)       \
  extern "C" Result __real_##name parameters;                             \
  extern "C" STAGEDOOR_UNSANITIZED Result __wrap_##name parameters {      \
    return stagedoor::MustFail(#name) ? failed : __real_##name arguments; \
  }

STAGEDOOR_WRAP(int, -1, accept4, (int fd, sockaddr* address, socklen_t* size, int flags),
               (fd, address, size, flags))
STAGEDOOR_WRAP(int, -1, eventfd, (unsigned int value, int flags), (value, flags))
STAGEDOOR_WRAP(int, -1, flock, (int fd, int operation), (fd, operation))
STAGEDOOR_WRAP(int, -1, fstat, (int fd, struct stat* info), (fd, info))
STAGEDOOR_WRAP(int, -1, fstatat, (int fd, const char* path, struct stat* info, int flags),
               (fd, path, info, flags))
STAGEDOOR_WRAP(int, -1, ftruncate, (int fd, off_t size), (fd, size))
STAGEDOOR_WRAP(int, -1, getrlimit, (__rlimit_resource_t resource, rlimit* limit), (resource, limit))
STAGEDOOR_WRAP(int, -1, inotify_add_watch, (int fd, const char* path, uint32_t mask),
               (fd, path, mask))
STAGEDOOR_WRAP(int, -1, link, (const char* from, const char* to), (from, to))
STAGEDOOR_WRAP(int, -1, listen, (int fd, int backlog), (fd, backlog))
STAGEDOOR_WRAP(int, -1, lstat, (const char* path, struct stat* info), (path, info))
STAGEDOOR_WRAP(int, -1, memfd_create, (const char* name, unsigned int flags), (name, flags))
STAGEDOOR_WRAP(DIR*, nullptr, opendir, (const char* path), (path))
STAGEDOOR_WRAP(int, -1, poll, (pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
STAGEDOOR_WRAP(ssize_t, -1, pread, (int fd, void* out, size_t size, off_t at), (fd, out, size, at))
STAGEDOOR_WRAP(ssize_t, -1, pwrite, (int fd, const void* bytes, size_t size, off_t at),
               (fd, bytes, size, at))
STAGEDOOR_WRAP(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
STAGEDOOR_WRAP(int, -1, stat, (const char* path, struct stat* info), (path, info))
STAGEDOOR_WRAP(int, -1, unlink, (const char* path), (path))

extern "C" int __real_open(const char* path, int flags, ...);
extern "C" STAGEDOOR_UNSANITIZED int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return stagedoor::MustFail("open") ? -1 : __real_open(path, flags, mode);
}

extern "C" int __real_statfs(const char* path, struct statfs* info);
extern "C" STAGEDOOR_UNSANITIZED int __wrap_statfs(const char* path, struct statfs* info) {
  const int result = __real_statfs(path, info);
  if (const long type = stagedoor::file_system_type; type != 0) info->f_type = type;
  return result;
}
// NOLINTEND(bugprone-reserved-identifier)
