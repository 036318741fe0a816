#ifndef STAGEDOOR_CLIENT_CLI_SCREEN_H_
#define STAGEDOOR_CLIENT_CLI_SCREEN_H_

#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/output.h"
#include "client/cli/top_view.h"

namespace stagedoor {

// The whole screen of the terminal at the standard streams, for a view that is drawn again and
// again. Keys are read as they are typed, and not shown. The destructor restores the terminal; so
// that it runs, SIGINT, SIGTERM and SIGHUP only ask to quit while the object exists. Only one may
// exist at a time.
class Screen {
 public:
  // Whether both standard input and output are terminals.
  static bool IsTerminal();

  explicit Screen(Output& output);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // The size at the moment; 80 × 24 if the terminal does not know it.
  static TopSize Size();
  // Replaces what is shown by lines that fit the size.
  absl::Status Draw(const std::vector<std::string>& lines);
  // Waits for `time`. True, at once, if the user wants to quit: by the key q, Ctrl-C or Ctrl-D, by
  // a signal, or because the terminal is gone.
  bool WaitForQuit(std::chrono::milliseconds time);

 private:
  Output& output_;
  termios before_{};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_SCREEN_H_
