// Tests which callers may take over a lease of another replica. tests/server/replicas_test.cc tests
// the rest.
#include "server/sharing/session_sharing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/request_scope.h"
#include "resolver/memory/memory_resolver.h"
#include "server/error_info.h"
#include "server/testing/bare_replica.h"

namespace stagedoor::server {
namespace {

class SessionSharingTest : public ::testing::Test {
 protected:
  SessionSharingTest() {
    EXPECT_TRUE(files_->Put("/shot/root.usda", "#usda 1.0\ndef \"P\" {\n}\n").ok());
  }

  static v1::OpenStageRequest Request(const std::string& session = "") {
    v1::OpenStageRequest request;
    request.set_root_layer("/shot/root.usda");
    request.set_session(session);
    return request;
  }
  static std::string Open(BareReplica& replica) { return replica.Open(Request()); }
  static std::string OpenAs(const Caller& caller, BareReplica& replica,
                            const std::string& session = "") {
    return replica.OpenAs(caller, Request(session));
  }
  v1::ErrorReason GetStageReason(BareReplica& replica, const std::string& handle) {
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle(handle);
    v1::GetStageResponse response;
    RequestContext context;
    return GetReason(GetStage(replica.session_state(), context, request, &response));
  }

  std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<SharedRecords> records_ = std::make_shared<SharedRecords>();
  BareReplica first_{files_, records_}, second_{files_, records_};
};

TEST_F(SessionSharingTest, ALeaseBelongsToTheCallerWhoOpenedIt) {
  const Caller ann = MakeCaller("ann", "/shot"), bob = MakeCaller("bob", "/shot");
  const std::string handle = OpenAs(ann, first_);
  {
    const RequestScope::Guard guard(RequestScope::Current().WithCaller(&bob));
    EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_STAGE_NOT_FOUND);
    v1::CloseStageRequest close;
    close.set_handle(handle);
    v1::CloseStageResponse closed;
    RequestContext context;
    EXPECT_EQ(GetReason(CloseStage(second_.session_state(), context, close, &closed)),
              v1::ERROR_REASON_STAGE_NOT_FOUND);
  }
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_STAGE_NOT_FOUND);  // of nobody
  const RequestScope::Guard guard(RequestScope::Current().WithCaller(&ann));
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_UNSPECIFIED);
}

TEST_F(SessionSharingTest, ALeaseEndsWhenTheCallerMayReadOtherAssets) {
  const Caller before = MakeCaller("ann", "/shot"), after = MakeCaller("ann", "/");
  const std::string handle = OpenAs(before, first_);
  const RequestScope::Guard guard(RequestScope::Current().WithCaller(&after));
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_LEASE_EXPIRED);
  EXPECT_EQ(first_.daemon.leases.size(), 1u);
  EXPECT_EQ(GetStageReason(first_, handle), v1::ERROR_REASON_LEASE_EXPIRED);
  EXPECT_EQ(first_.daemon.leases.size(), 0u);
}

TEST_F(SessionSharingTest, NamedSessionsAreThoseOfOneCaller) {
  const Caller ann = MakeCaller("ann", "/shot"), bob = MakeCaller("bob", "/shot");
  OpenAs(ann, first_, "shot");
  OpenAs(ann, second_, "shot");
  EXPECT_EQ(first_.sharing.GetStats().sessions, 1u);
  EXPECT_EQ(second_.sharing.GetStats().sessions, 1u);
  OpenAs(bob, second_, "shot");
  EXPECT_EQ(second_.sharing.GetStats().sessions, 2u);
}

TEST_F(SessionSharingTest, TheStoreHasNoHandles) {
  const std::string handle = Open(first_);
  RequestContext context;
  EXPECT_EQ(*first_.store.FindLease(context, handle), std::nullopt);
  EXPECT_EQ(second_.sharing.GetStats().restored_leases, 0u);
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_UNSPECIFIED);
  EXPECT_EQ(second_.sharing.GetStats().restored_leases, 1u);
}

TEST_F(SessionSharingTest, FailuresOfTheStoreAreCounted) {
  first_.store.SetReachable(false);
  Open(first_);
  EXPECT_GT(first_.sharing.GetStats().store_failures, 0u);
  EXPECT_GE(first_.sharing.GetStats().store_calls, first_.sharing.GetStats().store_failures);
}

// Reports of which recipes clients use.
class ReportedUsesTest : public SessionSharingTest {
 protected:
  ReportedUsesTest() {
    for (const std::string name : {"a", "b"}) {
      EXPECT_TRUE(files_->Put("/" + name + ".usda", "#usda 1.0\n").ok());
    }
  }

  static void Report(BareReplica& replica) { replica.sharing.Report(); }
  // The root layers of the hottest recipes.
  std::vector<std::string> Hottest(size_t count = 9) {
    RequestContext context;
    const auto recipes = second_.sharing.HottestRecipes(context, count);
    EXPECT_TRUE(recipes.ok()) << recipes.status();
    std::vector<std::string> roots;
    for (const store::v1::RecipeRecord& recipe : *recipes) {
      roots.push_back(recipe.recipe().root_layer());
    }
    return roots;
  }

  BareReplica reporter_{files_, records_, {.use_interval = std::chrono::milliseconds(0)}};
};

using Roots = std::vector<std::string>;

TEST_F(ReportedUsesTest, TheHottestRecipesAreKnownElsewhere) {
  reporter_.Open("/a.usda");
  for (int i = 0; i < 2; ++i) reporter_.Open("/b.usda");
  EXPECT_EQ(Hottest(), Roots());
  Report(reporter_);
  EXPECT_EQ(Hottest(), (Roots{"/b.usda", "/a.usda"}));
  EXPECT_EQ(Hottest(1), Roots{"/b.usda"});
}

TEST_F(ReportedUsesTest, ARenewalIsNoUse) {
  for (int i = 0; i < 2; ++i) reporter_.Open("/b.usda");
  v1::RenewLeaseRequest renew;
  renew.set_handle(reporter_.Open("/a.usda"));
  for (int i = 0; i < 5; ++i) {
    v1::RenewLeaseResponse renewed;
    RequestContext context;
    ASSERT_TRUE(RenewLease(reporter_.session_state(), context, renew, &renewed).ok());
  }
  Report(reporter_);
  EXPECT_EQ(Hottest(), (Roots{"/b.usda", "/a.usda"}));
}

TEST_F(ReportedUsesTest, LeasesThatWereTakenOverCount) {
  const std::string handle = first_.Open("/a.usda");
  EXPECT_EQ(GetStageReason(reporter_, handle), v1::ERROR_REASON_UNSPECIFIED);
  reporter_.Close(handle);
  Report(reporter_);
  EXPECT_EQ(Hottest(), Roots{"/a.usda"});
}

TEST_F(ReportedUsesTest, ReportsAreRare) {
  first_.Open("/a.usda");
  Report(first_);
  EXPECT_EQ(Hottest(), Roots());
}

TEST_F(ReportedUsesTest, WithoutTheStoreNothingIsReported) {
  reporter_.Open("/a.usda");
  reporter_.store.SetReachable(false);
  Report(reporter_);
  reporter_.store.SetReachable(true);
  EXPECT_EQ(Hottest(), Roots());
  Report(reporter_);
  EXPECT_EQ(Hottest(), Roots{"/a.usda"});
}

}  // namespace
}  // namespace stagedoor::server
