#include "resolver/mapping_resolver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "resolver/memory/memory_resolver.h"

namespace stagedoor {
namespace {

std::string Mapped(const std::vector<std::string>& rules, std::string_view path) {
  const auto map = PathMap::Parse(rules);
  EXPECT_TRUE(map.ok()) << map.status();
  return map.ok() ? map->Apply(path) : "error";
}

TEST(PathMapTest, MapsDirectoriesWithWhatIsBelowThem) {
  const std::vector<std::string> rules = {"Z:/show=/show", "\\\\srv\\lib=/lib/",
                                          "/mnt/old/=/mnt/new", "Y:\\=/y", "/s3=s3://bucket/show"};
  const struct {
    std::string_view path, expected;
  } kCases[] = {
      {"Z:/show/a.usd", "/show/a.usd"},
      {"z:\\SHOW\\Seq\\A.usd", "/show/Seq/A.usd"},
      {"Z:/show", "/show"},
      {"Z:/shows/a.usd", "Z:/shows/a.usd"},
      {"Z:show/a.usd", "Z:show/a.usd"},
      {"\\\\SRV\\lib\\a.usdz[tex\\b.png]", "/lib/a.usdz[tex/b.png]"},
      {"//Srv/lib/a.usd", "/lib/a.usd"},
      {"/srv/lib/a.usd", "/srv/lib/a.usd"},
      {"Y:/a.usd", "/y/a.usd"},
      {"y:\\b\\c.usd", "/y/b/c.usd"},
      {"/mnt/old/a.usd", "/mnt/new/a.usd"},
      {"/mnt/Old/a.usd", "/mnt/Old/a.usd"},
      {"/mnt/older/a.usd", "/mnt/older/a.usd"},
      {"/s3/a.usd", "s3://bucket/show/a.usd"},
      {"./Z:/show/a.usd", "./Z:/show/a.usd"},
      {"lib/a.usd", "lib/a.usd"},
      {"https://h/mnt/old", "https://h/mnt/old"},
      {"", ""},
  };
  for (const auto& c : kCases) EXPECT_EQ(Mapped(rules, c.path), c.expected) << c.path;
  EXPECT_EQ(Mapped({}, "Z:/show/a.usd"), "Z:/show/a.usd");
}

TEST(PathMapTest, TheLongestRuleApplies) {
  for (const std::vector<std::string>& rules :
       {std::vector<std::string>{"Z:/=/z", "Z:/show=/show"},
        std::vector<std::string>{"Z:/show=/show", "Z:/=/z"}}) {
    EXPECT_EQ(Mapped(rules, "Z:/show/a"), "/show/a");
    EXPECT_EQ(Mapped(rules, "Z:/lib/a"), "/z/lib/a");
  }
  EXPECT_EQ(Mapped({"/=/root"}, "/a"), "/root/a");
  EXPECT_EQ(Mapped({"/a=/"}, "/a"), "/");
  EXPECT_EQ(Mapped({"/a=/"}, "/a/b"), "/b");
}

TEST(PathMapTest, WrongRulesAreNamed) {
  for (const char* bad : {"Z:/show", "show=/show", "Z:show=/show", "=/show", "Z:/show=show",
                          "Z:/show=", "Z:/show=Y:/show"}) {
    const auto map = PathMap::Parse(std::vector<std::string>{bad});
    EXPECT_EQ(map.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_NE(Message(map.status()).find(bad), std::string_view::npos) << map.status();
  }
  EXPECT_FALSE(PathMap::Parse(std::vector<std::string>{"Z:/a=/a", "z:\\A\\=/b"}).ok());
}

class MappingResolverTest : public ::testing::Test {
 protected:
  MappingResolverTest()
      : resolver_(files_, *PathMap::Parse(std::vector<std::string>{"Z:/show=/show"})) {
    EXPECT_TRUE(files_->Put("/show/a.usd", "a").ok());
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  RequestContext context_;
  const MappingResolver resolver_;
};

TEST_F(MappingResolverTest, RootsAndAuthoredPathsAreMapped) {
  EXPECT_EQ(resolver_.CreateIdentifier(context_, {}, "Z:\\show\\a.usd", "/other/root.usd"),
            "/show/a.usd");
  EXPECT_EQ(resolver_.CreateIdentifier(context_, {}, "./a.usd", "/show/root.usd"), "/show/a.usd");
  const auto resolved = resolver_.Resolve(context_, {}, "z:/show/a.usd");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(*resolved, "/show/a.usd");
  EXPECT_TRUE(resolver_.OpenAsset(context_, {}, *resolved).ok());
  EXPECT_TRUE(resolver_.GetVersion(context_, {}, *resolved).ok());
}

TEST_F(MappingResolverTest, APathOfWindowsThatNoRuleMapsSaysSo) {
  const absl::Status status = resolver_.Resolve(context_, {}, "Y:/show/a.usd").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status),
            "'Y:/show/a.usd' is a path of Windows; the daemon needs --map-path, as in "
            "--map-path=Z:/show=/show, to find it");
  EXPECT_EQ(Message(resolver_.Resolve(context_, {}, "Z:/show/b.usd").status()).find("Windows"),
            std::string_view::npos);
}

}  // namespace
}  // namespace stagedoor
