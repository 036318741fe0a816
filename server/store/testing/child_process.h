#ifndef STAGEDOOR_SERVER_STORE_TESTING_CHILD_PROCESS_H_
#define STAGEDOOR_SERVER_STORE_TESTING_CHILD_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace stagedoor::server {

// A running program, which is killed at the end of the scope.
class ChildProcess {
 public:
  // The absolute path of the program and its arguments. Its output is appended to a file.
  ChildProcess(const std::vector<std::string>& words, const std::string& output_file);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool IsRunning();
  void Signal(int signal) const;
  // Waits for the end; true if the program succeeded.
  bool Wait();

 private:
  pid_t pid_ = 0;  // 0 once it has ended
  bool succeeded_ = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_TESTING_CHILD_PROCESS_H_
