#include "server/rpc/call_origin.h"

#include <gtest/gtest.h>

#include <memory>

namespace stagedoor::server {
namespace {

Caller Alice() {
  Caller caller;
  caller.identity.name = "user:alice";
  caller.share = "user:alice";
  auto grants = std::make_shared<Grants>();
  grants->priority = PriorityClass::kBatch;
  caller.grants = grants;
  return caller;
}

TEST(CallOriginTest, WithoutACallerTheAddressCounts) {
  const CallOrigin first = OriginOf(nullptr, "ipv4:10.0.0.7:41000");
  const CallOrigin second = OriginOf(nullptr, "ipv4:10.0.0.7:41001");
  EXPECT_EQ(first.share, "ipv4:10.0.0.7");
  EXPECT_EQ(second.share, first.share);
  EXPECT_NE(second.connection, first.connection);
  EXPECT_EQ(OriginOf(nullptr, "ipv4:10.0.0.7:41000").connection, first.connection);
  EXPECT_EQ(first.priority, PriorityClass::kNormal);
  EXPECT_EQ(OriginOf(nullptr, "ipv6:%5B::1%5D:41000").share, "ipv6:%5B::1%5D");
  EXPECT_EQ(OriginOf(nullptr, "unix:").share, "unix");
  EXPECT_EQ(OriginOf(nullptr, "").share, "");
}

TEST(CallOriginTest, ACallerHasAShareAndAPriority) {
  const Caller alice = Alice();
  const CallOrigin first = OriginOf(&alice, "ipv4:10.0.0.7:41000");
  EXPECT_EQ(first.share, "user:alice");
  EXPECT_EQ(first.priority, PriorityClass::kBatch);
  EXPECT_NE(first.connection, OriginOf(&alice, "ipv4:10.0.0.8:41000").connection);
  Caller unlimited = Alice();
  unlimited.grants = nullptr;
  EXPECT_EQ(OriginOf(&unlimited, "ipv4:10.0.0.7:1").priority, PriorityClass::kNormal);
}

TEST(CallOriginTest, ConnectionsOfAUnixSocketDifferByTheirCaller) {
  const Caller first = Alice(), second = Alice();
  EXPECT_EQ(OriginOf(&first, "unix:").connection, OriginOf(&first, "unix:").connection);
  EXPECT_NE(OriginOf(&first, "unix:").connection, OriginOf(&second, "unix:").connection);
}

}  // namespace
}  // namespace stagedoor::server
