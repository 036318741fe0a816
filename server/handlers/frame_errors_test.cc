// Parts of frames that fail or are large, and frames that are cancelled.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "resolver/memory/memory_resolver.h"
#include "server/frames/frame_state.h"
#include "server/handlers/frame_handler.h"
#include "server/handlers/stage_handlers.h"
#include "server/testing/bare_daemon.h"
#include "server/testing/frame_scene_test.h"

namespace stagedoor::server {
namespace {

using FrameErrorsTest = FrameSceneTest;

constexpr const char* kBroken = R"(
def PointInstancer "I" {
  int[] protoIndices.timeSamples = { 1: [7], 3: [0] }
  point3f[] positions = [(0, 0, 0)]
  rel prototypes = </I/A>
  def Sphere "A" {
  }
}
def Cube "After" {
}
)";

TEST_F(FrameErrorsTest, WhatCannotBeComputedDoesNotEndTheFrame) {
  Load(kBroken);
  Next(1);
  EXPECT_TRUE(WasSent("error /I"));
  EXPECT_EQ(instances_["/I"].transforms_size(), 0);
  EXPECT_TRUE(rows_.contains("/After"));
  EXPECT_EQ(Next(2), Strings()) << "it still has none";
  EXPECT_EQ(Next(3), Strings{"instances /I"});
  EXPECT_EQ(instances_["/I"].transforms_size(), 1);
  EXPECT_EQ(Next(1), (Strings{"error /I", "instances /I"}));
  EXPECT_EQ(instances_["/I"].transforms_size(), 0);
}

TEST_F(FrameErrorsTest, ValuesThatAreTooLargeAreErrors) {
  ServerOptions options;
  options.limits.max_reply_bytes = 64 << 10;
  Start(options);
  std::string names = "[";
  for (int i = 0; i < 10000; ++i) names += Concat(i == 0 ? "" : ", ", "\"name ", i, "\"");
  Load(Concat("def Cube \"Large\" {\n  string[] primvars:names = ", names,
              "]\n  double size = 5\n}\ndef Cube \"After\" {\n}\n"));
  Next(1);
  EXPECT_TRUE(WasSent("error /Large"));
  EXPECT_TRUE(WasSent("value /Large.size"));
  EXPECT_FALSE(WasSent("value /Large.primvars:names"));
  EXPECT_TRUE(rows_.contains("/After"));
}

TEST_F(FrameErrorsTest, LargeArraysAreSentInChunks) {
  std::string ints = "[0";
  for (int i = 1; i < 100000; ++i) ints += ", 1";
  Load(Concat("def Mesh \"M\" {\n  int[] faceVertexIndices = ", ints, "]\n}\n"));
  auto request = RequestAt(1);
  request.mutable_stream_options()->set_chunk_bytes(65536);
  size_t chunks = 0, streamed = 0;
  for (const v1::ExtractFrameResponse& part : AllParts(&Client::ExtractFrame, request)) {
    chunks += static_cast<size_t>(part.stream_parts().chunks_size());
    for (const v1::FrameGeometry& geometry : part.geometry()) {
      for (const v1::FrameValue& value : geometry.values()) {
        streamed += value.values(0).array_value().has_streamed() ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(streamed, 1u);
  EXPECT_GE(chunks, 100000u * sizeof(int) / 65536);
  Extract(request);
  EXPECT_EQ(Numbers<int>("/M.faceVertexIndices").size(), 100000u);
}

TEST_F(FrameErrorsTest, ArraysThatTheClientHasAreLeftOut) {
  std::string ints = "[0";
  for (int i = 1; i < 1000; ++i) ints += ", 1";
  Load(Concat("def Mesh \"M\" {\n  int[] faceVertexIndices = ", ints, "]\n}\n"));
  auto request = RequestAt(1);
  request.mutable_digest_options();
  Extract(request);
  const v1::PackedValues first = values_["/M.faceVertexIndices"].values(0).array_value();
  EXPECT_EQ(first.digest().size(), 32u);
  request.mutable_digest_options()->add_known(first.digest());
  Extract(request);
  EXPECT_TRUE(values_["/M.faceVertexIndices"].values(0).array_value().unchanged());
}

// The handler without a server, so that it can be stopped between two messages.
TEST(FrameStreamTest, EndsWhenTheRequestIsCancelled) {
  const auto files = std::make_shared<MemoryResolver>();
  std::string text = "#usda 1.0\n";
  for (int i = 0; i < 3000; ++i) text += Concat("def Cube \"C", i, "\" {\n}\n");
  ASSERT_TRUE(files->Put("/root.usda", text).ok());
  BareDaemon daemon(files);
  RequestContext opening;
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  v1::OpenStageResponse opened;
  ASSERT_TRUE(OpenStage(daemon.state.Get<SessionState>(), opening, open, &opened).ok());
  RequestContext context;
  v1::ExtractFrameRequest request;
  request.mutable_stage()->set_handle(opened.handle());
  request.mutable_time()->set_numeric(1);
  request.mutable_stream_options()->set_chunk_bytes(65536);
  auto stream = ExtractFrame(daemon.state.Get<FrameState>(), context, request);
  ASSERT_TRUE(stream.ok()) << stream.status();
  for (int i = 0; i < 2; ++i) {
    WireWriter message;
    const auto more = (*stream)->Next(context, &message);
    ASSERT_TRUE(more.ok()) << more.status();
    EXPECT_TRUE(*more);
    EXPECT_FALSE((*stream)->AtEnd());
  }
  context.Cancel();
  WireWriter message;
  EXPECT_EQ((*stream)->Next(context, &message).status().code(), absl::StatusCode::kCancelled);
  *stream = nullptr;
  EXPECT_LT(context.reserved_bytes(), size_t{2} << 20) << "what is in flight is returned";
}

}  // namespace
}  // namespace stagedoor::server
