// Long lists of paths, which are sent once and named afterwards.
#include "client/sdk/path_sets.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/sdk/testing/fake_daemon.h"

namespace stagedoor::sdk {
namespace {

class PathSetsTest : public FakeDaemonTest {
 protected:
  static std::vector<std::string> PathsOf(int count, char letter = 'a') {
    std::vector<std::string> paths;
    for (int i = 0; i < count; ++i) paths.push_back(Concat("/", letter, i, ".x"));
    return paths;
  }
  // How many values of a list are as the fake daemon answers.
  static size_t CountRight(const Stage& stage, const std::vector<std::string>& paths) {
    return CountRight(stage.GetValues(paths, Times(1)));
  }
  // As CountRight, by GetValuesAsync.
  static size_t CountRightAsync(const Stage& stage, const std::vector<std::string>& paths) {
    std::promise<absl::StatusOr<Values>> ended;
    stage.GetValuesAsync(paths, Times(1), [&](absl::StatusOr<Values> values) {
      ended.set_value(std::move(values));
    });
    return CountRight(ended.get_future().get());
  }
  static size_t CountRight(const absl::StatusOr<Values>& values) {
    EXPECT_TRUE(values.ok()) << values.status();
    if (!values.ok()) return 0;
    size_t right = 0;
    for (size_t i = 0; i < values->path_count(); ++i) {
      if (values->Get<double>(i, 0).value_or(-1) == static_cast<double>(i) + 0.5) ++right;
    }
    return right;
  }
  // How many paths each reading of values has sent.
  std::vector<int> Sent() {
    std::vector<int> sent;
    for (const auto& [pin, count] : first_.pinned) sent.push_back(count);
    return sent;
  }
};

using Counts = std::vector<int>;

TEST_F(PathSetsTest, AListIsNamedWhenItIsSentForTheSecondTime) {
  const Stage stage = Open();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(Sent(), (Counts{1000, 0, 0, 0}));
  EXPECT_EQ(first_.defined(), 1);
  EXPECT_EQ(CountRight(stage, PathsOf(1000, 'b')), 1000u);
  EXPECT_EQ(Sent().back(), 1000) << "another list";
}

TEST_F(PathSetsTest, ShortListsAreSent) {
  const Stage stage = Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CountRight(stage, PathsOf(999)), 999u);
  EXPECT_EQ(Sent(), (Counts{999, 999, 999}));
}

TEST_F(PathSetsTest, AForgottenListIsNamedAgain) {
  const Stage stage = Open();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  first_.EvictPathSets();
  EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(first_.defined(), 2);
  EXPECT_EQ(Sent(), (Counts{1000, 0, 0, 0}));
}

TEST_F(PathSetsTest, CallsThatDoNotWaitNameLists) {
  const Stage stage = Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CountRightAsync(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u) << "of all calls";
  EXPECT_EQ(Sent(), (Counts{1000, 0, 0, 0}));
  EXPECT_EQ(first_.defined(), 1);
  first_.EvictPathSets();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(CountRightAsync(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(Sent(), (Counts{1000, 0, 0, 0, 0, 1000, 0})) << "sent, then named again";
  EXPECT_EQ(first_.defined(), 2);
}

TEST_F(PathSetsTest, CallsThatDoNotWaitSendListsThatAreNotNamed) {
  first_.names_paths = false;
  const Stage stage = Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CountRightAsync(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(Sent(), (Counts{1000, 1000, 1000}));
  EXPECT_EQ(first_.defined(), 1);
}

TEST_F(PathSetsTest, ADaemonWithoutPathSetsGetsThePaths) {
  first_.names_paths = false;
  const Stage stage = Open();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(Sent(), (Counts{1000, 1000, 1000}));
  EXPECT_EQ(first_.defined(), 1);
}

TEST_F(PathSetsTest, ListsGoOnAtAnotherDaemon) {
  const Stage stage = Open();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  first_.unreachable = true;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  EXPECT_EQ(second_.defined(), 1);
}

TEST_F(PathSetsTest, ThreadsShareTheNames) {
  const Stage stage = Open();
  EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 4; ++j) EXPECT_EQ(CountRight(stage, PathsOf(1000)), 1000u);
    });
  }
  for (std::thread& thread : threads) thread.join();
  int sent = 0;
  for (const int count : Sent()) sent += count;
  EXPECT_EQ(sent, 1000);
}

TEST_F(PathSetsTest, ValuesInPartsReadSomePathsAtATime) {
  const Stage stage = Open();
  std::vector<std::string> paths = PathsOf(5);
  size_t next = 0;
  std::vector<size_t> read;   // how many paths were read when a part came
  std::vector<size_t> parts;  // how many values each part has
  const auto next_path = [&]() -> std::optional<std::string> {
    if (next == paths.size()) return std::nullopt;
    return paths[next++];
  };
  first_.snapshots = {"s1", "s1", "s1"};
  const auto status = stage.GetValuesInParts(
      next_path, Times(1),
      [&](const Values& part) {
        read.push_back(next);
        parts.push_back(part.path_count());
        return absl::OkStatus();
      },
      2);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(parts, (std::vector<size_t>{2, 2, 1}));
  EXPECT_EQ(read, (std::vector<size_t>{2, 4, 5})) << "not all at once";
  const std::vector<std::pair<std::string, int>> pins = {{"", 2}, {"s1", 2}, {"s1", 1}};
  EXPECT_EQ(first_.pinned, pins) << "all of one snapshot";
}

TEST_F(PathSetsTest, ValuesInPartsEndWithTheErrorOfTheSink) {
  const Stage stage = Open();
  int asked = 0;
  const auto endless = [&]() -> std::optional<std::string> { return Concat("/a", asked++, ".x"); };
  const auto stop = [](const Values&) { return absl::CancelledError("enough"); };
  EXPECT_EQ(stage.GetValuesInParts(endless, Times(1), stop, 3), absl::CancelledError("enough"));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(stage.GetValuesInParts(endless, Times(1), stop, 0).code(),
            absl::StatusCode::kInvalidArgument);
  const auto none = []() -> std::optional<std::string> { return std::nullopt; };
  EXPECT_TRUE(stage.GetValuesInParts(none, Times(1), stop).ok()) << "no paths, no parts";
}

}  // namespace
}  // namespace stagedoor::sdk
