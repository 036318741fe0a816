// At whatever point of its work a request reaches a limit, it must fail rather than return a
// partial reply, and the next request must get the same reply as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/status.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "server/handlers/stage_handlers.h"
#include "server/testing/bare_daemon.h"
#include "server/testing/handler_table.h"
#include "server/testing/mixed_requests.h"
#include "server/testing/mixed_scene.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {
namespace {

using google::protobuf::MethodDescriptor;

class EndedRequestsTest : public ::testing::TestWithParam<MixedRequest> {
 protected:
  void SetUp() override {
    PutScene();
    Add("crate.usdc", "ConvertLayer", "identifier: '/crate.usda' format: LAYER_FORMAT_USDC");
    Add("package.usdz", "FlattenStage",
        "source { open { root_layer: '/heavy.usda' } } format: LAYER_FORMAT_USDZ");
    Renew();
  }

  // New versions of all files and a new daemon, so that nothing is cached.
  void Renew() {
    PutScene();
    daemon_ = std::make_unique<BareDaemon>(std::make_shared<PackageResolver>(files_));
    stage_.clear();
    if (std::string(GetParam().request).find('$') == std::string::npos) return;
    v1::OpenStageRequest request;
    request.set_root_layer("/root.usda");
    v1::OpenStageResponse response;
    RequestContext context;
    const absl::Status opened =
        OpenStage(daemon_->state.Get<SessionState>(), context, request, &response);
    ASSERT_TRUE(opened.ok()) << opened;
    stage_ = response.handle();
    if (std::string_view(GetParam().name) == "ReloadStage") PutScene();
  }

  // Like the daemon, discards the reply of a request that has reached a limit.
  GenericReply Call(RequestContext& context) {
    const MethodDescriptor& method = MethodOf(GetParam());
    const auto request = RequestOf(GetParam(), stage_, "");
    std::vector<std::string> bytes;
    absl::Status status =
        CallHandler(method, daemon_->state, context, request->SerializeAsString(), &bytes);
    if (status.ok() && context.failed()) status = context.Check();
    GenericReply reply;
    reply.status =
        grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(TextOf(status)));
    for (const std::string& message : bytes) {
      reply.messages.emplace_back(google::protobuf::MessageFactory::generated_factory()
                                      ->GetPrototype(method.output_type())
                                      ->New());
      EXPECT_TRUE(reply.messages.back()->ParseFromString(message));
    }
    Normalize(&reply);
    return reply;
  }
  GenericReply Call() {
    RequestContext context;
    return Call(context);
  }
  static std::string_view TextOf(const absl::Status& status) { return stagedoor::Message(status); }

  // Calls with `limits`, then without. Renews the daemon before that if `cold` is true or the
  // request cannot be repeated. Returns whether a limit was reached.
  bool CallWithin(const RequestLimits& limits, bool cold, const GenericReply& expected) {
    if (cold || GetParam().differs) Renew();
    RequestContext context(RequestContext::Clock::time_point::max(), limits);
    const GenericReply bounded = Call(context);
    EXPECT_EQ(context.failed(), !bounded.status.ok()) << bounded.status.error_message();
    if (bounded.status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
      ExpectSame(expected, bounded);
    }
    const bool done_for_good = bounded.status.ok() && GetParam().differs;
    if (!done_for_good) ExpectSame(expected, Call());
    return context.failed();
  }
  static void ExpectSame(const GenericReply& expected, const GenericReply& reply) {
    if (GetParam().differs) {
      EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
    } else {
      EXPECT_EQ(Difference(expected, reply), "");
    }
  }

  std::unique_ptr<BareDaemon> daemon_;
  std::string stage_;

 private:
  void PutScene() {
    for (const SceneFile& file : scene_) {
      ASSERT_TRUE(files_->Put(Concat("/", file.name), file.content).ok());
    }
  }

  // Adds a file with the content that an RPC returns.
  void Add(const std::string& name, const char* method, const char* text) {
    daemon_ = std::make_unique<BareDaemon>(std::make_shared<PackageResolver>(files_));
    const std::string full = Concat("LayersService/", method);
    const MixedRequest request{"", full.c_str(), text};
    RequestContext context;
    std::vector<std::string> messages;
    const absl::Status made =
        CallHandler(MethodOf(request), daemon_->state, context,
                    RequestOf(request, "", "")->SerializeAsString(), &messages);
    ASSERT_TRUE(made.ok()) << made;
    std::string content;
    for (const std::string& message : messages) {
      v1::ConvertLayerResponse part;  // other responses have their data in the same field
      ASSERT_TRUE(part.ParseFromString(message));
      content += part.data();
    }
    scene_.push_back({name, content});
    PutScene();
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  std::vector<SceneFile> scene_ = MixedScene();
};

constexpr int kRounds = 40;

// The limit of a round: 1, 2, 3 and so on at first, then evenly spaced up to `all`.
uint64_t Bound(int round, uint64_t all) {
  const auto dense = static_cast<uint64_t>(round) + 1;
  if (round < kRounds / 3) return std::min(dense, all);
  const int rest = kRounds - kRounds / 3;
  return all * static_cast<uint64_t>(round - kRounds / 3 + 1) / static_cast<uint64_t>(rest + 1);
}

TEST_P(EndedRequestsTest, RequestsOfTooManyStepsFail) {
  RequestContext unbounded;
  const GenericReply expected = Call(unbounded);
  ASSERT_TRUE(expected.status.ok()) << expected.status.error_message();
  int ended = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    RequestLimits limits;
    limits.max_steps = Bound(round, unbounded.steps());
    SCOPED_TRACE(Concat(limits.max_steps, " steps of ", unbounded.steps()));
    ended += CallWithin(limits, /*cold=*/round % 2 == 0, expected) ? 1 : 0;
  }
  // A few loops may have less than a stride each, after which a pacer asks whether to end.
  EXPECT_TRUE(ended > 0 || unbounded.steps() < 2 * Pacer::kStride) << unbounded.steps();
}

TEST_P(EndedRequestsTest, RequestsOfTooManyBytesFail) {
  const GenericReply expected = Call();
  ASSERT_TRUE(expected.status.ok()) << expected.status.error_message();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    RequestLimits limits;
    limits.max_bytes = (size_t{2} + round % 2) << (round / 2);  // 2, 3, 4, 6, 8 ... 1.5 MiB
    SCOPED_TRACE(Concat(limits.max_bytes, " bytes"));
    CallWithin(limits, round % 2 == 0, expected);
  }
}

// A request that does very little may succeed nevertheless.
TEST_P(EndedRequestsTest, CancelledAndExpiredRequestsReturnNoPartialReply) {
  const GenericReply expected = Call();
  for (const bool late : {false, true}) {
    Renew();
    RequestContext context(late ? RequestContext::Clock::time_point::min()
                                : RequestContext::Clock::time_point::max());
    if (!late) context.Cancel();
    const GenericReply reply = Call(context);
    if (!reply.status.ok()) {
      EXPECT_EQ(reply.status.error_code(),
                late ? grpc::StatusCode::DEADLINE_EXCEEDED : grpc::StatusCode::CANCELLED);
      ExpectSame(expected, Call());
    } else {
      ExpectSame(expected, reply);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EndedRequestsTest, ::testing::ValuesIn(MixedRequests()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stagedoor::server
