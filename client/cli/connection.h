#ifndef STAGEDOOR_CLIENT_CLI_CONNECTION_H_
#define STAGEDOOR_CLIENT_CLI_CONNECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"

namespace stagedoor {

// How to connect to the daemon at --address or STAGEDOOR_ADDRESS, or else to a private one of this
// user, if it is installed. Wrong flags are usage errors.
absl::StatusOr<ClientOptions> DaemonOptions(const CommandLine& line);

// Whether the server runs inside the command: --embedded or STAGEDOOR_EMBEDDED=1.
bool UsesEmbeddedServer(const CommandLine& line);

// A client with a connection of its own. Clients made by Client::Connect for the same address share
// one.
std::unique_ptr<Client> ConnectSeparately(ClientOptions options);

// The connection of a command to its daemon: that of DaemonOptions or, with
// --embedded (STAGEDOOR_EMBEDDED=1), a server that runs inside the command and ends with this
// object.
class Connection {
 public:
  // Does not wait for the daemon. Wrong flags are usage errors.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const CommandLine& line);
  virtual ~Connection() = default;

  virtual Client& client() = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_CONNECTION_H_
