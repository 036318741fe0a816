#ifndef STAGEDOOR_CLIENT_CC_PROBE_H_
#define STAGEDOOR_CLIENT_CC_PROBE_H_

#include <chrono>
#include <string>
#include <string_view>

namespace stagedoor {

// A connection to the address of a daemon, each step of which ends before a deadline. Not
// thread-safe.
class Probe {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Probe(Clock::time_point deadline) : deadline_(deadline) {}
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  enum class Connected { kYes, kRefused, kNo };
  // Connects to a valid address. kRefused if nothing listens there, kNo if that is not known. The
  // name of a host is looked up, whatever time that takes.
  Connected Connect(const std::string& address);

  // False if the connection has ended, or the deadline has expired.
  bool Send(std::string_view bytes);

  enum class Received { kBytes, kEnd, kNothing };
  // Appends what comes next. kEnd if the other side has ended the connection, kNothing if the
  // deadline has expired.
  Received Receive(std::string* bytes);

 private:
  Connected ConnectToPath(const std::string& path);
  // Connects one socket of a family to an address of `size` bytes.
  Connected ConnectTo(int family, const void* address, unsigned size);
  // Waits until the socket can be read or written; false once the deadline has expired.
  bool Await(short events) const;  // NOLINT(google-runtime-int): that of poll
  void Close();

  const Clock::time_point deadline_;
  int fd_ = -1;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_PROBE_H_
