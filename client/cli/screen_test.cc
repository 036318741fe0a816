#include "client/cli/screen.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "client/cli/testing/fake_terminal.h"

namespace stagedoor {
namespace {

constexpr std::chrono::milliseconds kNoTime{0};

class ScreenTest : public ::testing::Test {
 protected:
  ScreenTest() { screen_.emplace(output_); }
  void Type(std::string_view keys) {
    terminal_.Type(keys);
    terminal_.AwaitKeys();
  }

  FakeTerminal terminal_;
  StandardStreams streams_{terminal_.fd()};
  Output output_;
  std::optional<Screen> screen_;
};

TEST_F(ScreenTest, KeysAskToQuit) {
  for (const char* key : {"q", "Q", "\x03", "\x04", "xq"}) {
    Type(key);
    EXPECT_TRUE(screen_->WaitForQuit(kNoTime)) << key;
  }
}

TEST_F(ScreenTest, OtherKeysDoNot) {
  EXPECT_FALSE(screen_->WaitForQuit(kNoTime));
  Type("x \r");
  EXPECT_FALSE(screen_->WaitForQuit(kNoTime));
  EXPECT_FALSE(screen_->WaitForQuit(kNoTime)) << "it has read the keys";
}

TEST_F(ScreenTest, ALostTerminalAsksToQuit) {
  terminal_.HangUp();
  EXPECT_TRUE(screen_->WaitForQuit(kNoTime));
}

TEST_F(ScreenTest, SignalsAskToQuitAsLongAsItExists) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    screen_.reset();
    static volatile sig_atomic_t received = 0;
    received = 0;
    struct sigaction count {
    }, before{};
    count.sa_handler = [](int) { received = received + 1; };
    ::sigaction(signal, &count, &before);
    screen_.emplace(output_);
    ::raise(signal);
    EXPECT_TRUE(screen_->WaitForQuit(kNoTime)) << signal;
    EXPECT_EQ(received, 0) << signal;
    screen_.reset();
    ::raise(signal);
    EXPECT_EQ(received, 1) << signal;
    ::sigaction(signal, &before, nullptr);
  }
}

TEST_F(ScreenTest, DrawsOverWhatWasShown) {
  EXPECT_EQ(Screen::Size().rows, 4);
  EXPECT_EQ(Screen::Size().columns, 10);
  ASSERT_TRUE(output_.Flush().ok());
  EXPECT_EQ(terminal_.Shown(), "\x1b[?1049h\x1b[?25l");
  ASSERT_TRUE(screen_->Draw({"one", "two"}).ok());
  // The terminal adds a carriage return to each newline.
  EXPECT_EQ(terminal_.Shown(), "\x1b[Hone\x1b[K\r\r\ntwo\x1b[K\x1b[J");
  screen_.reset();
  EXPECT_EQ(terminal_.Shown(), "\x1b[?25h\x1b[?1049l");
}

TEST_F(ScreenTest, KeysAreNotShownAsLongAsItExists) {
  const auto modes = [] {
    termios state{};
    ::tcgetattr(STDIN_FILENO, &state);
    return state.c_lflag & tcflag_t{ICANON | ECHO | ISIG};
  };
  EXPECT_EQ(modes(), tcflag_t{0});
  screen_.reset();
  EXPECT_EQ(modes(), tcflag_t{ICANON | ECHO | ISIG});
}

}  // namespace
}  // namespace stagedoor
