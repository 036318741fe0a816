#include "server/handlers/warm_handler.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Response = v1::WarmStageResponse;

class WarmHandlerTest : public ServerTest {
 protected:
  // A request to open "/root.usda" and to warm prims and the clips of an interval.
  static v1::WarmStageRequest MakeRequest(const std::vector<std::string>& paths = {}) {
    v1::WarmStageRequest request;
    request.mutable_source()->mutable_open()->set_root_layer("/root.usda");
    for (const std::string& path : paths) request.add_prim_paths(path);
    return request;
  }
  static v1::WarmStageRequest MakeRequest(const std::vector<std::string>& paths, double start,
                                          double end) {
    v1::WarmStageRequest request = MakeRequest(paths);
    request.mutable_interval()->set_start(start);
    request.mutable_interval()->set_end(end);
    return request;
  }
  v1::WarmStageResult Warm(const v1::WarmStageRequest& request) {
    const auto parts = All(&Client::WarmStage, request);
    if (parts.empty()) return {};
    EXPECT_EQ(parts.back().phase(), Response::PHASE_DONE);
    EXPECT_TRUE(parts.back().has_result());
    return parts.back().result();
  }
  v1::CacheStatistics Cache(const std::string& name) {
    const auto reply = client().GetCacheStatistics({});
    EXPECT_TRUE(reply.ok()) << reply.status();
    for (const v1::CacheStatistics& cache : reply->caches()) {
      if (cache.name() == name) return cache;
    }
    return {};
  }
  // Writes "/root.usda" with `count` prims below /World that have an attribute and a relationship.
  void WritePrims(int count) {
    std::string text = "def \"World\" {\n";
    for (int i = 0; i < count; ++i) {
      text += Concat("def \"P", i, "\" { double x = 1\n rel r = </World>\n }\n");
    }
    Write("root.usda", text + "}\n");
  }
};

TEST_F(WarmHandlerTest, LaterReadsFindClipsOpen) {
  WriteClips(4);
  const v1::WarmStageResult result = Warm(MakeRequest({}, 2, 3));
  EXPECT_EQ(result.prims(), 1u);
  EXPECT_EQ(result.attributes(), 1u);
  EXPECT_EQ(result.clips(), 2u);
  EXPECT_EQ(result.skipped_clips(), 0u);
  EXPECT_EQ(result.error_count(), 0u);
  const v1::CacheStatistics before = Cache("clips");
  EXPECT_GE(before.opens(), 2u);
  EXPECT_EQ(Numbers(Open(), "/P.x", {2, 3}), (std::vector<double>{20, 30}));
  EXPECT_EQ(Cache("clips").opens(), before.opens());
  EXPECT_EQ(Cache("clips").misses(), before.misses());
  EXPECT_EQ(Cache("stages").opens(), 1u) << "the stage was open already";
}

TEST_F(WarmHandlerTest, ResultNamesSnapshotAndRoutingKey) {
  WritePrims(1);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  const auto opened = client().OpenStage(open);
  ASSERT_TRUE(opened.ok()) << opened.status();
  v1::WarmStageRequest request;
  request.mutable_source()->mutable_stage()->set_handle(opened->handle());
  for (const v1::WarmStageResult& result : {Warm(MakeRequest()), Warm(request)}) {
    EXPECT_EQ(result.snapshot(), opened->stage().snapshot());
    EXPECT_EQ(result.routing_key(), opened->routing_key());
  }
}

TEST_F(WarmHandlerTest, GrantsNoLease) {
  WritePrims(1);
  Warm(MakeRequest());
  const auto stages = client().ListStages({});
  ASSERT_TRUE(stages.ok()) << stages.status();
  ASSERT_EQ(stages->stages_size(), 1);
  EXPECT_EQ(stages->stages(0).lease_count(), 0u);
}

TEST_F(WarmHandlerTest, CompilesTheAttributesOfThePrimsAndTheirDescendants) {
  WritePrims(3);
  v1::WarmStageResult result = Warm(MakeRequest());
  EXPECT_EQ(result.prims(), 4u);
  EXPECT_EQ(result.attributes(), 3u) << "not the relationships";
  result = Warm(MakeRequest({"/World/P1"}));
  EXPECT_EQ(result.prims(), 1u);
  EXPECT_EQ(result.attributes(), 1u);
  result = Warm(MakeRequest({"/World/P1", "/World"}));
  EXPECT_EQ(result.prims(), 5u) << "prims below two paths are visited twice";
}

TEST_F(WarmHandlerTest, ProgressIsMonotonic) {
  WritePrims(3000);
  const auto parts = All(&Client::WarmStage, MakeRequest({}, 1, 2));
  ASSERT_GE(parts.size(), 6u) << "opening, three or more for the prims, clips, and the result";
  EXPECT_EQ(parts.front().phase(), Response::PHASE_OPENING);
  EXPECT_EQ(parts[1].phase(), Response::PHASE_ATTRIBUTES);
  EXPECT_EQ(parts[1].done(), 0u);
  EXPECT_EQ(parts[2].done(), 1024u);
  for (size_t i = 1; i < parts.size(); ++i) {
    EXPECT_GE(parts[i].phase(), parts[i - 1].phase());
    if (parts[i].phase() == parts[i - 1].phase()) {
      EXPECT_GT(parts[i].done(), parts[i - 1].done());
      EXPECT_EQ(parts[i].total(), parts[i - 1].total());
    }
    EXPECT_LE(parts[i].done(), parts[i].total());
    EXPECT_EQ(parts[i].has_result(), i + 1 == parts.size());
  }
}

TEST_F(WarmHandlerTest, MissingPrimsAreErrorsOfTheirOwn) {
  WritePrims(2);
  const v1::WarmStageResult result = Warm(MakeRequest({"/Nobody", "/World/P0", "no path"}));
  EXPECT_EQ(result.prims(), 1u);
  EXPECT_EQ(result.error_count(), 2u);
  ASSERT_EQ(result.errors_size(), 2);
  EXPECT_EQ(result.errors(0).item(), 0u);
  EXPECT_EQ(result.errors(0).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(result.errors(1).item(), 2u);
  EXPECT_EQ(result.errors(1).reason(), v1::ERROR_REASON_INVALID_PATH);
}

TEST_F(WarmHandlerTest, ListsAtMostAHundredErrors) {
  WritePrims(1);
  const v1::WarmStageResult result = Warm(MakeRequest(std::vector<std::string>(150, "/Nobody")));
  EXPECT_EQ(result.error_count(), 150u);
  EXPECT_EQ(result.errors_size(), 100);
}

TEST_F(WarmHandlerTest, CountsClipsForWhichThereIsNoRoom) {
  ServerOptions options;
  options.clip_cache_files = 2;
  Start(options);
  WriteClips(4);
  const v1::WarmStageResult result = Warm(MakeRequest({"/P"}, 1, 4));
  EXPECT_EQ(result.clips(), 2u);
  EXPECT_EQ(result.skipped_clips(), 2u);
}

TEST_F(WarmHandlerTest, OpensNoClipsOutsideOfTheInterval) {
  WriteClips(4);
  EXPECT_EQ(Warm(MakeRequest()).clips(), 0u) << "no interval";
  EXPECT_EQ(Warm(MakeRequest({}, 3, 1)).clips(), 0u) << "an interval that ends before it starts";
  v1::WarmStageRequest request = MakeRequest({}, 2, 4);
  request.mutable_interval()->set_end_open(true);
  EXPECT_EQ(Warm(request).clips(), 2u);
}

TEST_F(WarmHandlerTest, CanBeCancelled) {
  WritePrims(5000);
  int messages = 0;
  const absl::Status status = client().WarmStage(MakeRequest(), [&](const Response&) {
    return ++messages < 3 ? absl::OkStatus() : CancelledError("enough");
  });
  EXPECT_EQ(Message(status), "enough");
  EXPECT_EQ(messages, 3);
  EXPECT_EQ(Warm(MakeRequest()).prims(), 5001u) << "it can be repeated";
}

TEST_F(WarmHandlerTest, RejectsInvalidRequests) {
  WritePrims(1);
  EXPECT_EQ(ErrorReason(End(&Client::WarmStage, v1::WarmStageRequest())), "INVALID_FIELD");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ErrorReason(End(&Client::WarmStage, MakeRequest({}, nan, 1))), "INVALID_TIME");
  v1::WarmStageRequest request = MakeRequest();
  request.mutable_source()->mutable_open()->set_root_layer("/nowhere.usda");
  EXPECT_EQ(ErrorReason(End(&Client::WarmStage, request)), "LAYER_NOT_FOUND");
  request.mutable_source()->mutable_stage()->set_handle("unknown");
  EXPECT_EQ(ErrorReason(End(&Client::WarmStage, request)), "STAGE_NOT_FOUND");
  ServerOptions options;
  options.limits.max_paths = 1;
  Start(options);
  EXPECT_EQ(ErrorReason(End(&Client::WarmStage, MakeRequest({"/World", "/World"}))),
            "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
