#ifndef STAGEDOOR_CLIENT_OPENUSD_CONNECTIONS_H_
#define STAGEDOOR_CLIENT_OPENUSD_CONNECTIONS_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "connection_arguments.h"
#include "result.h"

namespace stagedoor::openusd {

// A connection to a daemon, or to one of several that serve the same scenes. Thread-safe.
class DaemonConnection {
 public:
  static Result<std::shared_ptr<const DaemonConnection>> Connect(
      const ConnectionArguments& arguments);
  ~DaemonConnection();
  DaemonConnection(const DaemonConnection&) = delete;
  DaemonConnection& operator=(const DaemonConnection&) = delete;

  sd_connection* get() const { return connection_; }
  // SD_FAILED_PRECONDITION in a child process of the one that connected.
  Result<bool> CheckProcess() const;
  // Whether this is the process that connected. Another one must not even destroy the connection.
  bool IsOwnProcess() const;

 private:
  explicit DaemonConnection(sd_connection* connection);

  sd_connection* const connection_;
  const pid_t process_;
};

// The connections of a process, one for all layers and assets with the same addresses and
// credentials: they share what it keeps of arrays. Connections that nothing uses end. Thread-safe.
class Connections {
 public:
  // Those of this process. Never destroyed, because layers may live until the process ends.
  static Connections& OfProcess();

  Result<std::shared_ptr<const DaemonConnection>> Get(const ConnectionArguments& arguments);

 private:
  Connections() = default;

  std::mutex mu_;
  std::map<std::string, std::weak_ptr<const DaemonConnection>> connections_;
};

// The message of an error of the C interface, which is destroyed.
Failure TakeFailure(sd_code code, sd_error* error);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_CONNECTIONS_H_
