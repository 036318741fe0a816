#include "server/handlers/path_sets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cc/error_reason.h"
#include "server/server_options.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class PathSetsTest : public ServerTest {
 protected:
  PathSetsTest() {
    Write("root.usda", R"(
def Xform "A" {
  double x = 1
  double[] many = [1, 2]
  matrix4d xformOp:transform = ((1,0,0,0), (0,1,0,0), (0,0,1,0), (5,0,0,1))
  uniform token[] xformOpOrder = ["xformOp:transform"]
  float primvars:p = 2
  def Cube "B" {
    double x.timeSamples = { 1: 10, 2: 20 }
  }
}
)");
  }
  // The name of a list of paths.
  std::string Define(const std::vector<std::string>& paths) {
    v1::DefinePathsRequest request;
    request.mutable_paths()->Add(paths.begin(), paths.end());
    const auto reply = client().DefinePaths(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->path_set() : "";
  }
  // Replaces the paths of a request by the name of a list.
  template <typename Request>
  static Request Named(Request request, const std::string& name) {
    request.clear_paths();
    request.set_path_set(name);
    return request;
  }
  // Checks that a unary method answers alike, whether paths are named or sent.
  template <typename Request, typename Response>
  void ExpectSame(absl::StatusOr<Response> (Client::*method)(const Request&, const CallOptions&),
                  const Request& request, const std::string& name) {
    const auto sent = (client().*method)(request, {});
    const auto named = (client().*method)(Named(request, name), {});
    ASSERT_TRUE(sent.ok() && named.ok()) << sent.status() << named.status();
    EXPECT_EQ(named->DebugString(), sent->DebugString());
    EXPECT_GT(named->ByteSizeLong(), sent->snapshot().size() + 8);
  }
  template <typename Request, typename Response>
  void ExpectSameStream(absl::Status (Client::*method)(const Request&,
                                                       const Client::Sink<Response>&),
                        const Request& request, const std::string& name) {
    const std::vector<Response> sent = All(method, request);
    const std::vector<Response> named = All(method, Named(request, name));
    EXPECT_FALSE(sent.empty());
    ASSERT_EQ(named.size(), sent.size());
    for (size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(named[i].DebugString(), sent[i].DebugString());
    }
  }
};

TEST_F(PathSetsTest, EveryBatchTakesNamedPaths) {
  const v1::StageRef stage = Open();
  const std::vector<std::string> prims = {"/A", "/A/B", "/None", "/A"};
  const std::string named_prims = Define(prims);
  ExpectSame(&Client::ComputeTransforms,
             RequestFor<v1::ComputeTransformsRequest>(stage, prims, {1, 2}), named_prims);
  ExpectSame(&Client::ComputeVisibility,
             RequestFor<v1::ComputeVisibilityRequest>(stage, prims, {1}), named_prims);
  ExpectSame(&Client::ComputeBounds, RequestFor<v1::ComputeBoundsRequest>(stage, prims, {1}),
             named_prims);
  ExpectSameStream(&Client::GetPrimvars, RequestFor<v1::GetPrimvarsRequest>(stage, prims, {1}),
                   named_prims);
  v1::ComputeBoundMaterialsRequest materials;
  *materials.mutable_stage() = stage;
  materials.mutable_paths()->Add(prims.begin(), prims.end());
  ExpectSame(&Client::ComputeBoundMaterials, materials, named_prims);
  const std::vector<std::string> attributes = {"/A.x", "/A/B.x", "/A.many", "/A.none", "bad"};
  const std::string named_attributes = Define(attributes);
  ExpectSame(&Client::BatchGetValues,
             RequestFor<v1::BatchGetValuesRequest>(stage, attributes, {1, 2}), named_attributes);
  ExpectSameStream(&Client::StreamValues,
                   RequestFor<v1::StreamValuesRequest>(stage, attributes, {1, 2}),
                   named_attributes);
  v1::SampleValuesRequest samples;
  *samples.mutable_stage() = stage;
  samples.mutable_paths()->Add(attributes.begin(), attributes.end());
  samples.add_intervals();
  ExpectSameStream(&Client::SampleValues, samples, named_attributes);
}

TEST_F(PathSetsTest, UnknownNamesAreErrorsOfTheirOwn) {
  auto request = RequestFor<v1::BatchGetValuesRequest>(Open(), {}, {1});
  request.set_path_set("0123456789abcdef");
  const absl::Status status = client().BatchGetValues(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(status), "PATH_SET_UNKNOWN");
  const auto stream = Named(RequestFor<v1::GetPrimvarsRequest>(Open(), {}, {1}), "short");
  EXPECT_EQ(ErrorReason(End(&Client::GetPrimvars, stream)), "PATH_SET_UNKNOWN");
}

TEST_F(PathSetsTest, NamedPathsAndSentOnesExcludeEachOther) {
  auto request = RequestFor<v1::BatchGetValuesRequest>(Open(), {"/A.x"}, {1});
  request.set_path_set(Define({"/A.x"}));
  const absl::Status status = client().BatchGetValues(request).status();
  EXPECT_EQ(ErrorReason(status), "INVALID_FIELD");
  EXPECT_EQ(client().DefinePaths({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PathSetsTest, LimitsHoldForNamedPaths) {
  ServerOptions options;
  options.limits.max_paths = 3;
  options.limits.max_items = 4;
  Start(options);
  v1::DefinePathsRequest four;
  for (int i = 0; i < 4; ++i) four.add_paths("/A");
  EXPECT_EQ(ErrorReason(client().DefinePaths(four).status()), "REQUEST_TOO_LARGE");
  const std::string three = Define({"/A", "/A", "/A"});
  const v1::StageRef stage = Open();
  const auto once = Named(RequestFor<v1::ComputeVisibilityRequest>(stage, {}, {1}), three);
  EXPECT_TRUE(client().ComputeVisibility(once).ok());
  const auto twice = Named(RequestFor<v1::ComputeVisibilityRequest>(stage, {}, {1, 2}), three);
  EXPECT_EQ(ErrorReason(client().ComputeVisibility(twice).status()), "REQUEST_TOO_LARGE");
}

TEST_F(PathSetsTest, EvictedSetsAreDefinedAgain) {
  const auto request =
      Named(RequestFor<v1::BatchGetValuesRequest>(Open(), {}, {1}), Define({"/A.x"}));
  EXPECT_TRUE(client().BatchGetValues(request).ok());
  v1::EvictCachesRequest evict;
  evict.add_caches(v1::CACHE_KIND_PATH_SETS);
  const auto evicted = client().EvictCaches(evict);
  ASSERT_TRUE(evicted.ok()) << evicted.status();
  EXPECT_EQ(evicted->caches(0).name(), "path_sets");
  EXPECT_EQ(evicted->caches(0).entries(), 1u);
  EXPECT_EQ(ErrorReason(client().BatchGetValues(request).status()), "PATH_SET_UNKNOWN");
  EXPECT_EQ(Define({"/A.x"}), request.path_set());
  EXPECT_TRUE(client().BatchGetValues(request).ok());
}

}  // namespace
}  // namespace stagedoor::server
