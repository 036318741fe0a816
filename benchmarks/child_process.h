#ifndef STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_
#define STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::bench {

// A child process with pipes to its standard input and from its standard output. Killed on
// destruction if it still runs. Not thread-safe.
class ChildProcess {
 public:
  // `words` is the program and its arguments. The status is 127 if the program cannot be started.
  explicit ChildProcess(const std::vector<std::string>& words);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // The next line without its newline. Unset at the end of the output.
  std::optional<std::string> ReadLine();
  void Write(std::string_view text);
  void Signal(int signal);
  // Waits for the end. Returns the exit status, or 128 + signal if a signal ended the process.
  int Wait();

 private:
  pid_t pid_ = -1;
  FILE* output_ = nullptr;
  int input_ = -1;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_
