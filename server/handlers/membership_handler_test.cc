#include "server/handlers/membership_handler.h"

#include <gtest/gtest.h>

#include <string>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class MembershipHandlerTest : public ServerTest {
 protected:
  MembershipHandlerTest() {
    Write("root.usda", R"(
def "World" (
  prepend apiSchemas = ["CollectionAPI:rules", "CollectionAPI:words"]
) {
  rel collection:rules:includes = </World/A>
  rel collection:rules:excludes = </World/A/Out>
  uniform token collection:rules:expansionRule = "expandPrimsAndProperties"
  uniform pathExpression collection:words:membershipExpression = "//{isa:Mesh}"
  rel collection:unapplied:includes = </World>
  def Mesh "A" {
    double size
    def "Out" {
    }
  }
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  absl::StatusOr<v1::ComputeMembershipResponse> Members(
      std::initializer_list<const char*> collections, std::initializer_list<const char*> paths) {
    v1::ComputeMembershipRequest request;
    *request.mutable_stage() = stage_;
    for (const char* collection : collections) request.add_collections(collection);
    for (const char* path : paths) request.add_paths(path);
    return client().ComputeMembership(request);
  }

  v1::StageRef stage_;
};

TEST_F(MembershipHandlerTest, RulesAndExpressionsHaveMembers) {
  const auto response = Members({"/World.collection:rules", "/World.collection:words",
                                 "/World.collection:unapplied", "/World.collection:never"},
                                {"/World", "/World/A", "/World/A.size", "/World/A/Out", "/None",
                                 "/World/A.none", "/World/A", "/World", "/World/A"});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->snapshot().size(), 32u);
  EXPECT_EQ(response->path_count(), 9u);
  ASSERT_EQ(response->members_size(), 4);
  EXPECT_EQ(response->members(0), std::string("\x46\x01", 2));
  EXPECT_EQ(response->members(1), std::string("\x42\x01", 2));
  EXPECT_EQ(response->members(2), std::string(2, '\0'));
  EXPECT_EQ(response->members(3), std::string(2, '\0'));
  ASSERT_EQ(response->path_errors_size(), 2);
  EXPECT_EQ(response->path_errors(0).item(), 4u);
  EXPECT_EQ(response->path_errors(0).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
  EXPECT_EQ(response->path_errors(1).reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
}

TEST_F(MembershipHandlerTest, ACollectionThatIsAskedForTwiceHasTheSameMembers) {
  const auto response =
      Members({"/World.collection:rules", "/World.collection:words", "/World.collection:rules",
               "/World.collection:never", "/World.collection:words", "/World.collection:never"},
              {"/World", "/World/A", "/World/A.size"});
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->members_size(), 6);
  EXPECT_EQ(response->members(0), "\x06");
  EXPECT_EQ(response->members(2), response->members(0));
  EXPECT_EQ(response->members(1), "\x02");
  EXPECT_EQ(response->members(4), response->members(1));
  EXPECT_EQ(response->members(5), std::string(1, '\0'));
}

TEST_F(MembershipHandlerTest, TooManyCollectionsAreRefused) {
  v1::ComputeMembershipRequest request;
  *request.mutable_stage() = stage_;
  request.add_paths("/World");
  for (int i = 0; i <= 100'000; ++i) request.add_collections("/World.collection:rules");
  EXPECT_EQ(ErrorReason(client().ComputeMembership(request).status()), "REQUEST_TOO_LARGE");
  request.mutable_collections()->RemoveLast();
  const auto response = client().ComputeMembership(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->members_size(), 100'000);
}

TEST_F(MembershipHandlerTest, CollectionsMustBeOfPrims) {
  EXPECT_EQ(Members({"/None.collection:rules"}, {"/World"}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Members({"/World"}, {"/World"}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor::server
