#include "base/testing/system_call_hook.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
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
#include <string>
#include <utility>

namespace stagedoor {
namespace {

struct Hook {
  std::string path;  // if not empty, only for calls about this file
  SystemCallHook::Function function;
};

struct Hooks {
  std::mutex mu;
  std::map<std::string_view, std::shared_ptr<const Hook>> by_name;
};

// Never destroyed: other threads may make calls until the process ends.
Hooks& AllHooks() {
  static Hooks& hooks = *new Hooks;
  return hooks;
}

// Null if there is none.
std::shared_ptr<const Hook> FindHook(std::string_view name) {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  const auto found = hooks.by_name.find(name);
  return found == hooks.by_name.end() ? nullptr : found->second;
}

// The file that a call is about, by its arguments; empty if there is none.
template <typename... Arguments>
std::string FileOf(const Arguments&...) {
  return {};
}
template <typename... Rest>
std::string FileOf(const char* path, const Rest&...) {
  return path == nullptr ? std::string() : path;
}
template <typename... Rest>
std::string FileOf(int fd, const Rest&...) {
  char buffer[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t size = readlink(link.c_str(), buffer, sizeof(buffer));
  return size < 0 ? std::string() : std::string(buffer, static_cast<size_t>(size));
}
template <typename... Rest>  // mmap
std::string FileOf(void*, size_t, int, int, int fd, const Rest&...) {
  return FileOf(fd);
}
template <typename... Rest>  // fstatat
std::string FileOf(int, const char* path, const Rest&...) {
  return FileOf(path);
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
template <typename... Arguments>
int RunHook(const char* name, Arguments... arguments) {
  if (in_hook) return 0;
  const std::shared_ptr<const Hook> hook = FindHook(name);
  if (hook == nullptr) return 0;
  in_hook = true;
  const bool concerned = hook->path.empty() || FileOf(arguments...) == hook->path;
  const int error = concerned ? hook->function() : 0;
  in_hook = false;
  return error;
}

// Whether the call must fail; sets errno if so. Takes the arguments by value: sanitizers instrument
// functions that take addresses of their parameters.
template <typename... Arguments>
STAGEDOOR_UNSANITIZED bool MustFail(const char* name, Arguments... arguments) {
  if (__atomic_load_n(&hook_count, __ATOMIC_ACQUIRE) == 0) return false;
  const int error = RunHook(name, arguments...);
  if (error != 0) errno = error;
  return error != 0;
}

}  // namespace

SystemCallHook::SystemCallHook(std::string_view name, Function function)
    : SystemCallHook(name, std::string(), std::move(function)) {}

SystemCallHook::SystemCallHook(std::string_view name, std::string path, Function function)
    : name_(name) {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  hooks.by_name[name] = std::make_shared<const Hook>(Hook{std::move(path), std::move(function)});
  __atomic_add_fetch(&hook_count, 1, __ATOMIC_RELEASE);
}

SystemCallHook::~SystemCallHook() {
  Hooks& hooks = AllHooks();
  const std::lock_guard lock(hooks.mu);
  hooks.by_name.erase(name_);
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
#define STAGEDOOR_ALL(...) __VA_ARGS__
#define STAGEDOOR_WRAP(Result, failed, name, parameters, arguments)         \
  extern "C" Result __real_##name parameters;                               \
  extern "C" STAGEDOOR_UNSANITIZED Result __wrap_##name parameters {        \
    const bool fails = stagedoor::MustFail(#name, STAGEDOOR_ALL arguments); \
    return fails ? failed : __real_##name arguments;                        \
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
STAGEDOOR_WRAP(void*, MAP_FAILED, mmap,
               (void* address, size_t size, int protection, int flags, int fd, off_t at),
               (address, size, protection, flags, fd, at))
STAGEDOOR_WRAP(DIR*, nullptr, opendir, (const char* path), (path))
STAGEDOOR_WRAP(int, -1, poll, (pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
STAGEDOOR_WRAP(ssize_t, -1, pread, (int fd, void* out, size_t size, off_t at), (fd, out, size, at))
STAGEDOOR_WRAP(ssize_t, -1, pwrite, (int fd, const void* bytes, size_t size, off_t at),
               (fd, bytes, size, at))
STAGEDOOR_WRAP(char*, nullptr, realpath, (const char* path, char* out), (path, out))
STAGEDOOR_WRAP(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
STAGEDOOR_WRAP(int, -1, stat, (const char* path, struct stat* info), (path, info))
STAGEDOOR_WRAP(int, -1, unlink, (const char* path), (path))

extern "C" int __real_open(const char* path, int flags, ...);
extern "C" STAGEDOOR_UNSANITIZED int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return stagedoor::MustFail("open", path) ? -1 : __real_open(path, flags, mode);
}

// The functions that _FORTIFY_SOURCE substitutes for open and realpath.
extern "C" int __real___open_2(const char* path, int flags);
extern "C" STAGEDOOR_UNSANITIZED int __wrap___open_2(const char* path, int flags) {
  return stagedoor::MustFail("open", path) ? -1 : __real___open_2(path, flags);
}
extern "C" char* __real___realpath_chk(const char* path, char* out, size_t size);
extern "C" STAGEDOOR_UNSANITIZED char* __wrap___realpath_chk(const char* path, char* out,
                                                             size_t size) {
  if (stagedoor::MustFail("realpath", path)) return nullptr;
  return __real___realpath_chk(path, out, size);
}

extern "C" int __real_statfs(const char* path, struct statfs* info);
extern "C" STAGEDOOR_UNSANITIZED int __wrap_statfs(const char* path, struct statfs* info) {
  const int result = __real_statfs(path, info);
  if (const long type = stagedoor::file_system_type; type != 0) info->f_type = type;
  return result;
}
// NOLINTEND(bugprone-reserved-identifier)
