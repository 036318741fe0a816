// WatchStage as clients see it. No test waits for time to pass: each read returns because of an
// edit, or because the stream has ended.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "server/testing/payload_scene_test.h"
#include "server/testing/status_details.h"
#include "stagedoor/v1/sessions.grpc.pb.h"

namespace stagedoor::server {
namespace {

// One call of WatchStage.
class Watch {
 public:
  Watch(const std::shared_ptr<grpc::Channel>& channel, const v1::WatchStageRequest& request)
      : reader_(v1::SessionsService::NewStub(channel)->WatchStage(&context_, request)) {}
  ~Watch() { context_.TryCancel(); }

  // The next message as "PREVIOUS SNAPSHOT: PATHS", or the reason why the stream has ended.
  std::string Next() {
    v1::WatchStageResponse message;
    if (!reader_->Read(&message)) return End();
    last_ = message.snapshot();
    std::string text;
    for (const std::string& path : message.resynced_paths()) text += path + " ";
    for (const v1::ChangedInfo& info : message.changed_infos()) {
      text += info.path();
      for (const std::string& field : info.fields()) text += ":" + field;
      text += ' ';
    }
    previous_ = message.previous_snapshot();
    return text;
  }
  std::string End() {
    const grpc::Status status = reader_->Finish();
    return Concat(static_cast<int>(status.error_code()), " ", ReasonOf(status));
  }
  // The snapshots that the last message has named.
  const std::string& snapshot() const { return last_; }
  const std::string& previous() const { return previous_; }

 private:
  static std::string ReasonOf(const grpc::Status& status) {
    return DetailOf<google::rpc::ErrorInfo>(status).reason();
  }

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchStageResponse>> reader_;
  std::string last_, previous_;
};

class WatchHandlerTest : public PayloadSceneTest {
 protected:
  v1::StageRef Open(const std::string& session = "s") {
    v1::OpenStageRequest request;
    request.set_root_layer("/root.usda");
    request.set_session(session);
    const auto opened = client().OpenStage(request);
    EXPECT_TRUE(opened.ok()) << opened.status();
    v1::StageRef ref;
    if (opened.ok()) ref.set_handle(opened->handle());
    return ref;
  }
  static v1::WatchStageRequest Request(const v1::StageRef& ref, const std::string& since = "") {
    v1::WatchStageRequest request;
    *request.mutable_stage() = ref;
    request.mutable_stage()->set_snapshot(since);
    return request;
  }
  // Replaces the session layer; returns the new snapshot.
  std::string Edit(const v1::StageRef& ref, const std::string& text) {
    v1::SetSessionLayerRequest request;
    *request.mutable_stage() = ref;
    request.mutable_session_layer()->set_content("#usda 1.0\n" + text);
    const auto edited = client().SetSessionLayer(request);
    EXPECT_TRUE(edited.ok()) << edited.status();
    return edited.ok() ? edited->snapshot() : "";
  }
  void Close(const v1::StageRef& ref) {
    v1::CloseStageRequest request;
    request.set_handle(ref.handle());
    EXPECT_TRUE(client().CloseStage(request).ok());
  }
  void SetX(const v1::StageRef& ref, int x) {
    Edit(ref, Concat("over \"P\" {\n  double x = ", x, "\n}\n"));
  }
};

TEST_F(WatchHandlerTest, ReportsWhatEditsOfAnyClientChange) {
  const v1::StageRef mine = Open(), yours = Open();
  Watch watch(channel(), Request(mine));
  EXPECT_EQ(watch.Next(), "");
  EXPECT_EQ(watch.previous(), "");
  const std::string first = watch.snapshot();
  const std::string second = Edit(yours, "over \"P\" {\n  double x = 5\n}\n");
  EXPECT_EQ(watch.Next(), "/P.x ");
  EXPECT_EQ(watch.previous(), first);
  EXPECT_EQ(watch.snapshot(), second);
  SetX(mine, 6);
  EXPECT_EQ(watch.Next(), "/P.x:default ");
  EXPECT_EQ(watch.previous(), second);
}

TEST_F(WatchHandlerTest, OtherSessionsDoNotMatter) {
  const v1::StageRef mine = Open("mine"), other = Open("other");
  Watch watch(channel(), Request(mine));
  EXPECT_EQ(watch.Next(), "");
  SetX(other, 5);
  Edit(mine, "over \"R\" (hidden = true) {\n}\n");
  EXPECT_EQ(watch.Next(), "/R:hidden ");
}

TEST_F(WatchHandlerTest, ContinuesAfterASnapshot) {
  const v1::StageRef ref = Open();
  const std::string first = Edit(ref, "over \"P\" {\n  double x = 5\n}\n");
  SetX(ref, 6);
  SetX(ref, 7);
  Watch watch(channel(), Request(ref, first));
  EXPECT_EQ(watch.Next(), "/P.x:default ");
  EXPECT_EQ(watch.previous(), first);
  Watch current(channel(), Request(ref, watch.snapshot()));
  EXPECT_EQ(current.Next(), "");
  EXPECT_EQ(current.snapshot(), watch.snapshot());
  // A snapshot that is not known any more, or never was.
  Watch unknown(channel(), Request(ref, "unknown"));
  EXPECT_EQ(unknown.Next(), "/ ");
  EXPECT_EQ(unknown.previous(), "unknown");
}

TEST_F(WatchHandlerTest, ReportsOnlyThePathsAskedFor) {
  const v1::StageRef ref = Open();
  v1::WatchStageRequest request = Request(ref);
  request.add_paths("/P.x");
  Watch watch(channel(), request);
  EXPECT_EQ(watch.Next(), "");
  const std::string snapshot = Edit(ref, "over \"R\" (hidden = true) {\n}\n");
  EXPECT_EQ(watch.Next(), "");
  EXPECT_EQ(watch.snapshot(), snapshot) << "snapshots are reported in any case";
  Edit(ref, "over \"P\" (active = false) {\n}\n");
  EXPECT_EQ(watch.Next(), "/P ");
}

TEST_F(WatchHandlerTest, ChangesWithinTheIntervalAreReportedTogetherLater) {
  const v1::StageRef ref = Open();
  v1::WatchStageRequest request = Request(ref);
  request.mutable_min_interval()->set_seconds(3600);
  Watch watch(channel(), request);
  EXPECT_EQ(watch.Next(), "");
  SetX(ref, 5);
  // Not before the interval has passed; but the end of the lease is reported at once.
  Close(ref);
  EXPECT_EQ(watch.Next(), "5 STAGE_NOT_FOUND");
}

TEST_F(WatchHandlerTest, EndsWithTheLease) {
  const v1::StageRef ref = Open(), other = Open();
  Watch watch(channel(), Request(ref));
  EXPECT_EQ(watch.Next(), "");
  Close(other);
  Close(ref);
  EXPECT_EQ(watch.Next(), "5 STAGE_NOT_FOUND");
  Watch late(channel(), Request(ref));
  EXPECT_EQ(late.Next(), "5 STAGE_NOT_FOUND");
}

TEST_F(WatchHandlerTest, RejectsBadRequests) {
  const v1::StageRef ref = Open();
  for (const char* path : {"", "P", "../P", "/P{v=x}", "/P.r[/R]", "/P/", "//"}) {
    v1::WatchStageRequest request = Request(ref);
    request.add_paths(path);
    Watch watch(channel(), request);
    EXPECT_EQ(watch.Next(), "3 INVALID_PATH") << path;
  }
  v1::WatchStageRequest request = Request(ref);
  request.mutable_min_interval()->set_seconds(-1);
  EXPECT_EQ(Watch(channel(), request).Next(), "3 INVALID_FIELD");
  request = Request(ref);
  for (int i = 0; i <= 10000; ++i) request.add_paths("/P");
  EXPECT_EQ(Watch(channel(), request).Next(), "8 REQUEST_TOO_LARGE");
}

TEST_F(WatchHandlerTest, WatchesAreLimitedAndDoNotUseUpTheCalls) {
  ServerOptions options;
  options.calls.max_watches_per_client = 3;
  options.calls.max_calls = 2;
  Start(options);
  const v1::StageRef ref = Open();
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < 3; ++i) {
    watches.push_back(std::make_unique<Watch>(channel(), Request(ref)));
    EXPECT_EQ(watches.back()->Next(), "");
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Watch(channel(), Request(ref)).Next(), "8 BUDGET_EXHAUSTED");
  }
  SetX(ref, 5);
  for (const auto& watch : watches) EXPECT_EQ(watch->Next(), "/P.x ");
}

TEST_F(WatchHandlerTest, ManyEditsForASlowReader) {
  const v1::StageRef ref = Open();
  Watch watch(channel(), Request(ref));
  EXPECT_EQ(watch.Next(), "");
  std::string last;
  for (int i = 0; i < 30; ++i) {
    last = Edit(ref, Concat("over \"P\" {\n  double x = ", i, "\n}\n"));
  }
  std::string previous = watch.snapshot();
  while (watch.snapshot() != last) {
    EXPECT_NE(watch.Next(), "");
    EXPECT_EQ(watch.previous(), previous) << "no gap";
    previous = watch.snapshot();
  }
}

TEST_F(WatchHandlerTest, EndsWhenTheServerStops) {
  const v1::StageRef ref = Open();
  auto watch = std::make_unique<Watch>(channel(), Request(ref));
  EXPECT_EQ(watch->Next(), "");
  Drain(std::chrono::hours(1));  // returns once the call has ended
  EXPECT_EQ(watch->Next(), "14 ");
}

}  // namespace
}  // namespace stagedoor::server
