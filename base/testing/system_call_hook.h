#ifndef STAGEDOOR_BASE_TESTING_SYSTEM_CALL_HOOK_H_
#define STAGEDOOR_BASE_TESTING_SYSTEM_CALL_HOOK_H_

#include <functional>
#include <string>
#include <string_view>

namespace stagedoor {

// Runs a function before each system call of one kind, for tests of what full disks, limits of the
// system, signals and other processes do at a certain moment. A test that links
// //base/testing:system_call_hook has its calls of the functions that are named there wrapped, and
// those of all code that is linked statically.
//
// The function runs in the thread of the call, in which hooks rest meanwhile. The call fails with
// the error (errno) that it returns; it proceeds if that is 0. There is one hook for each kind of
// call at a time. Thread-safe, but what the function uses must outlive the calls of other threads.
class SystemCallHook {
 public:
  using Function = std::function<int()>;

  SystemCallHook(std::string_view name, Function function);
  // Only for calls about the file at `path`: by this path, or by a descriptor of the file.
  SystemCallHook(std::string_view name, std::string path, Function function);
  ~SystemCallHook();
  SystemCallHook(const SystemCallHook&) = delete;
  SystemCallHook& operator=(const SystemCallHook&) = delete;

 private:
  const std::string_view name_;
};

// A function for a hook: calls fail with `error`, but only `times` after `successes`.
SystemCallHook::Function Fail(int error, int times = 1 << 30, int successes = 0);

// As long as it lives, statfs reports that all file systems are of one type, such as
// NFS_SUPER_MAGIC. One at a time.
class FileSystemTypeOverride {
 public:
  explicit FileSystemTypeOverride(long type);
  ~FileSystemTypeOverride();
  FileSystemTypeOverride(const FileSystemTypeOverride&) = delete;
  FileSystemTypeOverride& operator=(const FileSystemTypeOverride&) = delete;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_TESTING_SYSTEM_CALL_HOOK_H_
