#ifndef STAGEDOOR_CLIENT_CLI_TESTING_FAKE_TERMINAL_H_
#define STAGEDOOR_CLIENT_CLI_TESTING_FAKE_TERMINAL_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace stagedoor {

// A terminal of 10 columns and 4 rows, at whose other end the test reads.
class FakeTerminal {
 public:
  FakeTerminal() : screen_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(screen_), 0);
    EXPECT_EQ(::unlockpt(screen_), 0);
    fd_ = ::open(::ptsname(screen_), O_RDWR | O_NOCTTY);
    EXPECT_GE(fd_, 0);
    const winsize size{.ws_row = 4, .ws_col = 10};
    EXPECT_EQ(::ioctl(fd_, TIOCSWINSZ, &size), 0);
  }
  ~FakeTerminal() {
    ::close(fd_);
    HangUp();
  }
  FakeTerminal(const FakeTerminal&) = delete;
  FakeTerminal& operator=(const FakeTerminal&) = delete;

  int fd() const { return fd_; }
  // The text that was written since the last call; at least one byte must have been.
  std::string Shown() const {
    std::array<char, 1000> text{};
    const ssize_t size = ::read(screen_, text.data(), text.size());
    return size > 0 ? std::string(text.data(), static_cast<size_t>(size)) : "";
  }

  void Type(std::string_view keys) const {
    ASSERT_EQ(::write(screen_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  // Waits until what was typed can be read.
  void AwaitKeys() const {
    pollfd typed{.fd = fd_, .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&typed, 1, -1), 1);
  }
  void HangUp() {
    if (screen_ >= 0) ::close(screen_);
    screen_ = -1;
  }

 private:
  int screen_;
  int fd_ = -1;
};

// The standard input and output are `fd` as long as it exists.
class StandardStreams {
 public:
  explicit StandardStreams(int fd) {
    EXPECT_EQ(::dup2(fd, STDIN_FILENO), STDIN_FILENO);
    EXPECT_EQ(::dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
  }
  ~StandardStreams() {
    ::dup2(input_before_, STDIN_FILENO);
    ::dup2(output_before_, STDOUT_FILENO);
    ::close(input_before_);
    ::close(output_before_);
  }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  const int input_before_ = ::dup(STDIN_FILENO);
  const int output_before_ = ::dup(STDOUT_FILENO);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TESTING_FAKE_TERMINAL_H_
