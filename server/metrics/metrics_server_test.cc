#include "server/metrics/metrics_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "server/metrics/metrics_endpoint.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kScrape = "GET /metrics HTTP/1.1\r\n\r\n";

// A client of a metrics server on this machine.
class Scraper {
 public:
  explicit Scraper(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)), port_(port) {}
  ~Scraper() { ::close(fd_); }
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

  void Send(std::string_view bytes) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Sends on the open connection, which the server may have closed.
  void SayMore(std::string_view bytes) const {
    (void)!::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Reads until the server closes its side; this side stays open.
  std::string Receive() const {
    std::string received;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(fd_, buffer, sizeof(buffer), 0)) > 0;) {
      received.append(buffer, static_cast<size_t>(n));
    }
    return received;
  }

 private:
  const int fd_;
  const int port_;
};

std::unique_ptr<MetricsServer> StartServer() {
  auto server = MetricsServer::Start(
      "127.0.0.1", 0, {.pages = {{"/metrics", [] { return HttpAnswer{.body = "text"}; }}}});
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

TEST(MetricsServerTest, TheOldestConnectionIsReplacedAtTheLimit) {
  const auto server = StartServer();
  std::deque<Scraper> clients;
  clients.emplace_back(server->port()).Send("GET /metrics HTTP/1.1\r\n");
  for (size_t i = 1; i < MetricsServer::kMaxConnections; ++i) {
    clients.emplace_back(server->port()).Send(kScrape);
    EXPECT_TRUE(clients.back().Receive().ends_with("text")) << i << ": it should stay open";
  }
  clients.emplace_back(server->port()).Send(kScrape);
  EXPECT_TRUE(clients.back().Receive().ends_with("text"));
  clients.front().SayMore("\r\n");
  EXPECT_EQ(clients.front().Receive(), "") << "the oldest connection is closed";
}

// A stream that waits until another thread wakes it.
class WaitingStream final : public HttpStream {
 public:
  explicit WaitingStream(std::atomic<bool>& ready) : ready_(ready) {}
  State Next(std::string* piece) override {
    if (!ready_) return State::kWaiting;
    if (std::exchange(sent_, true)) return State::kEnd;
    *piece = "late";
    return State::kPiece;
  }

 private:
  std::atomic<bool>& ready_;
  bool sent_ = false;
};

TEST(MetricsServerTest, AStreamIsWokenAndNotReplaced) {
  std::atomic<bool> ready{false}, started{false};
  std::function<void()> wake;
  HttpRoutes routes{.pages = {{"/metrics", [] { return HttpAnswer{.body = "text"}; }}}};
  routes.streams["/stream"] = [&](const HttpRequest&, std::function<void()> call) {
    wake = std::move(call);
    started = true;
    return std::make_unique<WaitingStream>(ready);
  };
  const auto server = *MetricsServer::Start("127.0.0.1", 0, std::move(routes));
  const Scraper waiting(server->port());
  waiting.Send("GET /stream HTTP/1.1\r\n\r\n");
  while (!started) std::this_thread::yield();
  std::deque<Scraper> clients;
  for (size_t i = 0; i <= MetricsServer::kMaxConnections; ++i) {
    clients.emplace_back(server->port()).Send(kScrape);
    EXPECT_TRUE(clients.back().Receive().ends_with("text")) << i;
  }
  ready = true;
  wake();
  EXPECT_EQ(waiting.Receive(), "late");
}

TEST(MetricsServerTest, WithoutDescriptorsTheOldestConnectionIsClosed) {
  const auto server = StartServer();
  const Scraper first(server->port()), second(server->port());
  first.Send(kScrape);
  EXPECT_TRUE(first.Receive().ends_with("text"));
  const int next = ::dup(0);
  ::close(next);
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  second.Send(kScrape);
  const std::string received = second.Receive();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(received.ends_with("text")) << received;
}

TEST(MetricsServerTest, WaitsForADescriptorBeforeItAcceptsAgain) {
  for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
    std::atomic<int> polls{0};
    std::vector<int> polls_at_accept;
    const SystemCallHook count("poll", [&] {
      ++polls;
      return 0;
    });
    const SystemCallHook exhausted("accept4", [&] {
      polls_at_accept.push_back(polls);
      return polls_at_accept.size() < 3 ? error : 0;
    });
    const auto server = StartServer();
    const Scraper client(server->port());
    client.Send(kScrape);
    EXPECT_TRUE(client.Receive().ends_with("text")) << error;
    ASSERT_EQ(polls_at_accept.size(), 3u);
    EXPECT_EQ(polls_at_accept[1] - polls_at_accept[0], 2) << "one waits without the listener";
    EXPECT_EQ(polls_at_accept[2] - polls_at_accept[1], 2);
  }
}

TEST(MetricsServerTest, AConnectionThatIsGoneClosesNoOther) {
  const auto server = StartServer();
  const Scraper first(server->port()), second(server->port()), third(server->port());
  first.Send("GET /metrics HTTP/1.1\r\n");
  second.Send(kScrape);
  EXPECT_TRUE(second.Receive().ends_with("text")) << "both are accepted by then";
  {
    const SystemCallHook gone("accept4", Fail(ECONNABORTED, 1));
    third.Send(kScrape);
    EXPECT_TRUE(third.Receive().ends_with("text"));
  }
  first.SayMore("\r\n");
  EXPECT_TRUE(first.Receive().ends_with("text"));
}

TEST(MetricsServerTest, FailuresToListenStateTheReason) {
  for (const char* call : {"socket", "eventfd", "listen"}) {
    const SystemCallHook hook(call, Fail(EMFILE));
    const absl::Status status = MetricsServer::Start("127.0.0.1", 0, {}).status();
    EXPECT_EQ(Message(status), "Too many open files") << call;
  }
}

TEST(MetricsServerTest, ListensOnIpv6) {
  const int fd = ::socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  const bool known = ::bind(fd, reinterpret_cast<sockaddr*>(&loopback), sizeof(loopback)) == 0;
  ::close(fd);
  if (!known) GTEST_SKIP() << "this machine has no IPv6";
  const auto server = MetricsServer::Start("::1", 0, {});
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_NE((*server)->port(), 0);
}

// "[::]" means all addresses of the machine, which may have none of IPv6.
TEST(MetricsServerTest, AllAddressesAreThoseOfIpv4WithoutIpv6) {
  const SystemCallHook lacks("socket", Fail(EAFNOSUPPORT, 1));
  const auto server = MetricsServer::Start("::", 0, {});
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_NE((*server)->port(), 0);
}

TEST(MetricsServerTest, ListenErrorsStateTheReason) {
  const auto start = [](const char* host, int port) {
    return MetricsServer::Start(host, port, {}).status();
  };
  const auto server = StartServer();
  const struct {
    const char* host;
    int port;
    std::string why;
  } kCases[] = {{"127.0.0.1", server->port(), "Address already in use"},
                {"203.0.113.7", 0, "Cannot assign requested address"},
                {"fe80::1%none", 0, ::gai_strerror(EAI_NONAME)}};
  for (const auto& c : kCases) {
    EXPECT_EQ(start(c.host, c.port).code(), absl::StatusCode::kUnavailable) << c.host;
    EXPECT_EQ(Message(start(c.host, c.port)), c.why) << c.host;
  }
}

TEST(MetricsEndpointTest, AcceptsHostsAndPortsOnly) {
  const HealthState health;
  for (const char* address : {"nonsense", "127.0.0.1:x", "unix:/tmp/x"}) {
    const absl::Status status = MetricsEndpoint::Start(address, health).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_EQ(Message(status), Concat("the metrics address '", address, "' is not HOST:PORT"));
  }
  EXPECT_EQ(Message(MetricsEndpoint::Start("203.0.113.7:1", health).status()),
            "cannot serve metrics on 203.0.113.7:1: Cannot assign requested address");
}

}  // namespace
}  // namespace stagedoor::server
