#include "server/store/testing/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace stagedoor::server {

bool ScriptedServer::Peer::Expect(std::string_view text) {
  for (;;) {
    const size_t at = received_.find(text);
    if (at != std::string::npos) {
      received_.erase(0, at + text.size());
      return true;
    }
    std::array<char, 4096> buffer;
    const ssize_t size = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    received_.append(buffer.data(), static_cast<size_t>(size));
  }
}

void ScriptedServer::Peer::Send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t size = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    text.remove_prefix(static_cast<size_t>(size));
  }
}

bool ScriptedServer::Peer::Greet() {
  if (!Expect("PING\r\n")) return false;
  Send("+PONG\r\n");
  return true;
}

ScriptedServer::ScriptedServer(std::function<void(Peer&)> serve)
    : serve_(std::move(serve)), listen_fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(listen_fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listen_fd_, 16) != 0 ||
      ::getsockname(listen_fd_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listen_fd_, SHUT_RDWR);
  thread_.join();
  ::close(listen_fd_);
  std::vector<std::thread> threads;
  {
    MutexLock lock(mu_);
    for (Connection& connection : connections_) {
      if (!connection.closed) ::shutdown(connection.fd, SHUT_RDWR);
      threads.push_back(std::move(connection.thread));
    }
  }
  for (std::thread& thread : threads) thread.join();
}

RedisOptions ScriptedServer::options() const {
  RedisOptions options;
  options.host = "127.0.0.1";
  options.port = port_;
  options.connect_timeout = std::chrono::minutes(1);
  options.operation_timeout = std::chrono::minutes(1);
  return options;
}

int ScriptedServer::connections() {
  MutexLock lock(mu_);
  return static_cast<int>(connections_.size());
}

void ScriptedServer::WaitUntilClosed(int index) {
  MutexLock lock(mu_);
  while (connections_.size() <= static_cast<size_t>(index) ||
         !connections_[static_cast<size_t>(index)].closed) {
    changed_.Wait(mu_);
  }
}

void ScriptedServer::Accept() {
  for (;;) {
    const int fd = ::accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    MutexLock lock(mu_);
    const int index = static_cast<int>(connections_.size());
    connections_.emplace_back().fd = fd;
    connections_.back().thread = std::thread([this, fd, index] { Serve(fd, index); });
  }
}

void ScriptedServer::Serve(int fd, int index) {
  Peer peer(fd, index);
  serve_(peer);
  MutexLock lock(mu_);
  ::close(fd);
  connections_[static_cast<size_t>(index)].closed = true;
  changed_.NotifyAll();
}

}  // namespace stagedoor::server
