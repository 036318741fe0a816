#include "benchmarks/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "benchmarks/require.h"

namespace stagedoor::bench {

ChildProcess::ChildProcess(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int in[2], out[2];
  Require(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "cannot create pipes");
  pid_ = fork();
  Require(pid_ >= 0, "cannot start a process");
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input_ = in[1];
  output_ = fdopen(out[0], "r");
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, nullptr)),
      input_(std::exchange(other.input_, -1)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) Signal(SIGKILL);
  Wait();
}

std::optional<std::string> ChildProcess::ReadLine() {
  char* text = nullptr;
  size_t capacity = 0;
  const ssize_t size = getline(&text, &capacity, output_);
  std::optional<std::string> line;
  if (size >= 0) line = std::string(text, static_cast<size_t>(size));
  std::free(text);
  if (line.has_value() && line->ends_with('\n')) line->pop_back();
  return line;
}

void ChildProcess::Write(std::string_view text) {
  Require(write(input_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "cannot write to a child process");
}

void ChildProcess::Signal(int signal) {
  if (pid_ > 0) kill(pid_, signal);
}

int ChildProcess::Wait() {
  if (input_ >= 0) close(std::exchange(input_, -1));
  int status = 0;
  if (pid_ > 0) waitpid(std::exchange(pid_, -1), &status, 0);
  if (output_ != nullptr) fclose(std::exchange(output_, nullptr));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace stagedoor::bench
