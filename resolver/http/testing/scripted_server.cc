#include "resolver/http/testing/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/strings.h"

namespace stagedoor {
namespace {

void Require(bool ok, const char* what) {
  if (ok) return;
  perror(what);
  abort();
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

ScriptedServer::Request ParseRequest(std::string_view head) {
  ScriptedServer::Request request;
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const size_t space = line.find(' ');
  request.method = std::string(line.substr(0, space));
  request.target = std::string(line.substr(space + 1, line.rfind(' ') - space - 1));
  head.remove_prefix(line.size() + 2);
  while (!head.empty()) {
    const std::string_view field = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(field.size() + 2, head.size()));
    const size_t colon = field.find(": ");
    if (colon == std::string_view::npos) continue;
    request.headers[Lower(std::string(field.substr(0, colon)))] =
        std::string(field.substr(colon + 2));
  }
  return request;
}

}  // namespace

std::string ScriptedServer::Request::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) { Start(); }

ScriptedServer::ScriptedServer(std::string greeting) : greeting_(std::move(greeting)) { Start(); }

void ScriptedServer::Start() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Require(listener_ >= 0, "socket");
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Require(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0, "bind");
  Require(listen(listener_, 64) == 0, "listen");
  socklen_t size = sizeof(address);
  Require(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mu_);
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
  }
  accepting_.join();
  {
    MutexLock lock(mu_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  close(listener_);
}

std::string ScriptedServer::Url(std::string_view path) const {
  return Concat("http://127.0.0.1:", port_, path);
}

void ScriptedServer::Accept() {
  for (int connection = 0;; ++connection) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    MutexLock lock(mu_);
    if (stopping_) {
      close(fd);
      return;
    }
    ++accepted_;
    connections_.push_back(fd);
    threads_.emplace_back([this, fd, connection] { Serve(fd, connection); });
  }
}

void ScriptedServer::Serve(int fd, int connection) {
  std::string received;
  if (!greeting_.empty()) SendAll(fd, greeting_);
  for (bool open = greeting_.empty(); open;) {
    const size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos) {
      char buffer[4096];
      const ssize_t count = recv(fd, buffer, sizeof(buffer), 0);
      if (count <= 0) break;
      received.append(buffer, static_cast<size_t>(count));
      continue;
    }
    Request request = ParseRequest(std::string_view(received).substr(0, end + 2));
    request.connection = connection;
    received.erase(0, end + 4);
    Reply reply;
    {
      MutexLock lock(mu_);
      requests_.push_back(request);
      reply = script_(request);
      changed_.NotifyAll();
    }
    open = Answer(fd, reply);
  }
  MutexLock lock(mu_);
  connections_.erase(std::find(connections_.begin(), connections_.end(), fd));
  close(fd);
}

bool ScriptedServer::Answer(int fd, const Reply& reply) {
  bool sent = SendAll(fd, reply.bytes);
  switch (reply.then) {
    case Then::kKeep:
      return sent;
    case Then::kClose:
      return false;
    case Then::kReset: {
      const linger now = {.l_onoff = 1, .l_linger = 0};
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      return false;
    }
    case Then::kRepeat:
      while (sent) sent = SendAll(fd, reply.bytes);
      break;
    case Then::kHang:
      HangUntilClosed(fd);
      break;
  }
  MutexLock lock(mu_);
  ++closed_;
  changed_.NotifyAll();
  return false;
}

void ScriptedServer::HangUntilClosed(int fd) {
  char buffer[4096];
  while (recv(fd, buffer, sizeof(buffer), 0) > 0) {
  }
}

std::vector<ScriptedServer::Request> ScriptedServer::requests() const {
  MutexLock lock(mu_);
  return requests_;
}

int ScriptedServer::connection_count() const {
  MutexLock lock(mu_);
  return accepted_;
}

void ScriptedServer::WaitForClosed(int count) const {
  MutexLock lock(mu_);
  while (closed_ < count) changed_.Wait(mu_);
}

void ScriptedServer::WaitForRequests(size_t count) const {
  MutexLock lock(mu_);
  while (requests_.size() < count) changed_.Wait(mu_);
}

std::string HttpResponse(int status, std::string_view header_lines, std::string_view body) {
  return Concat("HTTP/1.1 ", status, " X\r\nContent-Length: ", body.size(), "\r\n", header_lines,
                "\r\n", body);
}

ScriptedServer::Reply ServeObject(const ScriptedServer::Request& request, std::string_view content,
                                  const std::string& etag) {
  const std::string lines = etag.empty() ? "" : Concat("ETag: ", etag, "\r\n");
  const std::string match = request.Header("if-match");
  if (!etag.empty() && request.Header("if-none-match") == etag) {
    return {Concat("HTTP/1.1 304 X\r\n", lines, "\r\n")};
  }
  if (!match.empty() && match != etag) return {HttpResponse(412, "", "")};
  if (request.method == "HEAD") {
    return {Concat("HTTP/1.1 200 X\r\nContent-Length: ", content.size(), "\r\n", lines, "\r\n")};
  }
  const std::string range = request.Header("range");
  if (range.empty()) return {HttpResponse(200, lines, content)};
  const std::string_view numbers = std::string_view(range).substr(6);
  const size_t dash = numbers.find('-');
  const size_t first = *ParseNumber<size_t>(numbers.substr(0, dash));
  size_t last = *ParseNumber<size_t>(numbers.substr(dash + 1));
  if (first >= content.size()) {
    return {HttpResponse(416, Concat("Content-Range: bytes */", content.size(), "\r\n"), "")};
  }
  last = std::min(last, content.size() - 1);
  return {HttpResponse(
      206, Concat(lines, "Content-Range: bytes ", first, "-", last, "/", content.size(), "\r\n"),
      content.substr(first, last - first + 1))};
}

}  // namespace stagedoor
