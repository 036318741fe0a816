// Tests the errors of a client that does not reach its daemon: addresses, proxies, refusals.
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/call_state.h"
#include "client/cc/client.h"
#include "client/cc/daemon_address.h"
#include "client/cc/error_reason.h"
#include "client/cc/health.h"
#include "client/cc/proxy.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor {
namespace {

using std::chrono::seconds;

// Lets a function answer the connections to an address of this machine, one after another.
class TinyServer {
 public:
  explicit TinyServer(std::function<void(int)> answer) {
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in bound = {};
    bound.sin_family = AF_INET;
    bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(bound);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&bound), size), 0);
    EXPECT_EQ(::listen(listening_, 100), 0);
    EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&bound), &size), 0);
    address = Concat("127.0.0.1:", ntohs(bound.sin_port));
    thread_ = std::thread([this, answer = std::move(answer)] {
      for (int fd = 0; (fd = ::accept(listening_, nullptr, nullptr)) >= 0; ::close(fd)) answer(fd);
    });
  }
  ~TinyServer() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }

  std::string address;

 private:
  int listening_ = -1;
  std::thread thread_;
};

// Where nothing listens.
std::string UnusedAddress() {
  return TinyServer([](int) {}).address;
}

bool ReadAll(int fd, size_t size, std::string* out) {
  out->resize(size);
  return size == 0 || ::recv(fd, out->data(), size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

void Write(int fd, const std::string& bytes) {
  ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::string Frame(char type, char flags, const std::string& stream, const std::string& payload) {
  return std::string({0, 0, static_cast<char>(payload.size()), type, flags}) + stream + payload;
}

// A proxy that answers each call of HTTP/2 with a status, as proxies do by themselves.
std::function<void(int)> ProxyThatAnswers(int status) {
  return [status](int fd) {
    const std::string connection(4, '\0');
    std::string bytes;
    ReadAll(fd, 24, &bytes);  // the preface
    Write(fd, Frame(4, 0, connection, ""));
    std::string header;
    while (ReadAll(fd, 9, &header)) {
      const auto size =
          static_cast<unsigned char>(header[1]) << 8 | static_cast<unsigned char>(header[2]);
      if (!ReadAll(fd, static_cast<size_t>(size), &bytes)) return;
      const bool acknowledges = (header[4] & 1) != 0;
      if (header[3] == 4 && !acknowledges) Write(fd, Frame(4, 1, connection, ""));
      if (header[3] == 6 && !acknowledges) Write(fd, Frame(6, 1, connection, std::string(8, '\0')));
      if (header[3] == 1) {
        Write(fd, Frame(1, 5, header.substr(5), Concat("\x08\x03", status)));
      }
    }
  };
}

absl::Status Ask(const ClientOptions& options) {
  return Client::Connect(options)->GetStage({}).status();
}

// The error of a call that does not wait.
absl::Status AskAsync(const ClientOptions& options) {
  std::promise<absl::Status> ended;
  const auto client = Client::Connect(options);
  client->GetStageAsync({}, [&](const absl::StatusOr<v1::GetStageResponse>& reply) {
    ended.set_value(reply.status());
  });
  return ended.get_future().get();
}

absl::Status AskForStream(const ClientOptions& options) {
  return Client::Connect(options)->Traverse(
      {}, [](const v1::TraverseResponse&) { return absl::OkStatus(); });
}

absl::Status AskForStreamAsync(const ClientOptions& options) {
  std::promise<absl::Status> ended;
  const auto client = Client::Connect(options);
  client->TraverseAsync(
      {}, [](const v1::TraverseResponse&) { return absl::OkStatus(); },
      [&](absl::Status status) { ended.set_value(std::move(status)); });
  return ended.get_future().get();
}

// A daemon that answers with what it understands.
class ReachingTest : public testing::Test {
 protected:
  ReachingTest() {
    for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy", "no_proxy"})
      ::unsetenv(name);
  }
  ~ReachingTest() override {
    for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"}) ::unsetenv(name);
  }

  TempDir folder_{"/tmp"};
};

TEST_F(ReachingTest, AddressesAreRefusedInTheWordsOfAllClients) {
  std::ifstream table("client/testing/daemon_addresses.tsv");
  int lines = 0;
  for (std::string line; std::getline(table, line); ++lines) {
    const std::string address = line.substr(0, line.find('\t'));
    const std::string advice = line.substr(line.find('\t') + 1);
    const absl::Status status = CheckDaemonAddress(address);
    if (advice == "ok") {
      EXPECT_TRUE(status.ok()) << status;
      continue;
    }
    EXPECT_EQ(Message(status),
              Concat("the address of the daemon must be HOST:PORT or unix:PATH, not '", address,
                     advice.empty() ? "'" : "'; ", advice));
  }
  EXPECT_GT(lines, 40);
}

TEST_F(ReachingTest, CallsFailAtOnceIfTheOptionsCannotBeUsed) {
  for (const auto ask : {Ask, AskAsync, AskForStream, AskForStreamAsync}) {
    EXPECT_EQ(
        ask({.address = "http://host:1"}),
        absl::InvalidArgumentError("the address of the daemon must be HOST:PORT or unix:PATH, "
                                   "not 'http://host:1'; write 'host:1'"));
  }
  EXPECT_EQ(Ask({.address = "host:1", .proxy = "host:2"}), CheckProxy("host:2"));
  EXPECT_EQ(CheckHealth({.address = "host:1", .proxy = "host:2"}), CheckProxy("host:2"));
}

TEST_F(ReachingTest, TextThatIsNotUtf8IsRefusedWithoutACall) {
  testing::internal::CaptureStderr();
  const auto client = Client::Connect({.address = Concat("unix:", folder_.path(), "/socket")});
  v1::BatchGetValuesRequest values;
  values.add_paths("/A.x");
  values.add_paths("/A\xff.x");
  v1::OpenStageRequest open;
  open.mutable_session_layer()->set_content("\xc3(");
  const absl::Status status = client->BatchGetValues(values).status();
  EXPECT_EQ(Message(status), "the field 'paths' of the request is not UTF-8 text: '/A\\xff.x'");
  EXPECT_EQ(ErrorReason(status), "INVALID_PATH");
  EXPECT_EQ(ErrorReason(client->OpenStage(open).status()), "INVALID_FIELD") << "in a message";
  v1::TraverseRequest traverse;
  traverse.add_roots("\xff");
  const auto sink = [](const v1::TraverseResponse&) { return absl::OkStatus(); };
  EXPECT_EQ(ErrorReason(client->Traverse(traverse, sink)), "INVALID_PATH");
  int ended = 0;
  client->TraverseAsync(traverse, sink, [&](const absl::Status& failed) {
    ended += absl::IsInvalidArgument(failed) ? 1 : 0;
  });
  client->BatchGetValuesAsync(values, [&](const absl::StatusOr<v1::BatchGetValuesResponse>& reply) {
    ended += absl::IsInvalidArgument(reply.status()) ? 1 : 0;
  });
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "of Protobuf";
}

TEST_F(ReachingTest, AddressesAreSplit) {
  EXPECT_EQ(SplitAddress("[::1]:7").host, "::1");
  EXPECT_EQ(SplitAddress("[::1]:7").port, "7");
  EXPECT_EQ(SplitAddress("host:50051").host, "host");
  EXPECT_EQ(SplitAddresses("a:1, b:2 ,,\tunix:/c d"),
            (std::vector<std::string>{"a:1", "b:2", "unix:/c d"}));
  EXPECT_TRUE(SplitAddresses(" , ").empty());
}

TEST_F(ReachingTest, ProxiesAreUrls) {
  for (const char* valid : {"", "environment", "http://p:1", "http://p:1/", "http://me:x@p:3128"}) {
    EXPECT_TRUE(CheckProxy(valid).ok()) << valid;
  }
  for (const char* wrong : {"proxy:3128", "https://proxy:3128", "http://proxy", "http://proxy:1/x",
                            "none", "http://:1", "http://p:x"}) {
    EXPECT_EQ(Message(CheckProxy(wrong)),
              "the proxy must be 'environment' or a URL such as 'http://proxy:3128'")
        << wrong;
  }
  EXPECT_EQ(ProxyText("http://me:secret@p:1/"), " through the proxy p:1");
  EXPECT_EQ(ProxyText("environment"), " through the proxy of the environment");
}

TEST_F(ReachingTest, ProxyOfTheEnvironmentIsUsedOnlyOnRequest) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  v1::StagesService::Service unimplemented;
  builder.RegisterService(&unimplemented);
  const auto daemon = builder.BuildAndStart();
  const std::string proxy = Concat("http://", UnusedAddress());
  for (const char* name : {"http_proxy", "https_proxy", "grpc_proxy"})
    ::setenv(name, proxy.c_str(), 1);
  ClientOptions options = {.address = Concat("127.0.0.1:", port),
                           .connect_timeout = std::chrono::milliseconds(1)};
  EXPECT_EQ(Ask(options).code(), absl::StatusCode::kUnimplemented) << "of the daemon";
  EXPECT_EQ(CheckHealth(options).code(), absl::StatusCode::kUnimplemented);
  options.proxy = "environment";
  EXPECT_NE(std::string(Message(Ask(options))).find("through the proxy of the environment"),
            std::string::npos);
  EXPECT_EQ(CheckHealth(options).code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReachingTest, ClientsConnectThroughTheProxyThatIsNamed) {
  std::promise<std::string> asked;
  TinyServer proxy([&, first = true](int fd) mutable {
    std::string bytes;
    ReadAll(fd, 19, &bytes);
    if (std::exchange(first, false)) asked.set_value(bytes);
  });
  const absl::Status status = Ask({.address = "daemon.example:1",
                                   .connect_timeout = std::chrono::milliseconds(1),
                                   .proxy = Concat("http://me:secret@", proxy.address)});
  EXPECT_EQ(asked.get_future().get(), "CONNECT daemon.exam");
  EXPECT_EQ(status.ToString().find("secret"), std::string::npos) << status;
  EXPECT_NE(status.ToString().find(Concat("through the proxy ", proxy.address)), std::string::npos)
      << status;
}

TEST_F(ReachingTest, ProxyThatDoesNotConnectIsNamedAtOnce) {
  struct Case {
    std::string answer;
    absl::StatusCode code;
    std::string text;
  };
  for (const auto& [answer, code, text] :
       {Case{"HTTP/1.1 403 No\r\n\r\n", absl::StatusCode::kFailedPrecondition,
             "403 (Forbidden); ask the operator of the proxy"},
        Case{"HTTP/1.0 502 Bad Gateway\r\n\r\n", absl::StatusCode::kUnavailable,
             "502 (Bad Gateway); the proxy cannot reach the daemon: check whether it runs"}}) {
    std::string asked;
    const TinyServer proxy([&asked, answered = answer](int fd) {
      asked.clear();
      std::string byte;
      while (!asked.ends_with("\r\n\r\n") && ReadAll(fd, 1, &byte)) asked += byte;
      Write(fd, answered);
    });
    const ClientOptions options = {.address = "daemon.example:1",
                                   .proxy = Concat("http://me:secret@", proxy.address)};
    for (const auto ask : {Ask, AskAsync, AskForStream, AskForStreamAsync}) {
      const absl::Status error = ask(options);
      EXPECT_EQ(error.code(), code) << error;
      EXPECT_NE(error.ToString().find(Concat("the proxy ", proxy.address,
                                             " refused to connect to daemon.example:1 with HTTP "
                                             "status ",
                                             text)),
                std::string::npos)
          << error;
    }
    EXPECT_NE(asked.find("\r\nProxy-Authorization: Basic bWU6c2VjcmV0\r\n"), std::string::npos);
  }
  const std::string nowhere = UnusedAddress();
  EXPECT_EQ(Ask({.address = "daemon.example:1", .proxy = Concat("http://", nowhere)}),
            absl::UnavailableError(
                Concat("no daemon answers at daemon.example:1 through the proxy ", nowhere,
                       ": no proxy listens at ", nowhere, "; check its address")));
}

TEST_F(ReachingTest, ProxyThatRefusesIsNamed) {
  struct Case {
    int status;
    absl::StatusCode code;
    std::string text;
  };
  for (
      const auto& [status, code, text] :
      {Case{
           413, absl::StatusCode::kResourceExhausted,
           "413 (Content Too Large); ask for fewer paths at a time, or raise the proxy's limit for "
           "the size of requests"},
       Case{502, absl::StatusCode::kUnavailable,
            "502 (Bad Gateway); the proxy cannot reach the daemon: check whether it runs"},
       Case{
           404, absl::StatusCode::kUnimplemented,
           "404 (Not Found); check the address: the proxy does not send calls of gRPC to a daemon"},
       Case{599, absl::StatusCode::kUnavailable, "599; ask the operator of the proxy"}}) {
    TinyServer proxy(ProxyThatAnswers(status));
    const absl::Status error =
        Ask({.address = proxy.address, .connect_timeout = std::chrono::milliseconds(1)});
    EXPECT_EQ(error.code(), code) << error;
    EXPECT_NE(error.ToString().find(Concat(
                  "a proxy in front of the daemon refused the call with HTTP status ", text)),
              std::string::npos)
        << error;
  }
}

TEST_F(ReachingTest, RefusedConnectionsToThisMachineAreReportedAtOnce) {
  for (const std::string& address : {UnusedAddress(), Concat("unix:", folder_.path(), "/socket")}) {
    const std::string text =
        Concat("no daemon answers at ", address, ": nothing listens at ", address,
               "; start the daemon, or wait for it with a connect timeout");
    for (const auto ask : {Ask, AskAsync, AskForStream, AskForStreamAsync}) {
      EXPECT_EQ(ask({.address = address}), absl::UnavailableError(text));
    }
    EXPECT_EQ(CheckHealth({.address = address}), absl::UnavailableError(text));
    const ClientOptions options = {.address = address};
    CallState state(options, RetryClock::Default(), /*connects=*/true);
    RetryPolicy policy = state.Policy({});
    AttemptEnd end = {grpc::Status(grpc::StatusCode::UNAVAILABLE, "?")};
    state.Explain(policy, &end);
    ASSERT_TRUE(end.diagnosis.has_value());
    EXPECT_EQ(state.NextPause(policy, end, /*repeatable=*/true), std::nullopt);
    ClientOptions patient = options;
    patient.connect_timeout = seconds(10);
    CallState waiting(patient, RetryClock::Default(), /*connects=*/true);
    EXPECT_TRUE(waiting.NextPause(policy, end, /*repeatable=*/true).has_value())
        << "that is asked for";
  }
}

TEST_F(ReachingTest, ManyAsynchronousCallsShareAnExplanation) {
  const auto client = Client::Connect({.address = UnusedAddress()});
  std::promise<void> all;
  std::atomic<int> left = 50;
  for (int i = 0; i < 50; ++i) {
    client->GetStageAsync({}, [&](const absl::StatusOr<v1::GetStageResponse>& reply) {
      EXPECT_NE(reply.status().ToString().find("nothing listens"), std::string::npos);
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().wait();
}

TEST_F(ReachingTest, ServerOfHttp1IsNotADaemon) {
  TinyServer server([](int fd) {
    std::string bytes;
    ReadAll(fd, 24, &bytes);
    Write(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(Ask({.address = server.address}),
            absl::FailedPreconditionError(Concat(
                "what answers at ", server.address,
                " is not a daemon: it speaks HTTP/1; check the port; a proxy must pass HTTP/2 "
                "on")));
}

TEST_F(ReachingTest, SilentServerIsNotDiagnosed) {
  TinyServer server([](int fd) {
    std::string bytes;
    while (ReadAll(fd, 1, &bytes)) {
    }
  });
  const std::chrono::milliseconds limit(100);
  EXPECT_FALSE(Diagnose(server.address, {}, limit).has_value());
  EXPECT_FALSE(Diagnose(server.address, {.tls = true}, limit).has_value());
}

}  // namespace
}  // namespace stagedoor
