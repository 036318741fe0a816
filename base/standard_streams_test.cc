#include "base/standard_streams.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// Calls ReserveStandardStreams in a process in which the streams in the bit set `closed` are
// closed. Returns those of them, again as a bit set, that are open but unusable afterwards.
int Filled(int closed) {
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; ++fd) {
      if ((closed >> fd & 1) != 0) close(fd);
    }
    ReserveStandardStreams();
    int filled = 0;
    for (int fd = 0; fd < 3; ++fd) {
      char byte = 0;
      if (fcntl(fd, F_GETFD) == -1) _exit(100);
      if ((closed >> fd & 1) == 0) continue;
      const ssize_t count = fd == STDIN_FILENO ? read(fd, &byte, 1) : write(fd, &byte, 1);
      if (count == -1 && errno == EBADF) filled |= 1 << fd;
    }
    _exit(filled);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardStreamsTest, ClosedStreamsAreFilledWithUnusableDescriptors) {
  for (int closed = 0; closed < 8; ++closed) EXPECT_EQ(Filled(closed), closed);
}

TEST(StandardStreamsTest, OpenStreamsAreLeftAlone) {
  const pid_t child = fork();
  if (child == 0) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(100);
    ReserveStandardStreams();
    char byte = 'x';
    if (write(STDOUT_FILENO, &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) _exit(101);
    const int next = open("/dev/null", O_RDONLY);
    _exit(next > STDERR_FILENO ? 0 : 102);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace stagedoor
