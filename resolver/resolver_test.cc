#include "resolver/resolver.h"

#include <string>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"

namespace stagedoor {
namespace {

// As in OpenUSD's ArDefaultResolver.
TEST(DefaultIdentifierTest, ASearchPathIsRelativeIfThatAssetExists) {
  RequestContext context;
  MemoryResolver memory;
  ASSERT_TRUE(memory.Put("/shot/tree.usd", "x").ok());
  const auto identifier = [&](std::string_view path, std::string_view anchor) {
    return CreateDefaultIdentifier(memory, context, {}, path, anchor);
  };
  EXPECT_EQ(identifier("tree.usd", "/shot/root.usd"), "/shot/tree.usd");
  EXPECT_EQ(identifier("none.usd", "/shot/root.usd"), "none.usd");
  EXPECT_EQ(identifier("lib/../none.usd", "/shot/root.usd"), "none.usd");
  EXPECT_EQ(identifier("tree.usd", ""), "tree.usd");
  EXPECT_EQ(identifier("./none.usd", "/shot/root.usd"), "/shot/none.usd");
  EXPECT_EQ(identifier("../none.usd", "/shot/root.usd"), "/none.usd");
  EXPECT_EQ(identifier("/abs/none.usd", "/shot/root.usd"), "/abs/none.usd");
  EXPECT_EQ(identifier("", "/shot/root.usd"), "");
}

TEST(CheckAssetPathTest, RejectsImpossiblePaths) {
  EXPECT_TRUE(CheckAssetPath("a").ok());
  EXPECT_TRUE(CheckAssetPath(std::string(16 << 10, 'a')).ok());
  EXPECT_EQ(CheckAssetPath("").code(), absl::StatusCode::kInvalidArgument);
  const absl::Status too_long = CheckAssetPath(std::string((16 << 10) + 1, 'a'));
  EXPECT_EQ(too_long.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(Message(too_long).size(), 200u);
  EXPECT_EQ(CheckAssetPath(std::string("a\0b", 3)).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stagedoor
