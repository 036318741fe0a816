#include "resolver/memory/memory_resolver.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/testing/memory_backend.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, ResolverConformance,
                         testing::Values([] { return std::make_unique<MemoryBackend>("/"); }));
INSTANTIATE_TEST_SUITE_P(MemoryUri, ResolverConformance, testing::Values([] {
                           return std::make_unique<MemoryBackend>("memory://job/");
                         }));

TEST(MemoryResolverTest, TheTotalSizeIsBounded) {
  MemoryResolver memory(10);
  EXPECT_TRUE(memory.Put("/a", "12345678").ok());
  const absl::Status full = memory.Put("/b", "123");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(full).find("/b"), std::string_view::npos) << full;
  EXPECT_EQ(memory.bytes(), 8u);
  EXPECT_TRUE(memory.Put("/b", "12").ok());
  EXPECT_EQ(memory.bytes(), 10u);
  EXPECT_EQ(memory.Put("/c", "12345678901").code(), absl::StatusCode::kResourceExhausted);
}

TEST(MemoryResolverTest, ReplacedContentMakesRoom) {
  MemoryResolver memory(10);
  ASSERT_TRUE(memory.Put("/a", "12345678").ok());
  EXPECT_TRUE(memory.Put("/a", "1234567890").ok());
  EXPECT_EQ(memory.bytes(), 10u);
  memory.Remove("/none");
  EXPECT_EQ(memory.bytes(), 10u);
  memory.Remove("/b/../a");
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(MemoryResolverTest, NamesAreNormalized) {
  RequestContext context;
  MemoryResolver memory;
  ASSERT_TRUE(memory.Put("/a/./b/../c", "x").ok());
  EXPECT_EQ(memory.Resolve(context, {}, "/a/c").value(), "/a/c");
  EXPECT_EQ(memory.Resolve(context, {}, "/a/d/../c").value(), "/a/c");
  EXPECT_EQ(memory.Put("", "x").code(), absl::StatusCode::kInvalidArgument);
}

TEST(MemoryResolverTest, VersionsTellWhenContentIsTheSame) {
  RequestContext context;
  MemoryResolver memory;
  const auto put = [&](std::string content) {
    EXPECT_TRUE(memory.Put("/a", std::move(content)).ok());
    return memory.GetVersion(context, {}, "/a").value();
  };
  const AssetVersion one = put("one"), two = put("two"), again = put("one");
  EXPECT_NE(one.content(), two.content());
  EXPECT_EQ(one.content(), again.content());
  EXPECT_NE(one, again);
}

TEST(MemoryResolverTest, AnOpenAssetKeepsItsContent) {
  RequestContext context;
  MemoryResolver memory;
  ASSERT_TRUE(memory.Put("/a", "one").ok());
  const auto asset = memory.OpenAsset(context, {}, "/a").value();
  ASSERT_TRUE(memory.Put("/a", "two").ok());
  EXPECT_EQ(asset->GetBuffer()->text(), "one");
  EXPECT_NE(memory.GetVersion(context, {}, "/a").value(), asset->version());
}

TEST(MemoryResolverTest, AnEndedRequestFindsNothing) {
  RequestContext context;
  MemoryResolver memory;
  ASSERT_TRUE(memory.Put("/a", "one").ok());
  context.Cancel();
  EXPECT_EQ(memory.Resolve(context, {}, "/a").status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
