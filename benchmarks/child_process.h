#ifndef STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_
#define STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::bench {

// A process whose standard output is read and whose standard input can be closed. Killed on
// destruction if it still runs. Not thread-safe.
class ChildProcess {
 public:
  // Program and arguments. A program that can't be started ends with status 127.
  explicit ChildProcess(const std::vector<std::string>& words);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Without the newline; none at the end of the output.
  std::optional<std::string> ReadLine();
  void Write(std::string_view text);
  void Signal(int signal);
  // Its exit status; 128 + signal where one ended it.
  int Wait();

 private:
  pid_t pid_ = -1;
  FILE* output_ = nullptr;
  int input_ = -1;
};

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_CHILD_PROCESS_H_
