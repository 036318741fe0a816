#ifndef STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_
#define STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_

#include <string>
#include <vector>

namespace stagedoor {

// A stagedoord process on a free loopback port with its own directory. Killed on destruction.
class DaemonProcess {
 public:
  // The daemon's standard input, output and error.
  enum class Streams { kInherited, kClosed };

  // A configuration file may set the log level; without one it is "warn". Aborts the test process
  // if the daemon does not serve within ten seconds. `log_fd` becomes the daemon's standard error
  // if it is not negative.
  explicit DaemonProcess(const std::vector<std::string>& flags = {},
                         Streams streams = Streams::kInherited, int log_fd = -1);
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  const std::string& address() const { return address_; }
  // Writes a file into the daemon's directory. Returns its absolute path.
  std::string WriteFile(const std::string& name, const std::string& content) const;
  const std::string& folder() const { return folder_; }

  bool IsRunning() const;
  void Signal(int signal) const;
  // Waits for the daemon to exit. Returns its exit status, or -1 if it did not exit normally.
  int Wait();
  // Sends SIGTERM and waits.
  int Terminate();

 private:
  std::string folder_;
  std::string address_;
  int pid_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_E2E_DAEMON_PROCESS_H_
