#include "server/handlers/collection_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/error_info.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class CollectionHandlerTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def "World" (
    prepend apiSchemas = ["CollectionAPI:lights", "CollectionAPI:named"]
)
{
    uniform token collection:lights:expansionRule = "expandPrims"
    rel collection:lights:includes = </World/B>
    uniform pathExpression collection:named:membershipExpression = "/World/A"
    def "A" (
        prepend apiSchemas = ["CollectionAPI:own"]
    ) {
        uniform token collection:own:expansionRule = "explicitOnly"
        rel collection:own:includes = [</World/B>, </World/A>]
    }
    def "B" {
        def "Leaf" {}
        over "Ghost" {}
    }
}
)");
  }

  // "PATH MODE: MEMBERS" of each collection.
  Strings Lines(const v1::ListCollectionsRequest& request) {
    Strings lines;
    for (const auto& part : All(&Client::ListCollections, request)) {
      for (const v1::Collection& collection : part.collections()) {
        std::string line = Concat(collection.path(), " ",
                                  v1::Collection::Mode_Name(collection.mode()).substr(5), ":");
        for (const std::string& member : collection.members()) line += Concat(" ", member);
        lines.push_back(line);
      }
    }
    return lines;
  }
  v1::ListCollectionsRequest MakeRequest(const Strings& paths) {
    v1::ListCollectionsRequest request;
    *request.mutable_stage() = Open();
    for (const std::string& path : paths) request.add_paths(path);
    return request;
  }
};

TEST_F(CollectionHandlerTest, ListsAllCollectionsOfTheStageWithSortedMembers) {
  EXPECT_EQ(Lines(MakeRequest({})),
            (Strings{"/World.collection:lights RULES: /World/B /World/B/Ghost /World/B/Leaf",
                     "/World.collection:named EXPRESSION: /World/A",
                     "/World/A.collection:own RULES: /World/A /World/B"}));
}

TEST_F(CollectionHandlerTest, APathNamesAPrimOrACollection) {
  EXPECT_EQ(Lines(MakeRequest({"/World/A", "/World.collection:named"})),
            (Strings{"/World/A.collection:own RULES: /World/A /World/B",
                     "/World.collection:named EXPRESSION: /World/A"}));
  EXPECT_EQ(Lines(MakeRequest({"/World.collection:nothing", "/World/B"})), Strings{});
  EXPECT_EQ(ErrorReason(End(&Client::ListCollections, MakeRequest({"/Nobody"}))), "PRIM_NOT_FOUND");
}

TEST_F(CollectionHandlerTest, ThePredicateNarrowsMembers) {
  v1::ListCollectionsRequest request = MakeRequest({"/World.collection:lights"});
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_DEFAULT);
  EXPECT_EQ(Lines(request), Strings{"/World.collection:lights RULES: /World/B /World/B/Leaf"});
}

TEST_F(CollectionHandlerTest, LimitsTheNumberOfPaths) {
  ServerOptions options;
  options.limits.max_paths = 1;
  Start(options);
  EXPECT_TRUE(End(&Client::ListCollections, MakeRequest({"/World"})).ok());
  EXPECT_EQ(ErrorReason(End(&Client::ListCollections, MakeRequest({"/World", "/World/A"}))),
            "REQUEST_TOO_LARGE");
}

TEST_F(CollectionHandlerTest, ManyCollectionsComeInSeveralMessages) {
  std::string prims;
  for (int i = 0; i < 50; ++i) {
    prims += Concat("def \"P", i, "\" (prepend apiSchemas = [\"CollectionAPI:c\"]) {\n",
                    "rel collection:c:includes = </P", i, ">\n}\n");
  }
  Write("root.usda", prims);
  ServerOptions options;
  options.limits.message_bytes = 1000;
  Start(options);
  const auto parts = All(&Client::ListCollections, MakeRequest({}));
  EXPECT_GT(parts.size(), 2u);
  int count = 0;
  for (const auto& part : parts) count += part.collections_size();
  EXPECT_EQ(count, 50);
}

TEST_F(CollectionHandlerTest, ReportsACollectionThatIsTooLarge) {
  std::string targets;
  for (int i = 0; i < 100; ++i) targets += Concat("</Q", i, ">, ");
  std::string prims;
  for (int i = 0; i < 100; ++i) prims += Concat("def \"Q", i, "\" {}\n");
  Write("root.usda", Concat(prims, R"(
def "P" (
    prepend apiSchemas = ["CollectionAPI:big", "CollectionAPI:small"]
) {
    rel collection:big:includes = [)",
                            targets, R"(]
    rel collection:small:includes = </Q1>
}
)"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  Strings lines;
  for (const auto& part : All(&Client::ListCollections, MakeRequest({}))) {
    for (const v1::Collection& collection : part.collections()) {
      lines.push_back(Concat(collection.path(), " ", ReasonName(collection.error().reason()), " ",
                             collection.members_size()));
    }
  }
  EXPECT_EQ(lines, (Strings{"/P.collection:big REQUEST_TOO_LARGE 0", "/P.collection:small  1"}));
}

TEST_F(CollectionHandlerTest, SearchesInstancesOnRequest) {
  Write("root.usda", R"(
def "I" (
    instanceable = true
    references = </Source>
) {}
class "Source" {
    def "A" (
        prepend apiSchemas = ["CollectionAPI:c"]
    ) {
        rel collection:c:includes = </Source/A>
    }
}
)");
  v1::ListCollectionsRequest request = MakeRequest({});
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_DEFAULT);
  EXPECT_EQ(Lines(request), Strings{});
  request.mutable_predicate()->set_instance_proxies(true);
  EXPECT_EQ(Lines(request), Strings{"/I/A.collection:c RULES: /I/A"});
  request.mutable_predicate()->add_required_flags(static_cast<v1::PrimFlag>(99));
  EXPECT_EQ(ErrorReason(End(&Client::ListCollections, request)), "INVALID_FIELD");
}

}  // namespace
}  // namespace stagedoor::server
