#include "server/store/testing/redis_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/strings.h"
#include "server/store/redis_connector.h"

namespace stagedoor::server {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRedisServer = "/usr/bin/redis-server";
constexpr int kAttempts = 10;

uint16_t FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  ::close(fd);
  return ntohs(address.sin_port);
}

}  // namespace

void MakeCertificate(const TempDir& folder, const std::string& name, const std::string& hosts) {
  ChildProcess openssl(
      {"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
       "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + hosts,
       "-keyout", folder / (name + ".key"), "-out", folder / (name + ".pem")},
      folder / "openssl.log");
  if (!openssl.Wait()) std::abort();
}

bool RedisServer::IsInstalled() { return ::access(kRedisServer, X_OK) == 0; }

RedisServer::RedisServer(Transport transport, RedisOptions options,
                         std::vector<std::string> arguments)
    : transport_(transport),
      arguments_(std::move(arguments)),
      folder_("/tmp"),
      options_(std::move(options)) {
  options_.connect_timeout = 60s;
  options_.operation_timeout = 60s;
  if (transport == Transport::kUnix) {
    options_.socket_path = folder_ / "redis.sock";
  } else if (options_.host.empty()) {
    options_.host = "127.0.0.1";
  }
  if (transport == Transport::kTls) {
    MakeCertificate(folder_, "server");
    options_.tls = true;
    if (options_.ca_file.empty()) options_.ca_file = folder_ / "server.pem";
  }
  // Another program may take the port before the server does.
  for (int i = 0; i < kAttempts; ++i) {
    options_.port = FreePort();
    process_ = std::make_unique<ChildProcess>(CommandLine(), folder_ / "redis.log");
    if (WaitUntilReady()) return;
  }
  std::abort();
}

RedisServer::~RedisServer() = default;

std::vector<std::string> RedisServer::CommandLine() const {
  const std::string port = Concat(options_.port);
  std::vector<std::string> words = {kRedisServer,
                                    "--bind",
                                    "127.0.0.1",
                                    "--dir",
                                    folder_.path(),
                                    "--save",
                                    "",
                                    "--appendonly",
                                    "yes",
                                    "--appendfsync",
                                    "no",
                                    "--databases",
                                    "4",
                                    "--port",
                                    transport_ == Transport::kTcp ? port : "0"};
  if (transport_ == Transport::kUnix) {
    words.insert(words.end(), {"--unixsocket", options_.socket_path});
  }
  if (transport_ == Transport::kTls) {
    words.insert(words.end(),
                 {"--tls-port", port, "--tls-cert-file", folder_ / "server.pem", "--tls-key-file",
                  folder_ / "server.key", "--tls-ca-cert-file", folder_ / "server.pem"});
  }
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  return words;
}

bool RedisServer::WaitUntilReady() {
  const auto connector = RedisConnector::Create(options_);
  if (!connector.ok()) std::abort();
  while (process_->IsRunning()) {
    RequestContext context;
    if ((*connector)->Connect(context).ok()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

void RedisServer::Stop() {
  process_->Signal(SIGTERM);
  process_->Wait();
}

void RedisServer::Start() {
  for (int i = 0; i < kAttempts; ++i) {
    process_ = std::make_unique<ChildProcess>(CommandLine(), folder_ / "redis.log");
    if (WaitUntilReady()) return;
  }
  std::abort();
}

void RedisServer::Pause() { process_->Signal(SIGSTOP); }

void RedisServer::Continue() { process_->Signal(SIGCONT); }

}  // namespace stagedoor::server
