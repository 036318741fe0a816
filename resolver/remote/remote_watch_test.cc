#include "resolver/remote/remote_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "resolver/remote/testing/fake_service.h"

namespace stagedoor {
namespace {

namespace pb = resolver::v1;

// Collects changes, in words: "all", or the paths.
class Changes {
 public:
  RemoteWatch::Callback Callback() {
    return [this](const RemoteWatch::Change& change) {
      std::string words = change.everything ? "all" : "";
      for (const std::string& path : change.paths) words += (words.empty() ? "" : " ") + path;
      MutexLock lock(mu_);
      words_.push_back(words);
      changed_.NotifyAll();
    };
  }
  std::vector<std::string> WaitFor(size_t count) {
    MutexLock lock(mu_);
    while (words_.size() < count) changed_.Wait(mu_);
    return words_;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<std::string> words_ ABSL_GUARDED_BY(mu_);
};

using Words = std::vector<std::string>;

pb::WatchResponse Changed(const Words& paths) {
  pb::WatchResponse message;
  message.mutable_changed();
  for (const std::string& path : paths) message.mutable_changed()->add_resolved_paths(path);
  return message;
}

TEST(RemoteWatchTest, ReportsChangesOfWhatIsWatched) {
  FakeServer server;
  Changes changes;
  const RemoteWatch watch(server.Connect(),
                          {.paths = {"asset://b", "asset://a"}, .prefixes = {"asset://show/"}},
                          changes.Callback());
  server.service().WaitForWatchers(1);
  EXPECT_EQ(server.service().watched().resolved_paths_size(), 2);
  EXPECT_EQ(server.service().watched().prefixes(0), "asset://show/");
  server.service().Send(Changed({"asset://a", "asset://other", "asset://show/x"}));
  server.service().Send(Changed({"asset://other"}));  // not watched
  server.service().Send({});                          // a sign of life
  pb::WatchResponse everything;
  everything.mutable_everything();
  server.service().Send(everything);
  EXPECT_EQ(changes.WaitFor(2), (Words{"asset://a asset://show/x", "all"}));
  EXPECT_TRUE(watch.active());
}

TEST(RemoteWatchTest, AfterALostConnectionEverythingMayHaveChanged) {
  FakeServer server;
  Changes changes;
  const RemoteWatch watch(server.Connect(), {.prefixes = {"asset://"}}, changes.Callback());
  server.service().WaitForWatchers(1);
  for (size_t i = 1; i <= 3; ++i) {
    server.service().EndWatches();
    server.service().WaitForWatchers(1);
    EXPECT_EQ(changes.WaitFor(i), Words(i, "all"));
  }
  server.service().Send(Changed({"asset://a"}));
  EXPECT_EQ(changes.WaitFor(4).back(), "asset://a");
}

TEST(RemoteWatchTest, ConnectsToAServiceThatComesLater) {
  FakeServer server;
  server.service().FailNextCalls(20);
  Changes changes;
  const RemoteWatch watch(server.Connect(), {.prefixes = {"asset://"}}, changes.Callback());
  EXPECT_EQ(changes.WaitFor(1), Words{"all"});
}

TEST(RemoteWatchTest, TooManyPathsAreEverything) {
  FakeServer server;
  Changes changes;
  const RemoteWatch watch(server.Connect(), {.prefixes = {"asset://"}}, changes.Callback());
  server.service().WaitForWatchers(1);
  server.service().Send(Changed(Words(10001, "asset://a")));
  EXPECT_EQ(changes.WaitFor(1), Words{"all"});
}

TEST(RemoteWatchTest, AServiceThatCannotWatchIsAskedOnce) {
  FakeServer server;
  server.service().can_watch = false;
  const RemoteWatch watch(server.Connect(), {.prefixes = {"asset://"}},
                          [](const auto&) { ADD_FAILURE() << "called"; });
  while (!watch.unsupported()) std::this_thread::yield();
  EXPECT_FALSE(watch.active());
}

TEST(RemoteWatchTest, EndsInEveryState) {
  for (const char* state : {"connecting", "watching", "pausing", "unsupported"}) {
    FakeServer server;
    ResolverServiceOptions options = server.Connect()->options();
    Mutex mu;
    CondVar failed;
    bool has_failed = false;
    if (*state == 'p') {
      options.initial_backoff = options.max_backoff = std::chrono::hours(1);
      server.service().before = [&](const auto&) {
        MutexLock lock(mu);
        has_failed = true;
        failed.NotifyAll();
        return grpc::Status(grpc::StatusCode::UNAVAILABLE, "no");
      };
    }
    server.service().can_watch = *state != 'u';
    const RemoteWatch watch(server.Connect(options), {.prefixes = {"asset://"}},
                            [](const auto&) {});
    if (*state == 'w') server.service().WaitForWatchers(1);
    if (*state == 'p') {
      MutexLock lock(mu);
      while (!has_failed) failed.Wait(mu);
    }
  }
}

}  // namespace
}  // namespace stagedoor
