#include "resolver/access/access_scope.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

std::shared_ptr<const AccessScope> Scope(const std::vector<std::string>& prefixes) {
  auto scope = AccessScope::Create(prefixes);
  EXPECT_TRUE(scope.ok()) << scope.status();
  return scope.ok() ? *std::move(scope) : nullptr;
}

TEST(AccessScopeTest, IncludesNothingByDefault) {
  const auto scope = Scope({});
  for (const std::string_view name : {"/", "/a.usd", "a.usd", "", "http://host/a", "studio:a"}) {
    EXPECT_FALSE(scope->IncludesName(name)) << name;
  }
  EXPECT_FALSE(scope->IncludesFile("/a.usd"));
}

TEST(AccessScopeTest, DirectoriesEndAtAComponent) {
  const auto scope = Scope({"/no_such_show/", "/no_such_file.usd"});
  for (const std::string_view name : {"/no_such_show", "/no_such_show/a/b.usd", "/no_such_file.usd",
                                      "/x/../no_such_show/b.usd", "/no_such_show//b.usd"}) {
    EXPECT_TRUE(scope->IncludesName(name)) << name;
  }
  for (const std::string_view name :
       {"/no_such_show2/a.usd", "/", "/no_such", "no_such_show/a.usd",
        "/no_such_show/../etc/passwd", "file:///no_such_show/a.usd", "/no_such_file.usd2"}) {
    EXPECT_FALSE(scope->IncludesName(name)) << name;
  }
}

TEST(AccessScopeTest, TheRootIncludesAllFilesAndNoUrls) {
  const auto scope = Scope({"/"});
  EXPECT_TRUE(scope->IncludesName("/etc/passwd"));
  EXPECT_TRUE(scope->IncludesFile("/etc/passwd"));
  EXPECT_FALSE(scope->IncludesName("http://host/etc/passwd"));
}

TEST(AccessScopeTest, ALinkIncludesItsTarget) {
  const std::string folder = testing::TempDir() + "access_scope_test";
  std::filesystem::create_directories(folder + "/target");
  std::filesystem::remove(folder + "/link");
  ASSERT_EQ(symlink((folder + "/target").c_str(), (folder + "/link").c_str()), 0);
  const auto scope = Scope({folder + "/link"});
  const std::string real = std::filesystem::canonical(folder + "/target");
  EXPECT_TRUE(scope->IncludesFile(real + "/a.usd"));
  EXPECT_TRUE(scope->IncludesName(folder + "/link/a.usd"));
  EXPECT_FALSE(scope->IncludesFile(std::filesystem::canonical(folder).string() + "/a.usd"));
}

TEST(AccessScopeTest, UrlsAreComparedAsTheAllowListDoes) {
  const auto scope = Scope({"https://assets.studio.com/show", "S3://bucket/shots/"});
  EXPECT_TRUE(scope->IncludesName("HTTPS://assets.studio.com:443/show/a.usd"));
  EXPECT_TRUE(scope->IncludesName("s3://bucket/shots/a.usd"));
  for (const std::string_view name :
       {"http://assets.studio.com/show/a.usd", "https://assets.studio.com/show/../other",
        "https://assets.studio.com/show/a//../../secret/p",
        "https://assets.studio.com/show/a?x=/../../../secret/p", "https://assets.studio.com/shows",
        "https://evil.com/show/a", "s3://bucket2/shots/a"}) {
    EXPECT_FALSE(scope->IncludesName(name)) << name;
  }
}

TEST(AccessScopeTest, IdentifiersOfServices) {
  const auto scope = Scope({"studio://show/a", "db://"});
  for (const std::string_view name :
       {"studio://show/a", "Studio://show/a/b.usd", "db://anything", "db://x/../y"}) {
    EXPECT_TRUE(scope->IncludesName(name)) << name;
  }
  for (const std::string_view name : {"studio://show/ab", "studio://show/a/../b.usd",
                                      "studio://show/a/%2e%2e/b", "studio:show/a", "dbx://a"}) {
    EXPECT_FALSE(scope->IncludesName(name)) << name;
  }
}

TEST(AccessScopeTest, RejectsWrongPrefixes) {
  for (const std::string prefix :
       {"relative/path", "", "https://host/a?query", "studio://a/../b"}) {
    const auto scope = AccessScope::Create(std::vector<std::string>{prefix});
    EXPECT_EQ(scope.status().code(), absl::StatusCode::kInvalidArgument) << prefix;
  }
}

TEST(AccessScopeTest, FingerprintsNameTheSet) {
  const std::string fingerprint = Scope({"/a", "/b"})->fingerprint();
  EXPECT_EQ(Scope({"/b", "/a", "/a"})->fingerprint(), fingerprint);
  EXPECT_NE(Scope({"/a"})->fingerprint(), fingerprint);
  EXPECT_NE(Scope({"/ab"})->fingerprint(), Scope({"/a", "b://"})->fingerprint());
  EXPECT_FALSE(Scope({})->fingerprint().empty());
}

TEST(AccessScopeTest, FingerprintsNoticeLinksThatLeadElsewhere) {
  const std::string folder = testing::TempDir() + "access_scope_links";
  std::filesystem::create_directories(folder + "/a");
  std::filesystem::create_directories(folder + "/b");
  const auto fingerprint_to = [&folder](const std::string& target) {
    std::filesystem::remove(folder + "/link");
    std::filesystem::create_symlink(folder + target, folder + "/link");
    return Scope({folder + "/link"})->fingerprint();
  };
  const std::string before = fingerprint_to("/a");
  EXPECT_NE(fingerprint_to("/b"), before);
  EXPECT_EQ(fingerprint_to("/a"), before);
}

}  // namespace
}  // namespace stagedoor
