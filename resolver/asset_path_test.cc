#include "resolver/asset_path.h"

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Parts = std::pair<std::string, std::string>;

TEST(AssetPathTest, Normalizes) {
  const struct {
    const char* path;
    const char* normal;
  } cases[] = {
      {"", ""},
      {".", "."},
      {"./", "."},
      {"..", ".."},
      {"foo/", "foo"},
      {"a/./b/../c.usd", "a/c.usd"},
      {"../up.usd", "../up.usd"},
      {"a/../../b", "../b"},
      {"/abs/../x.usd", "/x.usd"},
      {"/../x.usd", "/x.usd"},
      {"/abs//x/./y.usd", "/abs/x/y.usd"},
      {"/", "/"},
      {".foo/x.usd", ".foo/x.usd"},
      {".../x", ".../x"},
      {"http://h/a/../b.usd", "http://h/b.usd"},
      {"http://h/../../b.usd", "http://h/b.usd"},
      {"http://h", "http://h"},
      {"s3://bucket//k", "s3://bucket/k"},
      {"\\a\\b.usd", "\\a\\b.usd"},
  };
  for (const auto& c : cases) EXPECT_EQ(NormalizeAssetPath(c.path), c.normal) << c.path;
}

TEST(AssetPathTest, Anchors) {
  const struct {
    const char* path;
    const char* anchor;
    const char* anchored;
  } cases[] = {
      {"./none.usd", "/t/a/root.usda", "/t/a/none.usd"},
      {"../up.usd", "/t/a/root.usda", "/t/up.usd"},
      {"../../../up.usd", "/t/a/root.usda", "/up.usd"},
      {"x.usd", "/t/a/", "/t/a/x.usd"},
      {"x.usd", "/root.usda", "/x.usd"},
      {"./x.usd", "", "x.usd"},
      {"./x.usd", "rel/b.usd", "x.usd"},
      {"/abs.usd", "/t/root.usda", "/abs.usd"},
      {"../c.usd", "http://h/a/b.usd", "http://h/c.usd"},
      {"../../c.usd", "http://h/a/b.usd", "http://h/c.usd"},
      {"c.usd", "http://h", "http://h/c.usd"},
      {"http://x/y.usd", "/t/root.usda", "http://x/y.usd"},
      {".", "/t/a/root.usda", "/t/a"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(AnchorAssetPath(c.path, c.anchor), c.anchored) << c.path << " in " << c.anchor;
  }
}

TEST(AssetPathTest, DistinguishesKindsOfPaths) {
  for (const char* path : {"foo.usd", "foo/bar.usd", ".foo/x", ".../x", "c:foo", "a:b/c"}) {
    EXPECT_TRUE(IsSearchAssetPath(path)) << path;
  }
  for (const char* path : {"", ".", "..", "./a", "../a", "/a", "http://h/a"}) {
    EXPECT_FALSE(IsSearchAssetPath(path)) << path;
  }
  EXPECT_EQ(UriScheme("s3+x://b"), "s3+x");
  EXPECT_EQ(UriScheme("3d://b"), "");
  EXPECT_EQ(UriScheme("://b"), "");
  EXPECT_EQ(AssetExtension("/a.b/C.USDZ"), "usdz");
  EXPECT_EQ(AssetExtension("/a.b/c"), "");
  EXPECT_EQ(AssetExtension("/a.usdz[b.usda]"), "usda");
}

TEST(PackagePathTest, SplitsAtTheOutermostPackage) {
  const struct {
    const char* path;
    Parts parts;
  } cases[] = {
      {"a.usdz", {"a.usdz", ""}},
      {"a.usdz[b]", {"a.usdz", "b"}},
      {"a.usdz[b.usdz[c]]", {"a.usdz", "b.usdz[c]"}},
      {"a[b]c", {"a[b]c", ""}},
      {"a[b][c]", {"a[b]", "c"}},
      {"a]b[c]", {"a]b", "c"}},
      {"a[b\\[c\\]]", {"a", "b[c]"}},
      {"a\\[b\\]", {"a\\[b\\]", ""}},
      {"a[", {"a[", ""}},
      {"a]", {"a]", ""}},
      {"[b]", {"", "b"}},
      {"a[]", {"a", ""}},
      {"a[[b]]", {"a", "[b]"}},
      {"]", {"]", ""}},
      {"", {"", ""}},
  };
  for (const auto& c : cases) EXPECT_EQ(SplitPackageRelativePathOuter(c.path), c.parts) << c.path;
}

TEST(PackagePathTest, SplitsAtTheInnermostPackage) {
  const struct {
    const char* path;
    Parts parts;
  } cases[] = {
      {"a.usdz", {"a.usdz", ""}},
      {"a.usdz[b]", {"a.usdz", "b"}},
      {"a.usdz[b.usdz[c]]", {"a.usdz[b.usdz]", "c"}},
      {"a[b][c]", {"a[b]", "c"}},
      {"a[b\\[c\\]]", {"a", "b[c]"}},
      {"a[[b]]", {"a[]", "b"}},
      {"a[b]c", {"a[b]c", ""}},
  };
  for (const auto& c : cases) EXPECT_EQ(SplitPackageRelativePathInner(c.path), c.parts) << c.path;
}

TEST(PackagePathTest, JoinsIntoTheInnermostPackage) {
  EXPECT_EQ(JoinPackageRelativePath("a.usdz", "b"), "a.usdz[b]");
  EXPECT_EQ(JoinPackageRelativePath("a.usdz[b.usdz]", "c"), "a.usdz[b.usdz[c]]");
  EXPECT_EQ(JoinPackageRelativePath("a.usdz[b\\]]", "c"), "a.usdz[b\\][c]]");
  EXPECT_EQ(JoinPackageRelativePath("a", "b[c]"), "a[b[c]]");
  EXPECT_EQ(JoinPackageRelativePath("a", "b[x"), "a[b\\[x]");
  EXPECT_EQ(JoinPackageRelativePath("a", "b]x"), "a[b\\]x]");
  EXPECT_EQ(JoinPackageRelativePath("a.usdz", ""), "a.usdz");
  EXPECT_EQ(JoinPackageRelativePath("", "b"), "b");
}

TEST(AssetPathTest, ForeignFilesKeepTheirPath) {
  EXPECT_EQ(WithoutForeignFileScheme("file-of-remote-layer:///a/b.usd"), "/a/b.usd");
  for (const char* other : {"/a/b.usd", "a.usd", "https://h/a.usd", "", "file-of-remote-layer"}) {
    EXPECT_EQ(WithoutForeignFileScheme(other), other);
  }
}

}  // namespace
}  // namespace stagedoor
