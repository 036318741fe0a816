#include "client/cc/query_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/frame_reader.h"
#include "base/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor {
namespace {

using Clock = QueryLink::Clock;

// A daemon that accepts one connection and does what a test says.
class FakeDaemon {
 public:
  explicit FakeDaemon(const std::string& path)
      : listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
  }
  ~FakeDaemon() {
    if (thread_.joinable()) thread_.join();
    ::close(listening_);
  }

  // Sends a window of two queries first, and closes the connection at the end.
  void Serve(std::function<void(FakeDaemon&)> script) {
    thread_ = std::thread([this, script = std::move(script)] {
      fd_ = ::accept(listening_, nullptr, nullptr);
      v1::ServerFrame window;
      window.mutable_window()->set_queries(2);
      Send(window);
      script(*this);
      ::close(fd_);
    });
  }

  static std::string BytesOf(const v1::ServerFrame& frame) {
    v1::ServerFrames frames;
    *frames.add_frames() = frame;
    const std::string message = frames.SerializeAsString();
    const auto length = static_cast<uint32_t>(message.size());
    return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + message;
  }
  void SendBytes(const std::string& bytes) {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void Send(const v1::ServerFrame& frame) { SendBytes(BytesOf(frame)); }

  // The next query; an empty one at the end of the connection.
  v1::Query NextQuery() {
    for (;;) {
      const auto content = reader_.Next();
      v1::ClientFrame frame;
      if (content.ok() && content->has_value()) {
        EXPECT_TRUE(frame.ParseFromArray((*content)->data(), static_cast<int>((*content)->size())));
        if (frame.has_query()) return frame.query();
        continue;
      }
      char bytes[4096];
      const ssize_t count = ::recv(fd_, bytes, sizeof(bytes), 0);
      if (count <= 0) return {};
      reader_.Feed(std::string_view(bytes, static_cast<size_t>(count)));
    }
  }

  // Whether more of what the client has sent at once is there.
  bool has_more() const { return reader_.held() > 0; }

  static v1::ServerFrame AnswerTo(const v1::Query& query, const std::string& snapshot) {
    v1::ServerFrame frame;
    frame.mutable_answer()->set_request_id(query.request_id());
    frame.mutable_answer()->mutable_values()->set_snapshot(snapshot);
    return frame;
  }
  static v1::ServerFrame ErrorFor(const v1::Query& query, absl::StatusCode code) {
    v1::ServerFrame frame;
    frame.mutable_answer()->set_request_id(query.request_id());
    frame.mutable_answer()->mutable_error()->set_code(static_cast<int>(code));
    frame.mutable_answer()->mutable_error()->set_message("why");
    return frame;
  }

 private:
  const int listening_;
  int fd_ = -1;
  FrameReader reader_;
  std::thread thread_;
};

class QueryLinkTest : public ::testing::Test {
 protected:
  std::shared_ptr<QueryLink> Connect(std::function<void(FakeDaemon&)> script) {
    daemon_.Serve(std::move(script));
    auto link = QueryLink::Connect(path_, size_t{1} << 20);
    EXPECT_TRUE(link.ok()) << link.status();
    return *link;
  }
  static v1::BatchGetValuesRequest Request() {
    v1::BatchGetValuesRequest request;
    request.mutable_stage()->set_handle("h");
    request.add_paths("/A.x");
    return request;
  }
  // The outcome of a query as text.
  static std::string Text(const QueryLink::Outcome& outcome) {
    if (!outcome.has_value()) return "ask elsewhere";
    if (!outcome->ok()) return std::string(Message(outcome->status()));
    return (*outcome)->snapshot();
  }
  static std::string Ask(QueryLink& link) {
    return Text(link.Run(Request(), Clock::now() + std::chrono::seconds(60), nullptr));
  }

  TempDir folder_{"/tmp"};
  const std::string path_ = folder_ / "queries.sock";
  FakeDaemon daemon_{path_};
};

TEST_F(QueryLinkTest, RepliesAndErrorsAreThoseOfTheDaemon) {
  const auto link = Connect([](FakeDaemon& daemon) {
    daemon.Send(FakeDaemon::AnswerTo(daemon.NextQuery(), "one"));
    daemon.Send(FakeDaemon::ErrorFor(daemon.NextQuery(), absl::StatusCode::kInvalidArgument));
    daemon.Send(FakeDaemon::ErrorFor(daemon.NextQuery(), absl::StatusCode::kResourceExhausted));
    daemon.Send(FakeDaemon::ErrorFor(daemon.NextQuery(), absl::StatusCode::kUnavailable));
    daemon.NextQuery();
  });
  EXPECT_EQ(Ask(*link), "one");
  EXPECT_EQ(Ask(*link), "why");
  EXPECT_EQ(Ask(*link), "ask elsewhere") << "a busy daemon";
  EXPECT_EQ(Ask(*link), "ask elsewhere");
  EXPECT_FALSE(link->broken());
  link->Close();
}

TEST_F(QueryLinkTest, AnswersMayComeInAnyOrder) {
  const auto link = Connect([](FakeDaemon& daemon) {
    const v1::Query first = daemon.NextQuery(), second = daemon.NextQuery();
    daemon.Send(FakeDaemon::AnswerTo(v1::Query(), "nobody asked"));
    daemon.Send(FakeDaemon::AnswerTo(second, "second"));
    daemon.Send(FakeDaemon::AnswerTo(first, "first"));
    daemon.NextQuery();
  });
  std::promise<std::string> texts[2];
  for (std::promise<std::string>& text : texts) {
    link->Start(Request(), Clock::now() + std::chrono::seconds(60), nullptr,
                [&](const QueryLink::Outcome& outcome) { text.set_value(Text(outcome)); });
  }
  EXPECT_EQ(texts[0].get_future().get(), "first");
  EXPECT_EQ(texts[1].get_future().get(), "second");
  link->Close();
}

TEST_F(QueryLinkTest, QueriesOfCallbacksAreSentTogether) {
  std::promise<bool> together;
  const auto link = Connect([&](FakeDaemon& daemon) {
    const v1::Query first = daemon.NextQuery(), second = daemon.NextQuery();
    daemon.SendBytes(FakeDaemon::BytesOf(FakeDaemon::AnswerTo(first, "first")) +
                     FakeDaemon::BytesOf(FakeDaemon::AnswerTo(second, "second")));
    daemon.NextQuery();
    together.set_value(daemon.has_more());
    daemon.NextQuery();
    daemon.NextQuery();
  });
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  for (int i = 0; i < 2; ++i) {
    link->Start(Request(), deadline, nullptr, [&](const QueryLink::Outcome& outcome) {
      if (!outcome.has_value()) return;
      link->Start(Request(), deadline, nullptr, [](const QueryLink::Outcome&) {});
    });
  }
  EXPECT_TRUE(together.get_future().get());
  link->Close();
}

TEST_F(QueryLinkTest, TheWindowIsKept) {
  std::promise<void> asked;
  const auto link = Connect([&](FakeDaemon& daemon) {
    const v1::Query first = daemon.NextQuery();
    daemon.NextQuery();
    asked.get_future().wait();
    daemon.Send(FakeDaemon::AnswerTo(first, "first"));
    daemon.NextQuery();
  });
  std::promise<std::string> texts[3];
  for (std::promise<std::string>& text : texts) {
    link->Start(Request(), Clock::now() + std::chrono::seconds(60), nullptr,
                [&](const QueryLink::Outcome& outcome) { text.set_value(Text(outcome)); });
  }
  EXPECT_EQ(texts[2].get_future().get(), "ask elsewhere");
  asked.set_value();
  EXPECT_EQ(texts[0].get_future().get(), "first");
  link->Close();
  EXPECT_EQ(texts[1].get_future().get(), "ask elsewhere");
}

TEST_F(QueryLinkTest, AConnectionThatBreaksEndsItsQueries) {
  v1::ServerFrame goodbye;
  goodbye.mutable_goodbye();
  const std::string answer = FakeDaemon::BytesOf(FakeDaemon::AnswerTo(v1::Query(), "text"));
  v1::ServerFrame segment;
  segment.mutable_new_segment()->set_size(4096);
  const std::string cases[] = {
      "",                                        // the end
      answer.substr(0, answer.size() - 1),       // half a frame
      "\xff\xff\xff\xff",                        // a message above the limit
      std::string("\x02\0\0\0\x12\0", 6),        // not frames
      std::string("\x03\0\0\0\x0A\x01\xff", 7),  // not a frame
      FakeDaemon::BytesOf(goodbye),
      FakeDaemon::BytesOf(segment),  // without a descriptor
  };
  for (const std::string& bytes : cases) {
    const std::string path = folder_ / ("case" + std::to_string(&bytes - cases));
    FakeDaemon daemon(path);
    daemon.Serve([&](FakeDaemon& self) {
      self.NextQuery();
      if (!bytes.empty()) self.SendBytes(bytes);
    });
    const auto link = QueryLink::Connect(path, size_t{1} << 20);
    ASSERT_TRUE(link.ok()) << link.status();
    EXPECT_EQ(Ask(**link), "ask elsewhere");
    EXPECT_TRUE((*link)->broken());
    EXPECT_EQ(Ask(**link), "ask elsewhere") << "once more";
    (*link)->Close();
  }
}

TEST_F(QueryLinkTest, AQueryEndsAtItsDeadline) {
  const auto link = Connect([](FakeDaemon& daemon) {
    daemon.NextQuery();
    daemon.NextQuery();
    daemon.NextQuery();
  });
  EXPECT_EQ(Text(link->Run(Request(), Clock::now() + std::chrono::milliseconds(5), nullptr)),
            "the deadline of the call has passed");
  std::promise<std::string> text;
  link->Start(Request(), Clock::now() + std::chrono::milliseconds(5), nullptr,
              [&](const QueryLink::Outcome& outcome) { text.set_value(Text(outcome)); });
  EXPECT_EQ(text.get_future().get(), "the deadline of the call has passed");
  EXPECT_FALSE(link->broken());
  link->Close();
}

TEST_F(QueryLinkTest, ACancelledQueryEnds) {
  const auto link = Connect([](FakeDaemon& daemon) {
    daemon.NextQuery();
    daemon.NextQuery();
  });
  const auto cancellation = std::make_shared<Cancellation>();
  std::promise<std::string> text;
  link->Start(Request(), Clock::now() + std::chrono::seconds(60), cancellation,
              [&](const QueryLink::Outcome& outcome) { text.set_value(Text(outcome)); });
  cancellation->Cancel();
  EXPECT_EQ(text.get_future().get(), "the call was cancelled");
  link->Close();
}

TEST_F(QueryLinkTest, NobodyListensOrNotADaemon) {
  EXPECT_TRUE(absl::IsUnavailable(QueryLink::Connect(folder_ / "none", 1000).status()));
  EXPECT_FALSE(QueryLink::Connect("/" + std::string(200, 'x'), 1000).ok());
}

TEST_F(QueryLinkTest, LargeRequestsDoNotSuit) {
  v1::BatchGetValuesRequest request = Request();
  EXPECT_TRUE(QueryLink::Suits(request));
  request.set_path_set("0123456789abcdef");
  EXPECT_FALSE(QueryLink::Suits(request));
  request.clear_path_set();
  request.add_paths("/" + std::string(70000, 'x'));
  EXPECT_FALSE(QueryLink::Suits(request));
}

}  // namespace
}  // namespace stagedoor
