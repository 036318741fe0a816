// The methods of QueryService.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/server/test_server.h"

namespace stagedoor {
namespace {

using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

class QueryTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(( defaultPrim = "World" )
def Xform "World" (
    kind = "group"
    prepend apiSchemas = ["CollectionAPI:lights"]
)
{
    double x = 5
    double x.timeSamples = { 1: 10, 3: 30 }
    double fixed = 4
    double none.timeSamples = { 1: None, 3: 8 }
    def Cube "Cube" ( kind = "component" ) {}
    over "Ghost" {}
    class "Class" {}
    uniform token collection:lights:expansionRule = "expandPrims"
    rel collection:lights:includes = </World/Cube>
}
)");
  }

  v1::BatchGetValuesRequest Ask(const std::string& path, v1::TimeCode::Kind kind, double time = 0) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = Open();
    request.add_paths(path);
    v1::TimeCode* code = request.mutable_times()->add_times();
    code->set_kind(kind);
    code->set_value(time);
    return request;
  }
};

TEST_F(QueryTest, AsksAtEveryKindOfTime) {
  EXPECT_EQ(Numbers(Ask("/World.x", v1::TimeCode::KIND_DEFAULT)), Doubles{5});
  EXPECT_EQ(Numbers(Ask("/World.x", v1::TimeCode::KIND_EARLIEST)), Doubles{10});
  EXPECT_EQ(Numbers(Ask("/World.x", v1::TimeCode::KIND_NUMERIC, 2)), Doubles{20});
  EXPECT_EQ(Numbers(Ask("/World.x", v1::TimeCode::KIND_PRE_TIME, 3)), Doubles{30});
}

TEST_F(QueryTest, ARequestMayHoldValuesAndAskForRanges) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  request.mutable_times()->add_ranges("1:3x0.5");
  EXPECT_EQ(Numbers(request), (Doubles{10, 15, 20, 25, 30}));
  request.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(Numbers(request), (Doubles{10, 10, 10, 10, 30}));
}

TEST_F(QueryTest, TellsBlockedItemsAndSources) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  for (const char* name : {"none", "fixed", "x"}) request.add_paths(Concat("/World.", name));
  request.mutable_times()->add_frames(1);
  request.set_with_sources(true);
  const auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->blocked_items_size(), 1);
  EXPECT_EQ(reply->blocked_items(0), 0u);
  ASSERT_EQ(reply->sources_size(), 3);
  EXPECT_EQ(reply->sources(1), v1::VALUE_SOURCE_DEFAULT);
  EXPECT_EQ(reply->sources(2), v1::VALUE_SOURCE_TIME_SAMPLES);
}

TEST_F(QueryTest, AnotherNumberOfPathsThanOneThreadFetchesAhead) {
  std::string scene = "def \"P\"\n{\n";
  for (int i = 0; i < 300; ++i) scene += Concat("    double a", i, " = ", i, "\n");
  Write("many.usda", scene + "}\n");
  v1::OpenStageRequest open;
  open.set_root_layer("/many.usda");
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open(open);
  Doubles expected;
  for (int i = 0; i < 300; ++i) {
    request.add_paths(Concat("/P.a", i * 7 % 300));
    expected.push_back(i * 7 % 300);
  }
  request.mutable_times()->add_frames(0);
  EXPECT_EQ(Numbers(request), expected) << "compiled by this request";
  EXPECT_EQ(Numbers(request), expected) << "found in the table";
}

TEST_F(QueryTest, CountsAndStreamsSamples) {
  v1::ListTimeSamplesRequest count;
  *count.mutable_stage() = Open();
  count.add_paths("/World.x");
  count.add_paths("/World.fixed");
  count.set_count_only(true);
  const auto reply = client().ListTimeSamples(count);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->attributes(0).count(), 2u);
  EXPECT_EQ(reply->attributes(0).times_size(), 0);
  EXPECT_TRUE(reply->attributes(0).might_be_time_varying());
  EXPECT_FALSE(reply->attributes(1).might_be_time_varying());

  v1::StreamTimeSamplesRequest stream;
  *stream.mutable_stage() = count.stage();
  stream.add_paths("/World.x");
  stream.add_paths("/World.nothing");
  Doubles times;
  Strings errors;
  const absl::Status status =
      client().StreamTimeSamples(stream, [&](const v1::StreamTimeSamplesResponse& part) {
        if (part.path_index() == 0)
          times.insert(times.end(), part.times().begin(), part.times().end());
        if (part.has_error()) errors.push_back(part.error().reason());
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(times, (Doubles{1, 3}));
  EXPECT_EQ(errors, Strings{"ATTRIBUTE_NOT_FOUND"});
}

TEST_F(QueryTest, FindsTheSamplesAroundATime) {
  v1::GetBracketingTimeSamplesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  request.add_paths("/World.fixed");
  for (const double time : {0.0, 1.0, 2.0, 9.0}) request.add_times(time);
  const auto reply = client().GetBracketingTimeSamples(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(Doubles(reply->lower().begin(), reply->lower().begin() + 4), (Doubles{1, 1, 1, 3}));
  EXPECT_EQ(Doubles(reply->upper().begin(), reply->upper().begin() + 4), (Doubles{1, 1, 3, 3}));
  ASSERT_EQ(reply->has_samples_size(), 8);
  EXPECT_TRUE(reply->has_samples(0));
  EXPECT_FALSE(reply->has_samples(4));
  request.add_times(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ErrorReason(client().GetBracketingTimeSamples(request).status()), "INVALID_TIME");
}

TEST_F(QueryTest, TraversalsChooseByPredicateDepthAndType) {
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  EXPECT_EQ(Paths(request), (Strings{"/World", "/World/Cube"}));
  request.set_max_depth(1);
  EXPECT_EQ(Paths(request), Strings{"/World"});
  request.set_max_depth(0);
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  EXPECT_EQ(Paths(request), (Strings{"/World", "/World/Cube", "/World/Ghost", "/World/Class"}));
  request.mutable_predicate()->add_required_flags(v1::PRIM_FLAG_MODEL);
  EXPECT_EQ(Paths(request), (Strings{"/World", "/World/Cube"}));
  request.mutable_predicate()->add_excluded_flags(v1::PRIM_FLAG_GROUP);
  request.add_roots("/World/Cube");
  EXPECT_EQ(Paths(request), Strings{"/World/Cube"});
  v1::TraverseRequest typed;
  *typed.mutable_stage() = request.stage();
  typed.add_schema_types("Gprim");
  EXPECT_EQ(Paths(typed), Strings{"/World/Cube"});
}

TEST_F(QueryTest, TraversalAndGetPrimSayTheSameOfAPrim) {
  Write("kinds.usda", R"(#usda 1.0
def Xform "World" (kind = "assembly")
{
    def Xform "A" (instanceable = true
        kind = "component"
        references = </Source>
        variants = { string look = "none" }) {}
    def "B" (instanceable = true
        references = </Source>) {}
    over "Over" {}
    def Scope "Off" (active = false) {}
    def "Later" (payload = </Source>) {}
}
class Xform "Source"
{
    def Sphere "Ball" {}
}
)");
  v1::OpenStageRequest open;
  open.set_root_layer("/kinds.usda");
  v1::TraverseRequest request;
  *request.mutable_stage() = Open(open);
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  request.mutable_predicate()->set_instance_proxies(true);
  for (const bool heavy : {false, true}) {
    if (heavy) {
      request.add_details(v1::PRIM_DETAIL_SUMMARY);
      request.add_details(v1::PRIM_DETAIL_SCHEMAS);
    }
    size_t count = 0;
    const absl::Status status = client().Traverse(request, [&](const v1::TraverseResponse& part) {
      for (const v1::Prim& prim : part.prims()) {
        v1::GetPrimRequest one;
        *one.mutable_stage() = request.stage();
        one.set_path(prim.path());
        one.add_details(v1::PRIM_DETAIL_SUMMARY);
        if (heavy) one.add_details(v1::PRIM_DETAIL_SCHEMAS);
        const auto reply = client().GetPrim(one);
        if (!reply.ok()) return reply.status();
        EXPECT_EQ(reply->prim().DebugString(), prim.DebugString());
        ++count;
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(count, 11u);
  }
}

TEST_F(QueryTest, GetPrimGivesWhatIsAskedFor) {
  v1::GetPrimRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/World");
  request.add_details(v1::PRIM_DETAIL_CHILDREN);
  request.add_details(v1::PRIM_DETAIL_SUMMARY);
  request.add_details(v1::PRIM_DETAIL_SCHEMAS);
  const auto reply = client().GetPrim(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->prim().type_name(), "Xform");
  EXPECT_EQ(reply->prim().kind(), "group");
  EXPECT_EQ(reply->prim().properties_size(), 0);
  EXPECT_GE(reply->prim().children_size(), 1);
  request.set_path("/Nobody");
  EXPECT_EQ(ErrorReason(client().GetPrim(request).status()), "PRIM_NOT_FOUND");
}

TEST_F(QueryTest, ExplainsAValue) {
  v1::ExplainRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/World.x");
  request.mutable_times()->add_frames(2);
  const auto reply = client().Explain(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->explanations_size(), 1);
  const v1::Explanation& explanation = reply->explanations(0);
  EXPECT_EQ(explanation.source(), v1::VALUE_SOURCE_TIME_SAMPLES);
  EXPECT_EQ(explanation.site().layer(), "/root.usda");
  EXPECT_TRUE(explanation.interpolated());
  EXPECT_EQ(explanation.lower_sample(), 1);
  EXPECT_EQ(explanation.upper_sample(), 3);
}

TEST_F(QueryTest, ListsCollections) {
  v1::ListCollectionsRequest request;
  *request.mutable_stage() = Open();
  Strings members;
  const absl::Status status =
      client().ListCollections(request, [&](const v1::ListCollectionsResponse& part) {
        for (const v1::Collection& collection : part.collections()) {
          EXPECT_EQ(collection.path(), "/World.collection:lights");
          members.assign(collection.members().begin(), collection.members().end());
        }
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(members, Strings{"/World/Cube"});
}

}  // namespace
}  // namespace stagedoor
