#include "base/interned_bytes.h"

#include <gtest/gtest.h>

#include "base/out_of_memory.h"
#include "base/request_scope.h"
#include "base/status.h"

namespace stagedoor {
namespace {

class InternedBytesTest : public ::testing::Test {
 protected:
  void SetUp() override { InternedBytes::SetLimit(before_ + 100); }
  void TearDown() override { InternedBytes::SetLimit(0); }
  const uint64_t before_ = InternedBytes::used();
};

TEST_F(InternedBytesTest, RequestsFailAtTheLimit) {
  const RequestScope::Guard request({.limits_memory = true});
  InternedBytes::Add(60);
  EXPECT_THROW(InternedBytes::Add(41), InternedBytesExhausted);
  InternedBytes::Add(40);
  EXPECT_THROW(InternedBytes::Add(1), std::bad_alloc);
  EXPECT_EQ(InternedBytes::used(), before_ + 100);
}

TEST_F(InternedBytesTest, OtherWorkIsOnlyCounted) {
  InternedBytes::Add(200);
  EXPECT_EQ(InternedBytes::used(), before_ + 200);
  const RequestScope::Guard request({.limits_memory = true});
  EXPECT_THROW(InternedBytes::Add(1), InternedBytesExhausted);
  const RequestMemoryExemption pause;
  InternedBytes::Add(1);
}

TEST_F(InternedBytesTest, OnlyHalfLeavesHalfToOthers) {
  InternedBytes::SetLimit(2 * (before_ + 100));
  const RequestScope::Guard request({.limits_memory = true});
  {
    const InternedBytes::ScopedHalfLimit outer;
    { const InternedBytes::ScopedHalfLimit inner; }
    InternedBytes::Add(100);
    EXPECT_THROW(InternedBytes::Add(1), InternedBytesExhausted);
  }
  InternedBytes::Add(100);
}

TEST_F(InternedBytesTest, WithoutALimitNothingFails) {
  InternedBytes::SetLimit(0);
  const RequestScope::Guard request({.limits_memory = true});
  InternedBytes::Add(1000);
}

TEST_F(InternedBytesTest, TheStatusStatesTheReason) {
  const RequestScope::Guard request({.limits_memory = true});
  absl::Status reported;
  const absl::Status status = CatchOutOfMemory(
      []() -> absl::Status {
        InternedBytes::Add(101);
        return absl::OkStatus();
      },
      [&](const absl::Status& failure) { reported = failure; });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(status).find("new names"), std::string_view::npos) << status;
  EXPECT_EQ(reported, status);
}

}  // namespace
}  // namespace stagedoor
