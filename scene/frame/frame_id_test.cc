#include "scene/frame/frame_id.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

// Ids are sent, and kept by clients: they must not change.
TEST(FrameIdTest, HashesAreTheSameInEveryRelease) {
  const struct {
    std::string_view path;
    uint64_t hash;
  } cases[] = {
      {"/", 0x5a6e0d1ca11f7a3b},
      {"/World", 0x4763bcbf0c617b79},
      {"/World/Chair", 0x7b008196f9109053},
      {"/World/ALongerNameThanAWord", 0x9eb42cf887d475ec},
      {"/World/Chair/Eightbts", 0xdeab72353b260926},
  };
  for (const auto& c : cases) EXPECT_EQ(HashOfPath(c.path), c.hash) << c.path;
  FrameIds ids;
  EXPECT_EQ(ids.Make(FrameObject::kPrim, HashOfPath("/World/Chair")), 0x60aa30ed89ffdd17u);
  EXPECT_EQ(ids.Make(FrameObject::kGeometry, HashOfPath("/World/Chair")), 0x23e76535a2454ddau);
}

TEST(FrameIdTest, AWalkFindsTheHashesOfPaths) {
  const uint64_t world = HashOfChild(kRootHash, "World");
  EXPECT_EQ(world, HashOfPath("/World"));
  EXPECT_EQ(HashOfChild(world, "ALongerNameThanAWord"), HashOfPath("/World/ALongerNameThanAWord"));
}

TEST(FrameIdTest, NamesAreNotJoined) {
  std::set<uint64_t> hashes;
  const std::string_view paths[] = {"/",          "/a",         "/a/b",      "/ab",
                                    "/b/a",       "/a/b/c",     "/abcdefgh", "/abcdefgh/i",
                                    "/abcdefghi", "/abcdefg/hi"};
  for (const std::string_view path : paths) hashes.insert(HashOfPath(path));
  EXPECT_EQ(hashes.size(), std::size(paths));
}

TEST(FrameIdTest, EachObjectHasAnIdOfItsOwn) {
  FrameIds ids;
  std::set<FrameId> made;
  for (uint64_t hash = 0; hash < 1000; ++hash) {
    made.insert(ids.Make(FrameObject::kPrim, hash));
    made.insert(ids.Make(FrameObject::kLight, hash));
    made.insert(ids.Make(FrameObject::kPrim, hash));  // collides
  }
  EXPECT_EQ(made.size(), 3000u);
  EXPECT_EQ(made.count(0), 0u);
  EXPECT_EQ(made.count(kAllLights), 0u);
}

TEST(FrameIdTest, CollisionsAreResolvedInOrder) {
  FrameIds a, b;
  for (FrameIds* ids : {&a, &b}) ids->Make(FrameObject::kPrim, 7);
  const FrameId second = a.Make(FrameObject::kPrim, 7);
  EXPECT_EQ(b.Make(FrameObject::kPrim, 7), second);
  EXPECT_NE(second, FrameIds().Make(FrameObject::kPrim, 7));
}

}  // namespace
}  // namespace stagedoor
