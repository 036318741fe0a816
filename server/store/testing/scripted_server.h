#ifndef STAGEDOOR_SERVER_STORE_TESTING_SCRIPTED_SERVER_H_
#define STAGEDOOR_SERVER_STORE_TESTING_SCRIPTED_SERVER_H_

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "server/store/redis_options.h"

namespace stagedoor::server {

// A server on a free port of 127.0.0.1 that says what a test wants it to say.
class ScriptedServer {
 public:
  // A client's connection, as the server has it.
  class Peer {
   public:
    Peer(int fd, int index) : fd_(fd), index_(index) {}

    int index() const { return index_; }  // of the connection, from 0
    // Reads up to and including the next `text`. False if the client closes before.
    bool Expect(std::string_view text);
    void Send(std::string_view text) const;
    // Answers the greeting of a client without a password.
    bool Greet();

   private:
    const int fd_;
    const int index_;
    std::string received_;
  };

  // `serve` is called for each connection on a thread of its own. The connection is closed when it
  // returns.
  explicit ScriptedServer(std::function<void(Peer&)> serve);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  // How clients connect. With timeouts that a slow machine does not reach.
  RedisOptions options() const;
  int connections();
  void WaitUntilClosed(int index);

 private:
  struct Connection {
    int fd = -1;
    bool closed = false;
    std::thread thread;
  };

  void Accept();
  void Serve(int fd, int index);

  const std::function<void(Peer&)> serve_;
  const int listen_fd_;
  uint16_t port_ = 0;
  Mutex mu_;
  CondVar changed_;
  std::vector<Connection> connections_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_TESTING_SCRIPTED_SERVER_H_
