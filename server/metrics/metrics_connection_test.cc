#include "server/metrics/metrics_connection.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stagedoor::server {
namespace {

// The next pieces and the state of a stream, and whether it still exists.
struct StreamScript {
  std::deque<std::string> pieces;
  HttpStream::State then = HttpStream::State::kWaiting;
  bool exists = false;
};

class TestStream final : public HttpStream {
 public:
  explicit TestStream(StreamScript& script) : script_(script) { script_.exists = true; }
  ~TestStream() override { script_.exists = false; }
  State Next(std::string* piece) override {
    if (script_.pieces.empty()) return script_.then;
    *piece = script_.pieces.front();
    script_.pieces.pop_front();
    return State::kPiece;
  }

 private:
  StreamScript& script_;
};

// A connection and its client in one process.
class MetricsConnectionTest : public testing::Test {
 protected:
  MetricsConnectionTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    client_ = ends[0];
    connection_ =
        std::make_unique<MetricsConnection>(ends[1], MetricsConnection::Clock::time_point::max());
  }
  ~MetricsConnectionTest() override { ::close(client_); }

  void Send(std::string_view bytes) {
    ASSERT_EQ(::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  bool Continue() { return connection_->Continue(routes_); }
  // The bytes that have arrived at the client.
  std::string Received() {
    std::string received;
    char buffer[65536];
    for (ssize_t n; (n = ::recv(client_, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0;) {
      received.append(buffer, static_cast<size_t>(n));
    }
    return received;
  }
  std::string AnswerTo(std::string_view request) {
    Send(request);
    EXPECT_TRUE(Continue());
    return Received();
  }

  int client_ = -1;
  std::unique_ptr<MetricsConnection> connection_;
  std::string text_ = "leases 3\n";
  bool fails_ = false;
  StreamScript stream_;
  std::string stream_query_;
  const HttpRoutes routes_ = {
      .pages =
          {
              {"/metrics",
               [this] {
                 if (fails_) throw std::runtime_error("no memory");
                 return HttpAnswer{.content_type = "text/plain; version=0.0.4", .body = text_};
               }},
              {"/readyz",
               [] { return HttpAnswer{.status = "503 Service Unavailable", .body = "no\n"}; }},
          },
      .streams = {{"/stream",
                   [this](const HttpRequest& request, const std::function<void()>&) {
                     if (fails_) throw std::runtime_error("no memory");
                     stream_query_ = request.query();
                     return std::make_unique<TestStream>(stream_);
                   }}},
  };
};

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
    "X-Content-Type-Options: nosniff\r\nContent-Length: 9\r\nConnection: close\r\n\r\n";

TEST_F(MetricsConnectionTest, AnswersWithTheRenderedText) {
  EXPECT_EQ(AnswerTo("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
            std::string(kHead) + "leases 3\n");
}

TEST_F(MetricsConnectionTest, ParametersAreIgnored) {
  EXPECT_TRUE(AnswerTo("GET /metrics?name=x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST_F(MetricsConnectionTest, HeadHasTheHeaderOnly) {
  EXPECT_EQ(AnswerTo("HEAD /metrics HTTP/1.1\r\n\r\n"), kHead);
}

TEST_F(MetricsConnectionTest, ARouteDecidesOnTheStatus) {
  EXPECT_EQ(
      AnswerTo("GET /readyz HTTP/1.1\r\n\r\n"),
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "X-Content-Type-Options: nosniff\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n");
}

TEST_F(MetricsConnectionTest, OtherResourcesAreNotFound) {
  const std::string answer = AnswerTo("GET /metricsx HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(
      answer.ends_with("\r\n\r\nthere is no page '/metricsx'; the pages are /metrics /readyz "
                       "/stream\n"))
      << answer;
}

TEST_F(MetricsConnectionTest, OtherMethodsAreNotAllowed) {
  const std::string answer = AnswerTo("GETS /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\nonly GET and HEAD are answered\n")) << answer;
}

TEST_F(MetricsConnectionTest, AnErrorOfAHeadHasNoText) {
  EXPECT_TRUE(AnswerTo("HEAD /metricsx HTTP/1.1\r\n\r\n").ends_with("Connection: close\r\n\r\n"));
}

TEST_F(MetricsConnectionTest, AHeadEndsAStreamWithItsHead) {
  stream_.pieces = {"HTTP/1.1 200 OK\r\n\r\nthe rest", "more"};
  EXPECT_EQ(AnswerTo("HEAD /stream HTTP/1.1\r\n\r\n"), "HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_FALSE(stream_.exists);
}

TEST_F(MetricsConnectionTest, AFailureToRenderIsAServerError) {
  fails_ = true;
  EXPECT_TRUE(AnswerTo("GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 500 "));
}

TEST_F(MetricsConnectionTest, WaitsForTheEndOfTheRequest) {
  EXPECT_TRUE(Continue()) << "there is nothing to read yet";
  EXPECT_EQ(connection_->events(), POLLIN);
  EXPECT_EQ(AnswerTo("GET /metrics HTTP/1.1\r\n"), "");
  EXPECT_EQ(connection_->events(), POLLIN);
  EXPECT_TRUE(AnswerTo("\r\n").starts_with("HTTP/1.1 200 "));
}

TEST_F(MetricsConnectionTest, RequestSizeIsLimited) {
  const std::string line = "GET /metrics HTTP/1.1\r\n";
  Send(line + std::string(MetricsConnection::kMaxRequestBytes - line.size(), 'x'));
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Continue());
  EXPECT_EQ(Received(), "");
  EXPECT_TRUE(AnswerTo("x").starts_with("HTTP/1.1 431 "));
}

TEST_F(MetricsConnectionTest, SendsAsTheClientReads) {
  text_.assign(4 << 20, 'm');
  Send("GET /metrics HTTP/1.1\r\n\r\n");
  const std::string end = "\r\n\r\n" + text_;
  std::string received;
  for (int i = 0; i < 100000 && !received.ends_with(end); ++i) {
    ASSERT_TRUE(Continue());
    if (received.empty()) {
      EXPECT_EQ(connection_->events(), POLLOUT);
    }
    received += Received();
  }
  EXPECT_TRUE(received.ends_with(end));
  EXPECT_EQ(connection_->events(), POLLIN);
}

TEST_F(MetricsConnectionTest, AClientThatLeavesDuringItsAnswerEndsTheConnection) {
  text_.assign(4 << 20, 'm');
  Send("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Continue());
  EXPECT_EQ(connection_->events(), POLLOUT);
  ::shutdown(client_, SHUT_RDWR);
  EXPECT_FALSE(Continue());
}

TEST_F(MetricsConnectionTest, AClientThatLeavesBeforeItsRequestEndsTheConnection) {
  ::shutdown(client_, SHUT_WR);
  EXPECT_FALSE(Continue());
}

// Closing earlier would reset the connection before the client has read the answer.
TEST_F(MetricsConnectionTest, LastsUntilTheClientHasItsAnswer) {
  EXPECT_NE(AnswerTo("GET /metrics HTTP/1.1\r\n\r\n"), "");
  char byte;
  EXPECT_EQ(::recv(client_, &byte, 1, 0), 0) << "nothing follows the answer";
  EXPECT_TRUE(Continue());
  Send("more");
  EXPECT_TRUE(Continue());
  ::shutdown(client_, SHUT_WR);
  EXPECT_FALSE(Continue());
}

TEST_F(MetricsConnectionTest, AStreamIsSentAsItsPiecesBecomeReady) {
  stream_.pieces = {"head ", "first "};
  EXPECT_EQ(AnswerTo("GET /stream?a=1&b=2 HTTP/1.1\r\n\r\n"), "head first ");
  EXPECT_EQ(stream_query_, "a=1&b=2");
  EXPECT_TRUE(connection_->is_streaming());
  EXPECT_EQ(connection_->deadline(), MetricsConnection::Clock::time_point::max())
      << "the work has a deadline of its own";
  EXPECT_TRUE(Continue()) << "nothing is ready";
  EXPECT_EQ(Received(), "");
  stream_.pieces = {"second"};
  stream_.then = HttpStream::State::kEnd;
  EXPECT_TRUE(Continue());
  EXPECT_EQ(Received(), "second");
  EXPECT_FALSE(stream_.exists);
  EXPECT_FALSE(connection_->is_streaming());
  char byte;
  EXPECT_EQ(::recv(client_, &byte, 1, 0), 0) << "nothing follows the answer";
  Send("GET /stream HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Continue()) << "a connection has one request";
  EXPECT_FALSE(stream_.exists);
  ::shutdown(client_, SHUT_WR);
  EXPECT_FALSE(Continue());
}

TEST_F(MetricsConnectionTest, AStreamIsReadAsTheClientReads) {
  stream_.pieces.assign(4, std::string(4 << 20, 's'));
  stream_.then = HttpStream::State::kEnd;
  Send("GET /stream HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(Continue());
  EXPECT_EQ(connection_->events(), POLLOUT);
  EXPECT_EQ(stream_.pieces.size(), 3u) << "one piece is held while it is sent";
  EXPECT_LT(connection_->deadline(), MetricsConnection::Clock::time_point::max());
  size_t received = Received().size();
  for (int i = 0; i < 100000 && stream_.exists; ++i) {
    ASSERT_TRUE(Continue());
    received += Received().size();
  }
  EXPECT_EQ(received + Received().size(), size_t{16} << 20);
}

TEST_F(MetricsConnectionTest, AClientThatLeavesEndsTheStream) {
  Send("GET /stream HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(Continue());
  EXPECT_TRUE(stream_.exists);
  ::shutdown(client_, SHUT_RDWR);
  EXPECT_FALSE(Continue());
  connection_ = nullptr;
  EXPECT_FALSE(stream_.exists);
}

TEST_F(MetricsConnectionTest, ABrokenStreamEndsTheConnection) {
  stream_.pieces = {"head "};
  stream_.then = HttpStream::State::kBroken;
  Send("GET /stream HTTP/1.1\r\n\r\n");
  EXPECT_FALSE(Continue());
  EXPECT_EQ(Received(), "head ");
}

TEST_F(MetricsConnectionTest, AStreamThatCannotStartIsAServerError) {
  fails_ = true;
  EXPECT_TRUE(AnswerTo("GET /stream HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 500 "));
}

TEST_F(MetricsConnectionTest, MalformedRequestsAreRefused) {
  EXPECT_TRUE(AnswerTo("GET metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

}  // namespace
}  // namespace stagedoor::server
