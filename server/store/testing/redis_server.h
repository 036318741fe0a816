#ifndef STAGEDOOR_SERVER_STORE_TESTING_REDIS_SERVER_H_
#define STAGEDOOR_SERVER_STORE_TESTING_REDIS_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "server/store/redis_options.h"
#include "server/store/testing/child_process.h"

namespace stagedoor::server {

// A self-signed certificate, which is its own authority: NAME.pem and NAME.key in `folder`. `hosts`
// are the servers that it is valid for, in the syntax of OpenSSL's subjectAltName.
void MakeCertificate(const TempDir& folder, const std::string& name,
                     const std::string& hosts = "DNS:localhost,IP:127.0.0.1");

// A Redis server in a temporary directory, which keeps its data when it is stopped and started
// again. Runs at once, on a free port of 127.0.0.1 or a Unix socket.
class RedisServer {
 public:
  enum class Transport { kUnix, kTcp, kTls };

  // Whether Debian's package redis-server is installed.
  static bool IsInstalled();

  // `options` have what clients need besides the address, such as the password, and `arguments`
  // are those of redis-server that demand it.
  RedisServer(Transport transport, RedisOptions options, std::vector<std::string> arguments = {});
  ~RedisServer();

  // How clients connect. With timeouts that a slow machine does not reach.
  const RedisOptions& options() const { return options_; }
  const TempDir& folder() const { return folder_; }

  // Both return once it is done.
  void Stop();
  void Start();
  // Makes the server wait, or go on.
  void Pause();
  void Continue();

 private:
  std::vector<std::string> CommandLine() const;
  bool WaitUntilReady();

  const Transport transport_;
  const std::vector<std::string> arguments_;
  const TempDir folder_;
  RedisOptions options_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_TESTING_REDIS_SERVER_H_
