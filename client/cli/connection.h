#ifndef STAGEDOOR_CLIENT_CLI_CONNECTION_H_
#define STAGEDOOR_CLIENT_CLI_CONNECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"

namespace stagedoor {

// The daemon a command asks: the one at --address or STAGEDOOR_ADDRESS, or with --embedded
// (STAGEDOOR_EMBEDDED=1) one that runs inside the command and ends with this object.
class Connection {
 public:
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const CommandLine& line);
  virtual ~Connection() = default;

  virtual Client& client() = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_CONNECTION_H_
