#include <sys/socket.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/http/http_client.h"
#include "resolver/http/testing/served_store.h"

namespace stagedoor {
namespace {

using Request = ScriptedServer::Request;
using Reply = ScriptedServer::Reply;
using Then = ScriptedServer::Then;

constexpr std::string_view kContent = "0123456789abcdef";

ObjectInfo InfoOf(std::string_view content, std::string_view etag) {
  HttpHeaders headers;
  headers.AddLine(Concat("ETag: ", etag));
  return IdentifyByValidators(headers, content.size());
}

// Fetches bytes 2 to 9 of the object with kContent and the ETag "v1" from a server that answers the
// first requests with `faults`, and correctly then.
class FaultyFetch {
 public:
  explicit FaultyFetch(std::vector<Reply> faults, HttpClientOptions options = {})
      : served_(
            [this, faults = std::move(faults)](const Request& request) {
              const size_t index = count_++;
              return index < faults.size() ? faults[index]
                                           : ServeObject(request, kContent, "\"v1\"");
            },
            std::move(options)) {
    status_ = served_.Fetch("a.usd", InfoOf(kContent, "\"v1\""), {{2, 8}}, &got_);
  }

  const absl::Status& status() const { return status_; }
  const std::string& got() const { return got_; }
  ServedStore& served() { return served_; }
  std::string LastRange() { return served_.server().requests().back().Header("range"); }
  uint64_t Failures(HttpFailureKind kind) {
    return served_.client().statistics().failures[static_cast<size_t>(kind)];
  }

 private:
  size_t count_ = 0;
  ServedStore served_;
  std::string got_;
  absl::Status status_;
};

Reply Partial(std::string_view range, std::string_view body, std::string_view etag = "\"v1\"",
              Then then = Then::kKeep) {
  return {
      HttpResponse(206, Concat("ETag: ", etag, "\r\nContent-Range: bytes ", range, "\r\n"), body),
      then};
}

TEST(HttpFaultsTest, ContinuesATruncatedTransfer) {
  Reply truncated = Partial("2-9/16", "23456789", "\"v1\"", Then::kClose);
  truncated.bytes.resize(truncated.bytes.size() - 5);
  FaultyFetch fetch({truncated});
  ASSERT_TRUE(fetch.status().ok()) << fetch.status();
  EXPECT_EQ(fetch.got(), "..23456789......");
  EXPECT_EQ(fetch.LastRange(), "bytes=5-9");
  EXPECT_EQ(fetch.Failures(HttpFailureKind::kBroken), 1);
  EXPECT_EQ(fetch.served().delays(), std::vector<int64_t>{100});
}

TEST(HttpFaultsTest, DoesNotContinueWithAnotherVersion) {
  Reply truncated = Partial("2-9/16", "23456789", "\"v1\"", Then::kClose);
  truncated.bytes.resize(truncated.bytes.size() - 5);
  FaultyFetch fetch({truncated, Partial("5-9/16", "VWXYZ", "\"v2\"")});
  EXPECT_EQ(fetch.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(fetch.got(), "..234...........");
}

TEST(HttpFaultsTest, RetriesAResetConnection) {
  Reply reset = Partial("2-9/16", "23456789", "\"v1\"", Then::kReset);
  reset.bytes.resize(reset.bytes.size() - 5);
  FaultyFetch fetch({reset, {"", Then::kReset}, {"", Then::kClose}});
  ASSERT_TRUE(fetch.status().ok()) << fetch.status();
  EXPECT_EQ(fetch.got(), "..23456789......");
}

TEST(HttpFaultsTest, RetriesServerErrorsWithGrowingDelays) {
  FaultyFetch fetch({{HttpResponse(500, "", "x")},
                     {HttpResponse(503, "Retry-After: 3\r\n", "x")},
                     {HttpResponse(429, "Retry-After: 9999\r\n", "x")}});
  ASSERT_TRUE(fetch.status().ok()) << fetch.status();
  EXPECT_EQ(fetch.served().delays(), (std::vector<int64_t>{100, 3000, 5000}));
  EXPECT_EQ(fetch.Failures(HttpFailureKind::kServerError), 2);
  EXPECT_EQ(fetch.Failures(HttpFailureKind::kThrottled), 1);
  EXPECT_EQ(fetch.served().client().statistics().retries, 3);
}

TEST(HttpFaultsTest, GivesUpAfterSomeAttempts) {
  const Reply error{HttpResponse(500, "", "x")};
  FaultyFetch fetch({error, error, error, error, error});
  EXPECT_EQ(fetch.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(fetch.status()).find("4 attempts"), std::string::npos) << fetch.status();
  EXPECT_EQ(fetch.served().server().requests().size(), 4);
}

TEST(HttpFaultsTest, TheStatusOfATruncatedErrorCounts) {
  Reply error{HttpResponse(400, "", "an explanation"), Then::kClose};
  const absl::StatusCode code = FaultyFetch({error}).status().code();
  error.bytes.resize(error.bytes.size() - 5);
  FaultyFetch fetch({error});
  EXPECT_FALSE(fetch.status().ok());
  EXPECT_EQ(fetch.status().code(), code);
  EXPECT_EQ(fetch.served().server().requests().size(), 1) << "is not repeated";
}

TEST(HttpFaultsTest, RejectsWrongRanges) {
  const std::vector<Reply> kWrong = {
      Partial("3-10/16", "3456789a"),
      Partial("2-8/16", "2345678"),
      Partial("2-9/*", "23456789"),
      Partial("*/16", ""),
      Partial("x", "23456789"),
      {HttpResponse(206, "ETag: \"v1\"\r\n", "23456789")},
      {HttpResponse(206, "Content-Range: bytes 2-9/16\r\n", "23456789")},
  };
  for (const Reply& wrong : kWrong) {
    FaultyFetch retried({wrong});
    ASSERT_TRUE(retried.status().ok()) << retried.status() << wrong.bytes;
    EXPECT_EQ(retried.got(), "..23456789......");
    FaultyFetch fetch({wrong, wrong, wrong, wrong});
    EXPECT_EQ(fetch.status().code(), absl::StatusCode::kUnavailable) << wrong.bytes;
    EXPECT_EQ(fetch.got(), "................");
  }
}

TEST(HttpFaultsTest, OpeningRejectsWrongRanges) {
  const std::vector<Reply> kWrong = {
      Partial("1-4/16", "1234"),
      Partial("0-4/16", "01234"),
      Partial("0-2/16", "012"),
      Partial("0-1/1", "01"),
      Partial("*/16", ""),
      Partial("x", "0123"),
      {HttpResponse(206, "ETag: \"v1\"\r\n", "0123")},
  };
  for (const Reply& wrong : kWrong) {
    ServedStore served([&](const Request&) { return wrong; });
    const absl::Status status = served.Open("a.usd").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << wrong.bytes;
    EXPECT_NE(Message(status).find("another range"), std::string::npos) << status;
  }
}

TEST(HttpFaultsTest, StatusesAreErrorsOfTheirKind) {
  for (const auto& [status, code] : std::vector<std::pair<int, absl::StatusCode>>{
           {400, absl::StatusCode::kInvalidArgument},
           {401, absl::StatusCode::kPermissionDenied},
           {403, absl::StatusCode::kPermissionDenied},
           {404, absl::StatusCode::kNotFound},
           {407, absl::StatusCode::kPermissionDenied},
           {408, absl::StatusCode::kUnavailable},
           {410, absl::StatusCode::kNotFound},
           {429, absl::StatusCode::kUnavailable},
           {499, absl::StatusCode::kInvalidArgument},
           {500, absl::StatusCode::kUnavailable},
       }) {
    EXPECT_EQ(HttpStatusError(status).code(), code) << status;
  }
}

TEST(HttpFaultsTest, RejectsWrongLengths) {
  const Reply shorter = Partial("2-9/16", "234567");
  FaultyFetch missing({shorter});
  ASSERT_TRUE(missing.status().ok()) << missing.status();
  EXPECT_EQ(missing.got(), "..23456789......");
  EXPECT_EQ(missing.LastRange(), "bytes=8-9");
  const Reply longer = Partial("2-9/16", "23456789XYZ");
  FaultyFetch more({longer, longer, longer, longer});
  EXPECT_EQ(more.status().code(), absl::StatusCode::kUnavailable);
}

TEST(HttpFaultsTest, NoticesChanges) {
  for (const Reply& changed : {Partial("2-9/16", "23456789", "\"v2\""),
                               Partial("2-9/17", "23456789"), Reply{HttpResponse(412, "", "")},
                               Reply{HttpResponse(404, "", "")}, Reply{HttpResponse(410, "", "")},
                               Reply{HttpResponse(416, "Content-Range: bytes */1\r\n", "")},
                               Reply{HttpResponse(200, "ETag: \"v2\"\r\n", kContent)},
                               Reply{HttpResponse(200, "ETag: \"v1\"\r\n", "short")}}) {
    FaultyFetch fetch({changed});
    EXPECT_EQ(fetch.status().code(), absl::StatusCode::kDataLoss) << changed.bytes;
    EXPECT_EQ(fetch.got(), "................");
    EXPECT_EQ(fetch.served().server().requests().size(), 1);
  }
}

TEST(HttpFaultsTest, SaysWhatServersDisagreeAbout) {
  FaultyFetch refused({{HttpResponse(412, "", "")}});
  EXPECT_NE(
      refused.status().ToString().find("its server no longer has '\"v1\"'); the servers of one "
                                       "address must send equal ETags for equal bytes"),
      std::string::npos)
      << refused.status();
  FaultyFetch other({Partial("2-9/16", "23456789", "\"v2\"")});
  EXPECT_NE(other.status().ToString().find("its server says '\"v2\"', and said '\"v1\"' before"),
            std::string::npos)
      << other.status();
}

TEST(HttpFaultsTest, RejectsCompressedBodies) {
  const Reply gzip{
      HttpResponse(206, "ETag: \"v1\"\r\nContent-Range: bytes 2-9/16\r\nContent-Encoding: gzip\r\n",
                   "23456789")};
  FaultyFetch fetch({gzip, gzip, gzip, gzip});
  EXPECT_EQ(fetch.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(fetch.got(), "................");
}

TEST(HttpFaultsTest, RejectsWhatIsNotHttp) {
  FaultyFetch fetch({{"SSH-2.0-OpenSSH\r\n", Then::kClose}});
  EXPECT_EQ(fetch.status().code(), absl::StatusCode::kUnavailable) << fetch.status();
  EXPECT_EQ(fetch.served().server().requests().size(), 1);
}

TEST(HttpFaultsTest, BoundsHeaders) {
  FaultyFetch endless({{"HTTP/1.1 200 X\r\nA: b\r\n", Then::kRepeat}});
  EXPECT_EQ(endless.status().code(), absl::StatusCode::kUnavailable) << endless.status();
  endless.served().server().WaitForClosed();
  FaultyFetch interim({{"HTTP/1.1 102 X\r\nA: b\r\n\r\n", Then::kRepeat}});
  EXPECT_EQ(interim.status().code(), absl::StatusCode::kUnavailable) << interim.status();
  FaultyFetch large({{"HTTP/1.1 200 X\r\nA: " + std::string(70000, 'x') + "\r\n\r\n"}});
  EXPECT_EQ(large.status().code(), absl::StatusCode::kUnavailable) << large.status();
}

TEST(HttpFaultsTest, StopsAnEndlessBody) {
  // The header announces more than is wanted; the rest is not read.
  ServedStore served([](const Request&) {
    return Reply{"HTTP/1.1 200 X\r\nETag: \"a\"\r\nContent-Length: 99999999999\r\n\r\nabcdefgh",
                 Then::kHang};
  });
  const auto opened = served.Open("a.usd");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->head, "abcd");
  served.server().WaitForClosed();
}

TEST(HttpFaultsTest, GivesUpSlowServers) {
  HttpClientOptions options;
  options.transfers.low_speed_time = std::chrono::seconds(1);
  options.retry.attempts = 1;
  Reply slow = Partial("2-9/16", "23456789", "\"v1\"", Then::kHang);
  slow.bytes.resize(slow.bytes.size() - 5);
  FaultyFetch fetch({slow}, options);
  EXPECT_EQ(fetch.status().code(), absl::StatusCode::kUnavailable) << fetch.status();
  EXPECT_EQ(fetch.Failures(HttpFailureKind::kTimeout), 1);
  fetch.served().server().WaitForClosed();
  FaultyFetch header({{"HTTP/1.1 200 X\r\nA: ", Then::kHang}}, options);
  EXPECT_EQ(header.status().code(), absl::StatusCode::kUnavailable) << header.status();
}

TEST(HttpFaultsTest, CancellationClosesTheConnection) {
  ServedStore served([](const Request&) { return Reply{"HTTP/1.1 200 X\r\n", Then::kHang}; });
  RequestContext context;
  std::thread canceller([&] {
    served.server().WaitForRequests(1);
    context.Cancel();
  });
  const auto opened = served.store().Open(context, served.Path("a.usd"), nullptr, 4);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kCancelled);
  served.server().WaitForClosed();
  canceller.join();
}

TEST(HttpFaultsTest, TheDeadlineClosesTheConnection) {
  ServedStore served([](const Request&) { return Reply{"HTTP/1.1 200 X\r\n", Then::kHang}; });
  RequestContext context(RequestContext::Clock::now() + std::chrono::milliseconds(300));
  const std::vector<std::string> paths = {served.Path("a"), served.Path("b")};
  for (const auto& info : served.store().GetInfo(context, paths)) {
    EXPECT_EQ(info.status().code(), absl::StatusCode::kDeadlineExceeded);
  }
  served.server().WaitForClosed(static_cast<int>(served.server().requests().size()));
}

TEST(HttpFaultsTest, DoesNotWaitForARetryBeyondTheDeadline) {
  HttpClientOptions options;
  ScriptedServer server([](const Request&) { return Reply{HttpResponse(503, "", "")}; });
  options.allowed_urls = *UrlAllowList::Parse(std::vector<std::string>{server.Url("/")});
  options.retry.first_delay = options.retry.longest_delay = std::chrono::hours(1);
  options.retry.random = [] { return 1.0; };
  const auto store = *MakeHttpStore({*HttpClient::Create(std::move(options))});
  RequestContext context(RequestContext::Clock::now() + std::chrono::minutes(5));
  EXPECT_EQ(store->Open(context, server.Url("/a"), nullptr, 4).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST(HttpFaultsTest, PausesWhatIsNotTaken) {
  // More than may wait at once; the sink is slower than the server.
  HttpClientOptions options;
  options.transfers.max_waiting_bytes = 1 << 16;
  const std::string content(static_cast<size_t>(3) << 20, 'x');
  ServedStore served(
      [&](const Request&) { return Reply{HttpResponse(200, "ETag: \"v1\"\r\n", content)}; },
      options);
  std::string got;
  const absl::Status status =
      served.Fetch("a.usd", InfoOf(content, "\"v1\""), {{0, content.size()}}, &got);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(got, content);
}

// The error of opening `url`, which no object is at.
class FailedOpen {
 public:
  explicit FailedOpen(const std::string& url, HttpClientOptions options = {})
      : served_([](const Request&) { return Reply{}; }, std::move(options), {url}) {
    RequestContext context;
    status_ = served_.store().Open(context, url, nullptr, 4).status();
  }
  const absl::Status& status() const { return status_; }
  size_t retries() { return served_.delays().size(); }
  uint64_t Failures(HttpFailureKind kind) {
    return served_.client().statistics().failures[static_cast<size_t>(kind)];
  }

 private:
  ServedStore served_;
  absl::Status status_;
};

TEST(HttpFaultsTest, ReportsRefusedConnections) {
  int port = 0;
  {
    ScriptedServer gone([](const Request&) { return Reply{}; });
    port = gone.port();
  }
  FailedOpen open(Concat("http://127.0.0.1:", port, "/a"));
  EXPECT_EQ(open.status().code(), absl::StatusCode::kUnavailable) << open.status();
  EXPECT_EQ(open.retries(), 3u);
}

std::string HttpsUrl(const ScriptedServer& server) {
  return Concat("https://127.0.0.1:", server.port(), "/a");
}

TEST(HttpFaultsTest, ReportsServersWithoutTls) {
  const ScriptedServer plain("no TLS\r\n");
  FailedOpen open(HttpsUrl(plain));
  EXPECT_EQ(open.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(open.status()).find("cannot establish a secure connection to the server"),
            std::string_view::npos)
      << open.status();
  EXPECT_EQ(open.Failures(HttpFailureKind::kTls), open.retries() + 1);
}

TEST(HttpFaultsTest, CertificatesThatCannotBeCheckedAreNotRetried) {
  const ScriptedServer plain("no TLS\r\n");
  const TempDir folder;
  folder.Write("ca.pem", "no certificate");
  HttpClientOptions options;
  options.transfers.ca_file = folder / "ca.pem";
  FailedOpen open(HttpsUrl(plain), std::move(options));
  EXPECT_EQ(open.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(open.status()).find("check --ca-file"), std::string_view::npos)
      << open.status();
  EXPECT_EQ(open.retries(), 0u);
}

TEST(HttpFaultsTest, AuthoritiesAreThoseThatTheEnvironmentNames) {
  const ScriptedServer plain("no TLS\r\n");
  const TempDir folder;
  folder.Write("ca.pem", "no certificate");
  ::setenv("SSL_CERT_FILE", (folder / "ca.pem").c_str(), 1);
  FailedOpen open(HttpsUrl(plain));
  ::unsetenv("SSL_CERT_FILE");
  EXPECT_NE(Message(open.status()).find("check --ca-file and SSL_CERT_FILE"),
            std::string_view::npos)
      << open.status();
  EXPECT_EQ(open.retries(), 0u);
}

// The name has a label that is too long for DNS, so no server is asked for it.
TEST(HttpFaultsTest, ReportsNamesThatCannotBeResolved) {
  FailedOpen open(Concat("http://", std::string(64, 'x'), ".test/a"));
  EXPECT_EQ(open.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(open.status()).find("the host name cannot be resolved"), std::string_view::npos)
      << open.status();
  EXPECT_GT(open.Failures(HttpFailureKind::kConnect), 0u);
}

}  // namespace
}  // namespace stagedoor
