#include "resolver/store/object_catalog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/testing/temp_dir.h"

namespace stagedoor {
namespace {

using std::chrono::seconds;
using WallTime = ObjectCatalog::WallClock::time_point;

const WallTime kNoon{seconds(1000000)};

ObjectInfo Info(AssetVersion version, uint64_t size = 5) {
  return {.version = std::move(version),
          .size = size,
          .handle = "\x01handle",
          .by_time = true,
          .sample = "s"};
}

TEST(ObjectCatalogTest, EncodedObjectsAreDecoded) {
  for (const AssetVersion& version :
       {AssetVersion("etag"), AssetVersion("content", "local"), AssetVersion("")}) {
    const std::string text = ObjectCatalog::Encode("https://a/b", Info(version), kNoon);
    const auto known = ObjectCatalog::Decode(text, "https://a/b");
    ASSERT_TRUE(known.has_value()) << text;
    EXPECT_EQ(known->info.version, version);
    EXPECT_EQ(known->info.version.content(), version.content());
    EXPECT_EQ(known->info.size, 5u);
    EXPECT_EQ(known->info.handle, "\x01handle");
    EXPECT_TRUE(known->info.by_time);
    EXPECT_EQ(known->info.sample, "s");
    EXPECT_EQ(known->sampled, ObjectCatalog::kNever);
    EXPECT_EQ(known->validated, kNoon);
    EXPECT_TRUE(known->missing.ok());
    EXPECT_FALSE(known->stale);
  }
}

TEST(ObjectCatalogTest, DamagedFilesAreNotDecoded) {
  // The path is "a", the version "v" and the handle "h", in hexadecimal.
  const std::string good =
      R"({"path":"61","version":"76","content":1,"size":5,"handle":"68","validated":9,)"
      R"("by_time":true,"sample":"73"})";
  ASSERT_TRUE(ObjectCatalog::Decode(good, "a").has_value());
  EXPECT_FALSE(ObjectCatalog::Decode(good, "b").has_value()) << "another object";
  const std::pair<const char*, const char*> kDamages[] = {
      {"{", ""},
      {R"("61")", R"("6")"},
      {R"("61")", R"("6g")"},
      {R"("61")", R"("g1")"},
      {R"("61")", R"("6A")"},
      {R"("61")", "61"},
      {R"("path")", R"("other")"},
      {R"("76")", "76"},
      {R"("version")", R"("other")"},
      {R"("68")", R"("6?")"},
      {R"("handle")", R"("other")"},
      {R"("content":1)", R"("content":2)"},
      {R"("content":1)", R"("content":-1)"},
      {R"("content":1)", R"("content":"1")"},
      {R"("content")", R"("other")"},
      {R"("size":5)", R"("size":5.5)"},
      {R"("size")", R"("other")"},
      {R"("validated":9)", R"("validated":1099511627777)"},
      {R"("validated")", R"("other")"},
      {R"("by_time":true)", R"("by_time":1)"},
      {R"("by_time")", R"("other")"},
      {R"("73")", "73"},
      {R"("sample")", R"("other")"},
  };
  for (const auto& [part, damage] : kDamages) {
    std::string text = good;
    text.replace(text.find(part), std::string(part).size(), damage);
    EXPECT_FALSE(ObjectCatalog::Decode(text, "a").has_value()) << text;
  }
  EXPECT_FALSE(ObjectCatalog::Decode("[]", "a").has_value());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ObjectCatalog::Decode(good.substr(0, size), "a").has_value()) << size;
  }
}

class ObjectCatalogTimesTest : public testing::Test {
 protected:
  ObjectCatalog::Options Options(size_t max_entries = 100) {
    return {.directory = &*directory_,
            .max_entries = max_entries,
            .now = [this] { return now_; },
            .wall_now = [this] { return wall_now_; }};
  }
  bool IsFresh(ObjectCatalog& catalog, const std::string& path) {
    const auto known = catalog.Find(path);
    return known.has_value() && known->fresh_until > now_;
  }
  bool IsOnDisk(const std::string& path) {
    return std::filesystem::exists(directory_->CatalogPath(path));
  }

  const TempDir folder_;
  const absl::StatusOr<CacheDirectory> directory_ = CacheDirectory::Create(folder_ / "cache");
  ObjectCatalog::Clock::time_point now_{seconds(1000)};
  WallTime wall_now_ = kNoon;
};

TEST_F(ObjectCatalogTimesTest, ObjectsAreFreshForATimeOrUntilTheyExpire) {
  ObjectCatalog catalog(Options());
  for (const char* path : {"a", "b", "c"}) {
    catalog.Put(path, Info(AssetVersion("1")), seconds(10), catalog.generation());
  }
  now_ += seconds(9);
  EXPECT_TRUE(IsFresh(catalog, "a"));
  catalog.Expire("a");
  EXPECT_FALSE(IsFresh(catalog, "a"));
  EXPECT_TRUE(IsFresh(catalog, "b"));
  catalog.ExpireAll();
  EXPECT_FALSE(IsFresh(catalog, "b"));
  EXPECT_FALSE(IsFresh(catalog, "c"));
  catalog.Put("c", Info(AssetVersion("1")), seconds(10), catalog.generation());
  EXPECT_TRUE(IsFresh(catalog, "c"));
  now_ += seconds(10);
  EXPECT_FALSE(IsFresh(catalog, "c"));
}

TEST_F(ObjectCatalogTimesTest, WhatWasAskedBeforeAnExpiryIsNotFresh) {
  ObjectCatalog catalog(Options());
  const uint64_t before = catalog.generation();
  catalog.Expire("other");
  catalog.Put("a", Info(AssetVersion("1")), seconds(10), before);
  EXPECT_FALSE(IsFresh(catalog, "a"));
  const uint64_t between = catalog.generation();
  catalog.ExpireAll();
  catalog.Put("a", Info(AssetVersion("1")), seconds(10), between);
  EXPECT_FALSE(IsFresh(catalog, "a"));
  catalog.PutStale("a", *catalog.Find("a"), seconds(10), between);
  EXPECT_FALSE(IsFresh(catalog, "a"));
  catalog.PutMissing("b", absl::NotFoundError("not yet"), seconds(10), between);
  EXPECT_FALSE(IsFresh(catalog, "b"));
  catalog.PutMissing("b", absl::NotFoundError("not yet"), seconds(10), catalog.generation());
  EXPECT_TRUE(IsFresh(catalog, "b"));
}

TEST_F(ObjectCatalogTimesTest, ObjectsUsedLastAreKept) {
  ObjectCatalog::Options options = Options(/*max_entries=*/2);
  options.directory = nullptr;
  ObjectCatalog catalog(std::move(options));
  const auto put = [&](const char* path) {
    catalog.Put(path, Info(AssetVersion("1")), seconds(10), catalog.generation());
  };
  put("a");
  put("b");
  EXPECT_TRUE(catalog.Find("a").has_value());
  put("c");
  EXPECT_FALSE(catalog.Find("b").has_value());
  EXPECT_TRUE(catalog.Find("a").has_value());
  EXPECT_TRUE(catalog.Find("c").has_value());
}

TEST_F(ObjectCatalogTimesTest, FilesSurviveTheCatalogButAreNotFresh) {
  {
    ObjectCatalog catalog(Options());
    catalog.Put("a", Info(AssetVersion("1")), seconds(10), catalog.generation());
  }
  ObjectCatalog later(Options());
  const auto known = later.Find("a");
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->info.version, AssetVersion("1"));
  EXPECT_FALSE(IsFresh(later, "a"));
  later.PutMissing("a", absl::NotFoundError("gone"), seconds(10), later.generation());
  EXPECT_EQ(later.Find("a")->missing.code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(IsOnDisk("a"));
}

TEST_F(ObjectCatalogTimesTest, UnchangedObjectsAreWrittenNowAndThen) {
  ObjectCatalog catalog(Options());
  const auto is_written = [&](const ObjectInfo& info) {
    std::filesystem::remove(directory_->CatalogPath("a"));
    catalog.Put("a", info, seconds(1), catalog.generation());
    return IsOnDisk("a");
  };
  EXPECT_TRUE(is_written(Info(AssetVersion("1"))));
  wall_now_ += seconds(9);
  EXPECT_FALSE(is_written(Info(AssetVersion("1"))));
  EXPECT_TRUE(is_written(Info(AssetVersion("2"))));
  EXPECT_TRUE(is_written(Info(AssetVersion("2"), /*size=*/6)));
  EXPECT_TRUE(is_written({AssetVersion("2"), 6, "another handle"}));
  wall_now_ += seconds(10);
  EXPECT_TRUE(is_written({AssetVersion("2"), 6, "another handle"}));
}

TEST_F(ObjectCatalogTimesTest, ObjectsWhoseStoreIsDownAreStale) {
  ObjectCatalog catalog(Options());
  catalog.Put("a", Info(AssetVersion("1")), seconds(1), catalog.generation());
  now_ += seconds(5);
  catalog.PutStale("a", *catalog.Find("a"), seconds(10), catalog.generation());
  EXPECT_TRUE(catalog.Find("a")->stale);
  EXPECT_TRUE(IsFresh(catalog, "a"));
  catalog.Put("a", Info(AssetVersion("1")), seconds(1), catalog.generation());
  EXPECT_FALSE(catalog.Find("a")->stale);
}

}  // namespace
}  // namespace stagedoor
