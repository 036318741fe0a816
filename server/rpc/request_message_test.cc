#include "server/rpc/request_message.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/fail_each_allocation.h"
#include "stagedoor/v1/sessions.pb.h"

namespace stagedoor::server {
namespace {

// An edit whose kind is set twice: the second one replaces the first.
std::string EditOfTwoKinds() {
  v1::Edit first, second;
  first.mutable_set_value()->set_path(std::string(1000, 'a'));
  second.mutable_set_field()->set_path(std::string(1000, 'p'));
  return first.SerializeAsString() + second.SerializeAsString();
}

// AddressSanitizer notices if memory that was never allocated is freed.
TEST(RequestMessageTest, SurvivesFailedAllocationsOfParsing) {
  const std::string bytes = EditOfTwoKinds();
  const uint64_t allocations = FailEachAllocation([&bytes] {
    RequestMessage<v1::Edit> edit;
    EXPECT_TRUE(edit->ParseFromString(bytes));
    EXPECT_EQ(edit->set_field().path(), std::string(1000, 'p'));
  });
  EXPECT_GE(allocations, 2u) << "both texts";
}

TEST(RequestMessageTest, SurvivesFailedAllocationsOfCopying) {
  v1::Edit original;
  ASSERT_TRUE(original.ParseFromString(EditOfTwoKinds()));
  const uint64_t allocations = FailEachAllocation([&original] {
    RequestMessage<v1::Edit> edit;
    edit->CopyFrom(original);
    EXPECT_EQ(edit->set_field().path(), std::string(1000, 'p'));
  });
  EXPECT_GE(allocations, 1u);
}

TEST(RequestMessageTest, CanBeFreedEarly) {
  RequestMessage<v1::Edit> edit;
  edit->mutable_set_value()->set_path(std::string(1000, 'a'));
  edit.Free();
  EXPECT_EQ(edit.get(), nullptr);
}

}  // namespace
}  // namespace stagedoor::server
