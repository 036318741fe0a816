#ifndef STAGEDOOR_RESOLVER_HTTP_TESTING_SCRIPTED_SERVER_H_
#define STAGEDOOR_RESOLVER_HTTP_TESTING_SCRIPTED_SERVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace stagedoor {

// An HTTP/1.1 server for tests that answers with exactly the bytes of a script, however wrong they
// are, on 127.0.0.1. One thread a connection; stops, and closes all connections, with its scope.
class ScriptedServer {
 public:
  struct Request {
    std::string method;
    std::string target;                          // "/path?query"
    std::map<std::string, std::string> headers;  // names in lower case
    int connection = 0;                          // counts from 0
    // The header, or empty text.
    std::string Header(const std::string& name) const;
  };

  // The action after the bytes of a reply.
  enum class Then {
    kKeep,    // the connection waits for the next request
    kClose,   // it is closed
    kReset,   // it is reset
    kHang,    // nothing more is sent until the client closes it
    kRepeat,  // `bytes` are sent again and again, until the client closes it
  };
  struct Reply {
    std::string bytes;
    Then then = Then::kKeep;
  };
  // Called on the threads of connections, one call at a time.
  using Script = std::function<Reply(const Request&)>;

  explicit ScriptedServer(Script script);
  // Sends `greeting` to each connection instead of waiting for requests, and closes it.
  explicit ScriptedServer(std::string greeting);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  // "http://127.0.0.1:PORT" and the path.
  std::string Url(std::string_view path) const;

  std::vector<Request> requests() const;
  // Connections that were accepted so far.
  int connection_count() const;
  // Waits until a connection that hangs, or repeats, was closed by the client.
  void WaitForClosed(int count = 1) const;
  // Waits until so many requests have arrived.
  void WaitForRequests(size_t count) const;

 private:
  void Accept();
  void Serve(int fd, int connection);
  bool Answer(int fd, const Reply& reply);
  void HangUntilClosed(int fd);

  void Start();

  const Script script_;
  const std::string greeting_;
  int listener_ = -1;
  int port_ = 0;

  mutable Mutex mu_;
  mutable CondVar changed_;
  std::vector<Request> requests_ ABSL_GUARDED_BY(mu_);
  std::vector<int> connections_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mu_);
  int accepted_ ABSL_GUARDED_BY(mu_) = 0;
  int closed_ ABSL_GUARDED_BY(mu_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;

  std::thread accepting_;
};

// A response with a Content-Length and further header lines ("ETag: \"a\"\r\n").
std::string HttpResponse(int status, std::string_view header_lines, std::string_view body);

// Answers as a correct server would for an object with this content and header lines ("ETag: ...",
// used for conditions too): GET and HEAD, single ranges, 304, 412 and 416.
ScriptedServer::Reply ServeObject(const ScriptedServer::Request& request, std::string_view content,
                                  const std::string& etag);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_TESTING_SCRIPTED_SERVER_H_
