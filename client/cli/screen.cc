#include "client/cli/screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

namespace stagedoor {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // another screen, without a cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr char kControlC = 3;
constexpr char kControlD = 4;

// Readable once a signal has asked to quit. A handler can reach nothing but globals.
int quit_fd = -1;
std::array<struct sigaction, kSignals.size()> actions_before;

void AskToQuit(int) {
  const int saved = errno;
  const uint64_t one = 1;
  (void)!::write(quit_fd, &one, sizeof(one));
  errno = saved;
}

bool IsQuitKey(char key) {
  return key == 'q' || key == 'Q' || key == kControlC || key == kControlD;
}

}  // namespace

bool Screen::IsTerminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1; }

Screen::Screen(Output& output) : output_(output) {
  quit_fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = AskToQuit;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &actions_before[i]);
  }
  ::tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  // Without ISIG, Ctrl-C is a key like others, and Ctrl-Z cannot leave the terminal like this.
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  output_.Write(kEnter);
}

Screen::~Screen() {
  output_.Write(kLeave);
  output_.Flush().IgnoreError();
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &actions_before[i], nullptr);
  }
  ::close(quit_fd);
  quit_fd = -1;
}

TopSize Screen::Size() {
  winsize size{};
  const bool known =
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  return known ? TopSize{size.ws_row, size.ws_col} : TopSize{24, 80};
}

absl::Status Screen::Draw(const std::vector<std::string>& lines) {
  constexpr std::string_view kHome = "\x1b[H";
  constexpr std::string_view kClearLine = "\x1b[K";
  constexpr std::string_view kClearRest = "\x1b[J";
  output_.Write(kHome);
  for (size_t i = 0; i < lines.size(); ++i) {
    // A line end after the last line would scroll.
    if (i > 0) output_.Write("\r\n");
    output_.Write(lines[i]);
    output_.Write(kClearLine);
  }
  output_.Write(kClearRest);
  return output_.Flush();
}

bool Screen::WaitForQuit(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                    {.fd = quit_fd, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(fds, 2, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready == 0) return false;
    if (ready < 0) continue;  // a signal, which quit_fd tells about
    if (fds[1].revents != 0 || (fds[0].revents & POLLIN) == 0) return true;
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) != 1 || IsQuitKey(key)) return true;
  }
}

}  // namespace stagedoor
