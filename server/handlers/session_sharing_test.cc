// Who may take over a lease of another replica. tests/server/replicas_test.cc tests the rest.
#include "server/handlers/session_sharing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "resolver/memory/memory_resolver.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/handlers/stage_handlers.h"
#include "server/store/memory_session_store.h"
#include "server/testing/bare_daemon.h"

namespace stagedoor::server {
namespace {

// A replica without a network.
struct Replica {
  Replica(std::shared_ptr<const Resolver> resolver, std::shared_ptr<SharedRecords> records)
      : daemon(std::move(resolver)),
        store(std::move(records)),
        sharing(store, daemon.stages, daemon.executor, {}) {
    daemon.state.sharing = &sharing;
  }

  BareDaemon daemon;
  MemorySessionStore store;
  SessionSharing sharing;
};

class SessionSharingTest : public ::testing::Test {
 protected:
  SessionSharingTest() {
    EXPECT_TRUE(files_->Put("/shot/root.usda", "#usda 1.0\ndef \"P\" {\n}\n").ok());
  }

  // A caller who may read what is below a directory.
  static Caller MakeCaller(const std::string& name, const std::string& root) {
    auto grants = std::make_shared<Grants>();
    grants->assets = AccessScope::Create(std::vector<std::string>{root}).value();
    return {.identity = {.name = name}, .grants = std::move(grants)};
  }

  std::string Open(Replica& replica, const std::string& session = "") {
    v1::OpenStageRequest request;
    request.set_root_layer("/shot/root.usda");
    request.set_session(session);
    v1::OpenStageResponse response;
    RequestContext context;
    const absl::Status status = OpenStage(replica.daemon.state, context, request, &response);
    EXPECT_TRUE(status.ok()) << status;
    return response.handle();
  }
  std::string OpenAs(const Caller& caller, Replica& replica, const std::string& session = "") {
    const CurrentCaller::Guard guard(&caller);
    return Open(replica, session);
  }
  v1::ErrorReason GetStageReason(Replica& replica, const std::string& handle) {
    v1::GetStageRequest request;
    request.mutable_stage()->set_handle(handle);
    v1::GetStageResponse response;
    RequestContext context;
    return GetReason(GetStage(replica.daemon.state, context, request, &response));
  }

  std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  std::shared_ptr<SharedRecords> records_ = std::make_shared<SharedRecords>();
  Replica first_{files_, records_}, second_{files_, records_};
};

TEST_F(SessionSharingTest, ALeaseBelongsToTheCallerWhoOpenedIt) {
  const Caller ann = MakeCaller("ann", "/shot"), bob = MakeCaller("bob", "/shot");
  const std::string handle = OpenAs(ann, first_);
  {
    const CurrentCaller::Guard guard(&bob);
    EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_STAGE_NOT_FOUND);
    v1::CloseStageRequest close;
    close.set_handle(handle);
    v1::CloseStageResponse closed;
    RequestContext context;
    EXPECT_EQ(GetReason(CloseStage(second_.daemon.state, context, close, &closed)),
              v1::ERROR_REASON_STAGE_NOT_FOUND);
  }
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_STAGE_NOT_FOUND);  // of nobody
  const CurrentCaller::Guard guard(&ann);
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_UNSPECIFIED);
}

TEST_F(SessionSharingTest, ALeaseEndsWhenTheCallerMayReadOtherAssets) {
  const Caller before = MakeCaller("ann", "/shot"), after = MakeCaller("ann", "/");
  const std::string handle = OpenAs(before, first_);
  const CurrentCaller::Guard guard(&after);
  EXPECT_EQ(GetStageReason(second_, handle), v1::ERROR_REASON_LEASE_EXPIRED);
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

}  // namespace
}  // namespace stagedoor::server
