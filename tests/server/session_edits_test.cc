// Many clients edit many sessions at once: each reader sees whole edits, in order, and no edit is
// lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

constexpr int kSessions = 100;
constexpr int kEdits = 40;  // for each session
constexpr int kClients = 8;

class SessionEditsTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", "def \"P\" {\ndouble a = 0\ndouble b = 0\n}\n");
    ASSERT_NO_FATAL_FAILURE(client());
  }

  // The state of a session that a client sees at one moment.
  struct Seen {
    std::string snapshot;
    double number = 0;
  };

  // Reads both numbers, which every edit sets to the same.
  static Seen Read(Client& client, const v1::StageRef& stage) {
    auto request = RequestFor<v1::BatchGetValuesRequest>(stage, {"/P.a", "/P.b"}, {0});
    const auto reply = client.BatchGetValues(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    if (!reply.ok()) return {};
    const ValueBatch batch(*reply);
    const double a = batch.GetDouble(0, 0).value_or(-1), b = batch.GetDouble(1, 0).value_or(-2);
    EXPECT_EQ(a, b) << "half an edit";
    return {reply->snapshot(), a};
  }

  static v1::EditStageRequest Setting(const v1::StageRef& stage, const Seen& before) {
    v1::EditStageRequest request;
    *request.mutable_stage() = stage;
    request.set_expected_snapshot(before.snapshot);
    for (const char* path : {"/P.a", "/P.b"}) {
      v1::Edit::SetValue* const set = request.add_edits()->mutable_set_value();
      set->set_path(path);
      set->mutable_value()->set_double_value(before.number + 1);
    }
    return request;
  }

  std::vector<std::atomic<int>> made_ = std::vector<std::atomic<int>>(kSessions);
  std::atomic<int> conflicts_{0};

  // Edits random sessions until all have had their edits.
  void Work(int number) {
    const auto own = Client::FromChannel(channel(), {});
    std::vector<v1::StageRef> stages;
    for (int i = 0; i < kSessions; ++i) {
      v1::OpenStageRequest open;
      open.set_root_layer("/root.usda");
      open.set_session("session-" + std::to_string(i));
      const auto reply = own->OpenStage(open);
      ASSERT_TRUE(reply.ok()) << reply.status();
      stages.emplace_back().set_handle(reply->handle());
    }
    std::vector<Seen> seen(kSessions);
    std::minstd_rand random(static_cast<unsigned>(number) + 1);
    for (int left = kSessions; left > 0;) {
      const size_t i = random() % kSessions;
      left = static_cast<int>(
          std::count_if(made_.begin(), made_.end(), [](const auto& n) { return n < kEdits; }));
      if (made_[i] >= kEdits) continue;
      EditOne(*own, stages[i], seen[i], made_[i], /*fresh=*/random() % 2 == 0);
    }
    for (int i = 0; i < kSessions; ++i) Read(*own, stages[static_cast<size_t>(i)]);
  }

  // One edit that expects what this client has seen last, or what there is now if `fresh`.
  void EditOne(Client& own, const v1::StageRef& stage, Seen& seen, std::atomic<int>& made,
               bool fresh) {
    if (fresh || seen.snapshot.empty()) {
      const Seen now = Read(own, stage);
      EXPECT_GE(now.number, seen.number) << "an older edit after a newer one";
      seen = now;
    }
    const auto reply = own.EditStage(Setting(stage, seen));
    if (reply.ok()) {
      ++made;
      seen = {reply->snapshot(), seen.number + 1};
      return;
    }
    EXPECT_EQ(ErrorReason(reply.status()), "SNAPSHOT_CONFLICT") << reply.status();
    ++conflicts_;
    seen.snapshot.clear();
  }
};

TEST_F(SessionEditsTest, ReadersSeeWholeEditsInOrder) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) threads.emplace_back([this, i] { Work(i); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(conflicts_, 0) << "the clients never met";
  for (int i = 0; i < kSessions; ++i) {
    v1::OpenStageRequest open;
    open.set_session("session-" + std::to_string(i));
    const Seen last = Read(client(), Open(open));
    EXPECT_EQ(last.number, made_[static_cast<size_t>(i)])
        << "an edit of session " << i << " is lost";
  }
}

}  // namespace
}  // namespace stagedoor::server
