#include "server/http_frames/frame_gateway.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "stagedoor/v1/frame.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor::server {
namespace {

using State = HttpStream::State;

// A daemon with one stage.
class FakeStages final : public v1::StagesService::Service {
 public:
  std::atomic<int> opened{0}, closed{0};
  std::string authorization;

 private:
  grpc::Status OpenStage(grpc::ServerContext* context, const v1::OpenStageRequest* request,
                         v1::OpenStageResponse* response) override {
    const auto found = context->client_metadata().find("authorization");
    if (found != context->client_metadata().end()) {
      authorization.assign(found->second.data(), found->second.size());
    }
    if (request->root_layer() != "/a.usda") {
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such layer");
    }
    ++opened;
    response->set_handle("handle");
    response->mutable_stage()->set_snapshot("snapshot");
    return grpc::Status::OK;
  }
  grpc::Status CloseStage(grpc::ServerContext*, const v1::CloseStageRequest*,
                          v1::CloseStageResponse*) override {
    ++closed;
    return grpc::Status::OK;
  }
};

class FakeFrames final : public v1::FrameService::Service {
 public:
  std::vector<std::string> parts = {"one", "two"};
  grpc::Status end;
  std::atomic<bool> waits{false};  // after the parts, until the call is cancelled
  std::atomic<int> exports{0}, cancelled{0};

 private:
  grpc::Status ComputeFrameFingerprint(grpc::ServerContext*,
                                       const v1::ComputeFrameFingerprintRequest* request,
                                       v1::ComputeFrameFingerprintResponse* response) override {
    if (request->stage().handle() != "handle" || request->stage().snapshot() != "snapshot") {
      return grpc::Status(grpc::StatusCode::INTERNAL, "another stage");
    }
    response->set_fingerprint(Concat("f", request->time().numeric()));
    return grpc::Status::OK;
  }
  grpc::Status ExportFrame(grpc::ServerContext* context, const v1::ExportFrameRequest*,
                           grpc::ServerWriter<v1::ExportFrameResponse>* writer) override {
    ++exports;
    for (const std::string& part : parts) {
      v1::ExportFrameResponse response;
      response.set_data(part);
      writer->Write(response);
    }
    while (waits && !context->IsCancelled()) std::this_thread::yield();
    cancelled += context->IsCancelled();
    return end;
  }
};

class FrameGatewayTest : public testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    builder.RegisterService(&stages_);
    builder.RegisterService(&frames_);
    server_ = builder.BuildAndStart();
    gateway_.SetChannel(server_->InProcessChannel({}));
  }

  std::unique_ptr<HttpStream> Start(std::string_view query, std::string_view headers = "",
                                    std::string_view method = "GET") {
    const std::string head =
        Concat(method, " /v1/frame?", query, " HTTP/1.1\r\n", "Host: localhost:9464\r\n", headers);
    return gateway_.Start(*HttpRequest::Parse(head), [this] { ++woken_; });
  }
  // Reads an answer to its end.
  std::string Read(HttpStream& stream, State* end = nullptr) {
    std::string answer, piece;
    while (true) {
      const int woken = woken_;
      const State state = stream.Next(&piece);
      if (state == State::kPiece) {
        answer += piece;
      } else if (state == State::kWaiting) {
        while (woken_ == woken) std::this_thread::yield();
      } else {
        if (end != nullptr) *end = state;
        return answer;
      }
    }
  }
  std::string Get(std::string_view query, std::string_view headers = "",
                  std::string_view method = "GET") {
    const auto stream = Start(query, headers, method);
    return Read(*stream);
  }
  static void WaitFor(const std::atomic<int>& number, int wanted) {
    while (number != wanted) std::this_thread::yield();
  }

  FakeStages stages_;
  FakeFrames frames_;
  std::unique_ptr<grpc::Server> server_;
  FrameGateway gateway_{/*only_local=*/true};
  std::atomic<int> woken_{0};
};

TEST_F(FrameGatewayTest, SendsTheFileInChunksWithATag) {
  const std::string answer = Get("root=/a.usda&time=1", "Authorization: Bearer t\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nETag: W/\"6631\"\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")) << answer;
  EXPECT_NE(answer.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << answer;
  WaitFor(stages_.closed, 1);
  EXPECT_EQ(stages_.authorization, "Bearer t");
}

TEST_F(FrameGatewayTest, AFrameThatTheClientHasIsNotSent) {
  const std::string answer = Get("root=/a.usda&time=1", "If-None-Match: W/\"6631\"\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 304 Not Modified\r\nETag: W/\"6631\"\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  EXPECT_EQ(frames_.exports, 0);
  EXPECT_TRUE(Get("root=/a.usda&time=2", "If-None-Match: W/\"6631\"\r\n")
                  .starts_with("HTTP/1.1 200 OK\r\nETag: W/\"6632\"\r\n"));
  WaitFor(stages_.closed, 2);
}

TEST_F(FrameGatewayTest, HeadHasNoFile) {
  const std::string answer = Get("root=/a.usda&time=1", "", "HEAD");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nETag: W/\"6631\"\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
  EXPECT_EQ(frames_.exports, 0);
}

TEST_F(FrameGatewayTest, ErrorsAreAnswers) {
  EXPECT_TRUE(Get("root=/b.usda").starts_with("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_TRUE(Get("root=/b.usda").ends_with("\r\n\r\nno such layer\n"));
  EXPECT_TRUE(Get("time=1").starts_with("HTTP/1.1 400 Bad Request\r\n"));
  frames_.parts.clear();
  frames_.end = grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "no memory");
  EXPECT_TRUE(Get("root=/a.usda").starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_EQ(stages_.opened, 1);
  WaitFor(stages_.closed, 1);
}

TEST_F(FrameGatewayTest, AFailureInTheMiddleBreaksTheAnswer) {
  frames_.end = grpc::Status(grpc::StatusCode::DATA_LOSS, "overwritten");
  State end = State::kWaiting;
  const auto stream = Start("root=/a.usda");
  const std::string answer = Read(*stream, &end);
  EXPECT_EQ(end, State::kBroken);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(answer.ends_with("0\r\n\r\n")) << "the client sees that it is incomplete";
  WaitFor(stages_.closed, 1);
}

TEST_F(FrameGatewayTest, AClientThatLeavesCancelsTheCall) {
  frames_.waits = true;
  auto stream = Start("root=/a.usda");
  WaitFor(frames_.exports, 1);
  stream = nullptr;
  WaitFor(frames_.cancelled, 1);
  WaitFor(stages_.closed, 1);
}

TEST_F(FrameGatewayTest, FramesInFlightAreLimited) {
  frames_.waits = true;
  std::vector<std::unique_ptr<HttpStream>> streams;
  for (size_t i = 0; i < FrameGateway::kMostTransfers; ++i) {
    streams.push_back(Start("root=/a.usda"));
  }
  EXPECT_TRUE(Get("root=/a.usda").starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
  frames_.waits = false;
  for (const auto& stream : streams) {
    EXPECT_TRUE(Read(*stream).ends_with("0\r\n\r\n"));
  }
  EXPECT_TRUE(Get("root=/a.usda").ends_with("0\r\n\r\n")) << "there is room again";
}

TEST_F(FrameGatewayTest, WebPagesNeedAToken) {
  const auto status = [&](std::string_view head) {
    const auto stream =
        gateway_.Start(*HttpRequest::Parse(Concat("GET /v1/frame?root=/a.usda HTTP/1.1\r\n", head)),
                       [this] { ++woken_; });
    return Read(*stream).substr(9, 3);
  };
  EXPECT_EQ(status("Host: 127.0.0.1:9464\r\n"), "200");
  EXPECT_EQ(status("Host: [::1]:9464\r\n"), "200");
  EXPECT_EQ(status("Host: page.example.com\r\n"), "421");
  EXPECT_EQ(status(""), "421");
  EXPECT_EQ(status("Host: page.example.com\r\nAuthorization: Bearer t\r\n"), "200");
  EXPECT_EQ(status("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), "403");
  EXPECT_EQ(status("Host: localhost\r\nSec-Fetch-Site: none\r\n"), "200");
  EXPECT_EQ(status("Host: localhost\r\nAuthorization: Bearer \x01\r\n"), "400");
}

TEST_F(FrameGatewayTest, OlderClientsAreRefused) {
  const auto stream =
      gateway_.Start(*HttpRequest::Parse("GET /v1/frame?root=/a.usda HTTP/1.0\r\n"), [] {});
  EXPECT_TRUE(Read(*stream).starts_with("HTTP/1.1 505 "));
}

TEST(FrameGatewayStartTest, WaitsForTheDaemon) {
  FrameGateway gateway(/*only_local=*/false);
  const auto stream =
      gateway.Start(*HttpRequest::Parse("GET /v1/frame?root=/a.usda HTTP/1.1\r\n"), [] {});
  std::string piece;
  ASSERT_EQ(stream->Next(&piece), State::kPiece);
  EXPECT_TRUE(piece.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << piece;
  EXPECT_EQ(stream->Next(&piece), State::kEnd);
}

}  // namespace
}  // namespace stagedoor::server
