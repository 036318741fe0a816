#include "server/handlers/prim_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/error_info.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class PrimHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(( defaultPrim = "World" )
def Xform "World" (
    kind = "group"
    prepend apiSchemas = ["CollectionAPI:lights"]
)
{
    def Cube "Cube" ( kind = "component" ) {}
    over "Ghost" {}
    class "Class" {}
    uniform token collection:lights:expansionRule = "expandPrims"
    rel collection:lights:includes = </World/Cube>
}
)");
  }
};

TEST_F(PrimHandlersTest, TraversalsFilterByPredicateDepthAndType) {
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  EXPECT_EQ(Paths(request), (Strings{"/World", "/World/Cube"}));
  request.set_max_depth(1);
  EXPECT_EQ(Paths(request), Strings{"/World"});
  request.clear_max_depth();
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

TEST_F(PrimHandlersTest, TraverseAndGetPrimAgree) {
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
      request.mutable_read_mask()->add_paths("*");
      request.mutable_times()->add_frames(1);
    }
    size_t count = 0;
    const absl::Status status = client().Traverse(request, [&](const v1::TraverseResponse& part) {
      for (const v1::Prim& prim : part.prims()) {
        v1::GetPrimRequest one;
        *one.mutable_stage() = request.stage();
        one.set_path(prim.path());
        *one.mutable_predicate() = request.predicate();
        *one.mutable_read_mask() = request.read_mask();
        *one.mutable_times() = request.times();
        const auto reply = client().GetPrim(one);
        if (!reply.ok()) return reply.status();
        v1::Prim expected = reply->prim();
        if (!heavy) expected.clear_children();  // which GetPrim sends by default
        EXPECT_EQ(prim.DebugString(), expected.DebugString());
        ++count;
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(count, 11u);
  }
}

TEST_F(PrimHandlersTest, GetPrimReturnsTheRequestedFields) {
  v1::GetPrimRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/World");
  for (const char* field : {"children", "type_name", "kind"}) {
    request.mutable_read_mask()->add_paths(field);
  }
  const auto reply = client().GetPrim(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->prim().type_name(), "Xform");
  EXPECT_EQ(reply->prim().kind(), "group");
  EXPECT_EQ(reply->prim().specifier(), v1::SPECIFIER_UNSPECIFIED) << "not requested";
  EXPECT_EQ(reply->prim().properties_size(), 0);
  EXPECT_GE(reply->prim().children_size(), 1);
  request.set_path("/Nobody");
  EXPECT_EQ(ErrorReason(client().GetPrim(request).status()), "PRIM_NOT_FOUND");
}

TEST_F(PrimHandlersTest, EmptyTraversalReportsTheSnapshot) {
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  request.add_schema_types("Camera");
  const auto none = All(&Client::Traverse, request);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].snapshot().size(), 32u);
  EXPECT_EQ(none[0].prims_size(), 0);
  request.clear_schema_types();
  request.add_schema_types("NoSuchSchemaAnywhere");
  EXPECT_EQ(Paths(request), Strings{});
}

TEST_F(PrimHandlersTest, PropertyNamesFilterProperties) {
  Write("named.usda",
        "def \"P\" { int c = 3\nint a = 1\nint b = 2\n}\ndef \"Q\" {\nint b = 4\n}\n");
  v1::OpenStageRequest open;
  open.set_root_layer("/named.usda");
  v1::GetPrimRequest one;
  *one.mutable_stage() = Open(open);
  one.set_path("/P");
  one.mutable_read_mask()->add_paths("properties");
  const auto names = [](const v1::Prim& prim) {
    std::string text;
    for (const v1::Property& property : prim.properties()) text += property.name();
    return text;
  };
  EXPECT_EQ(names(client().GetPrim(one)->prim()), "abc");
  one.add_property_names("b");
  one.add_property_names("nothing_has_this_name");
  one.add_property_names("c");
  EXPECT_EQ(names(client().GetPrim(one)->prim()), "bc");
  for (int i = 0; i < 9998; ++i) one.add_property_names("c");
  EXPECT_EQ(ErrorReason(client().GetPrim(one).status()), "REQUEST_TOO_LARGE") << "10,001 names";

  v1::TraverseRequest all;
  *all.mutable_stage() = one.stage();
  all.mutable_read_mask()->add_paths("properties");
  all.add_property_names("nothing_has_this_name");
  all.add_property_names("b");
  Strings lines;
  const absl::Status status = client().Traverse(all, [&](const v1::TraverseResponse& part) {
    for (const v1::Prim& prim : part.prims()) lines.push_back(Concat(prim.path(), names(prim)));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(lines, (Strings{"/Pb", "/Qb"}));
}

TEST_F(PrimHandlersTest, RootsAreTraversedInTurn) {
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  request.add_roots("/World/Cube");
  request.add_roots("/World");
  EXPECT_EQ(Paths(request), (Strings{"/World/Cube", "/World", "/World/Cube"}));
  request.add_roots("/Nobody");
  EXPECT_EQ(ErrorReason(End(&Client::Traverse, request)), "PRIM_NOT_FOUND");
}

TEST_F(PrimHandlersTest, LongTraversalsComeInSeveralMessages) {
  std::string prims;
  for (int i = 0; i < 200; ++i) prims += Concat("def \"Prim", i, "\" {}\n");
  Write("root.usda", prims);
  ServerOptions options;
  options.limits.message_bytes = 500;
  Start(options);
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  const auto parts = All(&Client::Traverse, request);
  EXPECT_GT(parts.size(), 2u);
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].snapshot().empty(), i != 0);
    for (const v1::Prim& prim : parts[i].prims()) EXPECT_EQ(prim.path(), Concat("/Prim", next++));
  }
  EXPECT_EQ(next, 200u);
}

TEST_F(PrimHandlersTest, ValuesNeedTimes) {
  Write("root.usda", "def \"P\" { double x.timeSamples = { 0: 0, 2: 10 }; }\n");
  v1::GetPrimRequest request;
  *request.mutable_stage() = Open();
  request.set_path("/P");
  const auto plain = client().GetPrim(request);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->snapshot().size(), 32u);
  EXPECT_EQ(plain->prim().properties_size(), 0);
  request.mutable_read_mask()->add_paths("properties.values");
  EXPECT_EQ(ErrorReason(client().GetPrim(request).status()), "INVALID_TIME");
  request.mutable_times()->add_frames(1);
  EXPECT_EQ(client().GetPrim(request)->prim().properties(0).uniform_value().double_value(), 5);
  request.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(client().GetPrim(request)->prim().properties(0).uniform_value().double_value(), 0);
  request.mutable_read_mask()->add_paths("properties.value");
  EXPECT_EQ(ErrorReason(client().GetPrim(request).status()), "INVALID_FIELD");
}

TEST_F(PrimHandlersTest, DepthIsCountedFromEachRoot) {
  v1::TraverseRequest request;
  Write("root.usda", R"(
def "A" {
    def "B" {
        def "C" {
            def "D" {}
        }
    }
}
def "E" {}
)");
  *request.mutable_stage() = Open();
  request.set_max_depth(2);
  EXPECT_EQ(Paths(request), (Strings{"/A", "/A/B", "/E"}));
  request.add_roots("/A");
  request.add_roots("/A/B/C");
  request.set_max_depth(1);
  EXPECT_EQ(Paths(request), (Strings{"/A", "/A/B", "/A/B/C", "/A/B/C/D"}));
  request.set_max_depth(0);
  EXPECT_EQ(Paths(request), (Strings{"/A", "/A/B/C"})) << "the roots alone";
}

TEST_F(PrimHandlersTest, LimitsTheNumberOfRoots) {
  ServerOptions options;
  options.limits.max_paths = 1;
  Start(options);
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  request.add_roots("/World/Cube");
  EXPECT_TRUE(End(&Client::Traverse, request).ok());
  request.add_roots("/World/Cube");
  EXPECT_EQ(ErrorReason(End(&Client::Traverse, request)), "REQUEST_TOO_LARGE");
}

TEST_F(PrimHandlersTest, MatchesAnyOfTheSchemaTypes) {
  v1::TraverseRequest request;
  Write("root.usda", "def Cube \"A\" {}\ndef Camera \"B\" {}\ndef Scope \"C\" {}\n");
  *request.mutable_stage() = Open();
  request.add_schema_types("NoSuchSchemaAnywhere");
  request.add_schema_types("Camera");
  request.add_schema_types("Gprim");
  EXPECT_EQ(Paths(request), (Strings{"/A", "/B"}));
}

TEST_F(PrimHandlersTest, ReportsAPrimThatIsTooLarge) {
  Write("root.usda", Concat("def \"A\" {}\ndef \"Big\" { string s = \"", std::string(5000, 'x'),
                            "\"; }\ndef \"Z\" {}\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1500;
  Start(options);
  v1::TraverseRequest request;
  *request.mutable_stage() = Open();
  request.mutable_read_mask()->add_paths("properties.values");
  request.mutable_times()->add_frames(1);
  Strings lines;
  for (const auto& part : All(&Client::Traverse, request)) {
    for (const v1::Prim& prim : part.prims()) {
      lines.push_back(Concat(prim.path(), " ", ReasonName(prim.error().reason())));
      EXPECT_EQ(prim.properties_size(), 0) << prim.path();
    }
  }
  EXPECT_EQ(lines, (Strings{"/A ", "/Big REQUEST_TOO_LARGE", "/Z "}));
  v1::GetPrimRequest one;
  *one.mutable_stage() = request.stage();
  one.set_path("/Big");
  *one.mutable_read_mask() = request.read_mask();
  *one.mutable_times() = request.times();
  EXPECT_EQ(ErrorReason(client().GetPrim(one).status()), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
