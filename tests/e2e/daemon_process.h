#ifndef STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_
#define STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_

#include <string>
#include <vector>

namespace stagedoor {

// The real stagedoord, started on a free loopback port with a folder of its own. Ends with this
// object.
class DaemonProcess {
 public:
  // What the daemon gets as standard input, output and error.
  enum class Streams { kInherited, kClosed };

  // Fails the process (a test) when the daemon does not serve within ten seconds. `log_fd` becomes
  // its standard error if it is not negative.
  explicit DaemonProcess(const std::vector<std::string>& flags = {},
                         Streams streams = Streams::kInherited, int log_fd = -1);
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  const std::string& address() const { return address_; }
  // Writes a file into the daemon's folder; returns its absolute path.
  std::string WriteFile(const std::string& name, const std::string& content) const;
  const std::string& folder() const { return folder_; }

  bool IsRunning() const;
  void Signal(int signal) const;
  // Waits for its end. The exit status, or -1 when it did not end well.
  int Wait();
  // SIGTERM, then waits.
  int Terminate();

 private:
  std::string folder_;
  std::string address_;
  int pid_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_
