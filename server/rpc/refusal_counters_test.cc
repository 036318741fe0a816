#include "server/rpc/refusal_counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/status.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status NamesBudget(const absl::Status& status, std::string_view budget) {
  return WithReason(status, v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", budget}});
}

// The only reason that `status` counts for; empty if there is none.
std::string_view ReasonOf(const absl::Status& status) {
  RefusalCounters counters;
  counters.Count(status);
  std::string_view reason;
  for (size_t i = 0; i < RefusalCounters::kReasons.size(); ++i) {
    if (counters.count(i) == 0) continue;
    EXPECT_EQ(counters.count(i), 1);
    EXPECT_EQ(reason, "");
    reason = RefusalCounters::kReasons[i];
  }
  return reason;
}

TEST(RefusalCountersTest, TheBudgetIsTheReason) {
  const absl::Status full = ResourceExhaustedError("full");
  for (const std::string_view budget :
       {"calls", "waiting", "identity calls", "leases", "stages", "memory"}) {
    EXPECT_EQ(ReasonOf(NamesBudget(full, budget)), budget);
    EXPECT_EQ(ReasonOf(NamesBudget(UnavailableError("full"), budget)), budget);
  }
  EXPECT_EQ(ReasonOf(NamesBudget(full, "elephants")), "other");
}

TEST(RefusalCountersTest, AnErrorThatARetryMayAvoidIsOfSharedMemory) {
  const absl::Status full = ResourceExhaustedError("full");
  EXPECT_EQ(ReasonOf(WithRetryDelay(full, std::chrono::milliseconds(1))), "bytes");
  EXPECT_EQ(ReasonOf(full), "limits");
  EXPECT_EQ(ReasonOf(WithReason(full, v1::ERROR_REASON_REQUEST_TOO_LARGE)), "limits");
}

TEST(RefusalCountersTest, OtherErrorsAreNotRefusals) {
  EXPECT_EQ(ReasonOf(UnavailableError("the origin of an asset")), "");
  EXPECT_EQ(ReasonOf(NotFoundError("a prim")), "");
  EXPECT_EQ(ReasonOf(absl::OkStatus()), "");
}

}  // namespace
}  // namespace stagedoor::server
