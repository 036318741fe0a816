#include "client/cli/repeatable_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/status.h"
#include "client/cc/error_reason.h"

namespace stagedoor {
namespace {

const absl::Status kLost = WithReason(absl::NotFoundError("gone"), "STAGE_NOT_FOUND", "");
const absl::Status kBroken = BrokenStream(absl::UnavailableError("Socket closed"));

class RepeatableRunTest : public ::testing::Test {
 protected:
  RepeatableRunTest() { EXPECT_EQ(::pipe(pipe_), 0); }
  ~RepeatableRunTest() override {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  // Runs a command that writes `text`, and fails with `status` the first `failures` times.
  absl::Status Run(const absl::Status& status, int failures, const std::string& text = "x") {
    Output output(pipe_[1]);
    absl::Status result = RunRepeatably(output, [&] {
      output.Write(text);
      return runs_++ < failures ? status : absl::OkStatus();
    });
    result.Update(output.Flush());
    return result;
  }
  std::string Printed() {
    std::string text(256 << 10, ' ');
    text.resize(static_cast<size_t>(::read(pipe_[0], text.data(), text.size())));
    return text;
  }

  int pipe_[2] = {};
  int runs_ = 0;
};

TEST_F(RepeatableRunTest, ALostStageAndABrokenStreamAreRepeated) {
  for (const absl::Status& status :
       {kLost, WithReason(absl::NotFoundError("over"), "LEASE_EXPIRED", ""), kBroken}) {
    runs_ = 0;
    EXPECT_TRUE(Run(status, 3).ok()) << status;
    EXPECT_EQ(runs_, 4);
    EXPECT_EQ(Printed(), "x") << "the output of the last run only";
    runs_ = 0;
    EXPECT_EQ(Run(status, 4), status) << "not more than three times";
    EXPECT_EQ(runs_, 4);
    Printed();
  }
}

TEST_F(RepeatableRunTest, OtherErrorsAreNot) {
  for (const absl::Status& status :
       {absl::UnavailableError("no daemon answers"),
        WithReason(absl::NotFoundError("no"), "PRIM_NOT_FOUND", "/A")}) {
    runs_ = 0;
    EXPECT_EQ(Run(status, 1), status);
    EXPECT_EQ(runs_, 1);
  }
}

TEST_F(RepeatableRunTest, NothingIsPrintedTwice) {
  EXPECT_EQ(Run(kBroken, 1, std::string(64 << 10, 'x')), kBroken) << "a buffer full";
  EXPECT_EQ(runs_, 1);
}

}  // namespace
}  // namespace stagedoor
