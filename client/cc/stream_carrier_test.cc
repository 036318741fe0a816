#include "client/cc/stream_carrier.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/in_flight_count.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/cc/query_link.h"
#include "stagedoor/v1/frames.grpc.pb.h"
#include "stagedoor/v1/server.grpc.pb.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;
using Clock = FrameCarrier::Clock;

// A daemon whose streams do what a test says.
class FakeDaemon final : public v1::QueryChannelService::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::ServerFrames, v1::ClientFrames>;
  using Script = std::function<grpc::Status(Stream&)>;

  explicit FakeDaemon(Script script) : script_(std::move(script)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(script_ != nullptr ? static_cast<grpc::Service*>(this) : &other_);
    server_ = builder.BuildAndStart();
    channel_ = grpc::CreateChannel(Concat("127.0.0.1:", port), grpc::InsecureChannelCredentials());
  }
  // After its streams, which are destroyed before.
  ~FakeDaemon() override {
    server_->Shutdown(std::chrono::system_clock::now());
    calls_.WaitForNone();
  }

  // Counts a stream until it is destroyed.
  std::shared_ptr<void> call() const {
    calls_.Begin();
    return {nullptr, [this](void*) { calls_.End(); }};
  }

  grpc::Status StreamQueries(grpc::ServerContext*, Stream* stream) override {
    return script_(*stream);
  }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  static bool SendWindow(Stream& stream) {
    v1::ServerFrames frames;
    frames.add_frames()->mutable_window()->set_queries(2);
    return stream.Write(frames);
  }
  // The next query; an empty one at the end of the stream.
  static v1::Query NextQuery(Stream& stream) {
    v1::ClientFrames frames;
    while (stream.Read(&frames)) {
      for (const v1::ClientFrame& frame : frames.frames()) {
        if (frame.has_query()) return frame.query();
      }
    }
    return {};
  }
  static v1::ServerFrames AnswerTo(const v1::Query& query, const std::string& snapshot) {
    v1::ServerFrames frames;
    v1::Answer* answer = frames.add_frames()->mutable_answer();
    answer->set_request_id(query.request_id());
    answer->mutable_values()->set_snapshot(snapshot);
    return frames;
  }
  static v1::ServerFrames ErrorFor(const v1::Query& query, absl::StatusCode code,
                                   v1::ErrorReason reason) {
    v1::ServerFrames frames;
    v1::Answer* answer = frames.add_frames()->mutable_answer();
    answer->set_request_id(query.request_id());
    answer->mutable_error()->set_code(static_cast<int>(code));
    answer->mutable_error()->set_reason(reason);
    answer->mutable_error()->set_message("why");
    return frames;
  }

 private:
  const Script script_;
  v1::ServerService::Service other_;  // of a daemon without streams
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  mutable InFlightCount calls_;
};

StreamCarrier::Opened Open(const FakeDaemon& daemon,
                           milliseconds patience = std::chrono::minutes(1)) {
  std::promise<StreamCarrier::Opened> opened;
  StreamCarrier::Open(daemon.channel(), std::make_unique<grpc::ClientContext>(),
                      RetryClock::Default(), patience, daemon.call(),
                      [&](StreamCarrier::Opened carrier) { opened.set_value(std::move(carrier)); });
  return opened.get_future().get();
}

// The frames that come until the connection is broken.
std::vector<v1::ServerFrame> ReadAll(FrameCarrier& carrier) {
  FrameReader reader;
  SharedSegments segments;
  std::vector<v1::ServerFrame> frames;
  while (carrier.Read(Clock::now() + std::chrono::minutes(1), false, reader, segments)) {
    for (;;) {
      const auto content = reader.Next();
      EXPECT_TRUE(content.ok()) << content.status();
      if (!content.ok() || !content->has_value()) break;
      const std::string_view bytes = **content;
      EXPECT_TRUE(
          frames.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    }
  }
  return frames;
}

std::string MessageOf(const v1::ClientFrames& frames) {
  const std::string message = frames.SerializeAsString();
  const auto length = static_cast<uint32_t>(message.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + message;
}

v1::BatchGetValuesRequest Request() {
  v1::BatchGetValuesRequest request;
  request.mutable_stage()->set_handle("h");
  request.add_paths("/A.x");
  return request;
}

// The outcome of a query as text.
std::string Ask(QueryLink& link) {
  const auto outcome = link.Run(Request(), Clock::now() + std::chrono::minutes(1), nullptr);
  if (!outcome.has_value()) return "ask elsewhere";
  return outcome->ok() ? (*outcome)->snapshot() : std::string(Message(outcome->status()));
}

TEST(StreamCarrierTest, WhatWasSentComesInOrder) {
  constexpr uint64_t kCount = 2000;
  const FakeDaemon daemon([](FakeDaemon::Stream& stream) {
    FakeDaemon::SendWindow(stream);
    v1::ClientFrames frames;
    for (uint64_t expected = 0; expected < kCount && stream.Read(&frames);) {
      for (const v1::ClientFrame& frame : frames.frames()) {
        if (frame.query().request_id() == expected) ++expected;
      }
      if (expected == kCount) stream.Write(FakeDaemon::AnswerTo({}, "all"));
    }
    return grpc::Status::OK;
  });
  const auto carrier = Open(daemon);
  ASSERT_TRUE(carrier.ok()) << carrier.status();
  for (uint64_t id = 0; id < kCount; id += 2) {
    std::string messages;
    for (const uint64_t each : {id, id + 1}) {
      v1::ClientFrames frames;
      frames.add_frames()->mutable_query()->set_request_id(each);
      messages += MessageOf(frames);
    }
    EXPECT_EQ((*carrier)->Send(messages), messages.size());
  }
  const auto frames = ReadAll(**carrier);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_TRUE(frames[0].has_window());
  EXPECT_EQ(frames[1].answer().values().snapshot(), "all");
  EXPECT_EQ((*carrier)->Send(MessageOf(v1::ClientFrames())), 4u) << "nothing is sent any more";
}

TEST(StreamCarrierTest, ADaemonThatHasNoneSaysSo) {
  EXPECT_TRUE(absl::IsUnimplemented(Open(FakeDaemon(nullptr)).status()));
}

TEST(StreamCarrierTest, AStreamThatEndsAtOnceIsNone) {
  const FakeDaemon daemon([](FakeDaemon::Stream&) { return grpc::Status::OK; });
  EXPECT_TRUE(absl::IsUnavailable(Open(daemon).status()));
}

// For example behind a proxy that passes nothing on until the end.
TEST(StreamCarrierTest, AStreamOnWhichNothingComesIsGivenUp) {
  const FakeDaemon daemon([](FakeDaemon::Stream& stream) {
    FakeDaemon::NextQuery(stream);
    return grpc::Status::OK;
  });
  EXPECT_TRUE(absl::IsCancelled(Open(daemon, milliseconds(20)).status()));
}

TEST(StreamCarrierTest, ShutdownEndsARead) {
  const FakeDaemon daemon([](FakeDaemon::Stream& stream) {
    FakeDaemon::SendWindow(stream);
    FakeDaemon::NextQuery(stream);
    return grpc::Status::OK;
  });
  const auto carrier = Open(daemon);
  ASSERT_TRUE(carrier.ok()) << carrier.status();
  std::thread other([&] { (*carrier)->Shutdown(); });
  EXPECT_EQ(ReadAll(**carrier).size(), 1u);
  other.join();
}

// A link over a stream to the daemon.
std::shared_ptr<QueryLink> LinkTo(const FakeDaemon& daemon) {
  auto carrier = Open(daemon);
  EXPECT_TRUE(carrier.ok()) << carrier.status();
  if (!carrier.ok()) return nullptr;
  auto link = QueryLink::Over(*std::move(carrier), size_t{1} << 20);
  EXPECT_TRUE(link.ok()) << link.status();
  return std::move(link).value_or(nullptr);
}

TEST(StreamCarrierTest, ALinkAsksOverIt) {
  const FakeDaemon daemon([](FakeDaemon::Stream& stream) {
    FakeDaemon::SendWindow(stream);
    stream.Write(FakeDaemon::AnswerTo(FakeDaemon::NextQuery(stream), "one"));
    stream.Write(FakeDaemon::ErrorFor(FakeDaemon::NextQuery(stream),
                                      absl::StatusCode::kInvalidArgument,
                                      v1::ERROR_REASON_INVALID_FIELD));
    FakeDaemon::NextQuery(stream);
    return grpc::Status::OK;
  });
  const auto link = LinkTo(daemon);
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(Ask(*link), "one");
  EXPECT_EQ(Ask(*link), "why");
  EXPECT_FALSE(link->broken());
  EXPECT_EQ(Ask(*link), "ask elsewhere") << "the stream has ended";
  EXPECT_TRUE(link->broken());
}

// A stream stays with its daemon and its token, while later calls may have others.
TEST(StreamCarrierTest, ErrorsOfAnotherDaemonOrTokenAreAskedElsewhere) {
  const struct {
    absl::StatusCode code;
    v1::ErrorReason reason;
  } kCases[] = {{absl::StatusCode::kNotFound, v1::ERROR_REASON_STAGE_NOT_FOUND},
                {absl::StatusCode::kUnauthenticated, v1::ERROR_REASON_UNAUTHENTICATED}};
  for (const auto& [code, reason] : kCases) {
    const FakeDaemon daemon([code = code, reason = reason](FakeDaemon::Stream& stream) {
      FakeDaemon::SendWindow(stream);
      stream.Write(FakeDaemon::ErrorFor(FakeDaemon::NextQuery(stream), code, reason));
      FakeDaemon::NextQuery(stream);
      return grpc::Status::OK;
    });
    const auto link = LinkTo(daemon);
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(Ask(*link), "ask elsewhere");
    EXPECT_TRUE(link->broken());
  }
}

}  // namespace
}  // namespace stagedoor
