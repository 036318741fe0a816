#include "base/status.h"

#include <chrono>
#include <optional>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

absl::StatusOr<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgumentError(n, " is odd");
  return n / 2;
}

absl::StatusOr<int> Quarter(int n) {
  SD_ASSIGN_OR_RETURN(const int half, Half(n));
  SD_RETURN_IF_ERROR(Half(half).status());
  return half / 2;
}

TEST(StatusMacrosTest, ReturnTheFirstError) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Message(Quarter(6).status()), "3 is odd");
  EXPECT_EQ(Message(Quarter(5).status()), "5 is odd");
}

TEST(StatusTest, TheRetryDelayStaysWithTheStatus) {
  using std::chrono::milliseconds;
  const absl::Status status = WithRetryDelay(ResourceExhaustedError("full"), milliseconds(1500));
  EXPECT_EQ(RetryDelay(status), milliseconds(1500));
  EXPECT_EQ(RetryDelay(Annotate(status, "a.usda")), milliseconds(1500));
  EXPECT_EQ(Message(status), "full");
  EXPECT_EQ(RetryDelay(NotFoundError("")), std::nullopt);
  EXPECT_TRUE(WithRetryDelay(absl::OkStatus(), milliseconds(1)).ok());
  EXPECT_EQ(RetryDelay(WithRetryDelay(absl::OkStatus(), milliseconds(1))), std::nullopt);
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  const absl::Status status = Annotate(NotFoundError("gone"), "a.usda");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "a.usda: gone");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok());
}

}  // namespace
}  // namespace stagedoor
