#include "base/loopback_host.h"

#include <gtest/gtest.h>

namespace stagedoor {
namespace {

TEST(IsLoopbackHostTest, KnowsNamesAndAddresses) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "10.0.0.1", "128.0.0.1", "::", "::2", "127.0.0.1.evil",
                           "localhost.evil", "[::1]", "127.1"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

}  // namespace
}  // namespace stagedoor
