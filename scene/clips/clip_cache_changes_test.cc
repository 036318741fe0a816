// Which layers a ClipCache keeps when assets change while they are open, pinned or being looked up,
// and when slots are released.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "resolver/testing/forwarding_resolver.h"
#include "scene/clips/clip_cache.h"
#include "scene/clips/testing/clip_cache_fixture.h"

namespace stagedoor {
namespace {

// Calls a function when it is asked for the version of an asset, before it answers.
class AskedResolver final : public ForwardingResolver {
 public:
  using ForwardingResolver::ForwardingResolver;

  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view path) const override {
    if (const auto act = std::exchange(on_version, nullptr)) act();
    return ForwardingResolver::GetVersion(context, resolver_context, path);
  }

  mutable std::function<void()> on_version;  // called once
};

class ClipCacheChangesTest : public ClipCacheTest {
 protected:
  ClipCacheChangesTest()
      : ClipCacheTest([](std::shared_ptr<const Resolver> base) -> std::shared_ptr<const Resolver> {
          return std::make_shared<AskedResolver>(std::move(base));
        }) {}

  const AskedResolver& asked() const { return static_cast<const AskedResolver&>(*resolver_); }
  static bool IsOpen(ClipSlot& slot) {
    const bool open = slot.TryPin(0) != nullptr;
    if (open) slot.Unpin();
    return open;
  }
};

TEST_F(ClipCacheChangesTest, ASlotThatIsNewToALayerGetsTheCurrentContent) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[2];
  Read(cache, "/a.blob", slots[0]);
  Put("/a.blob", 20);
  Read(cache, "/a.blob", slots[0]);
  EXPECT_EQ(opens_, 1) << "reads through filled slots do not look";
  Read(cache, "/a.blob", slots[1]);
  EXPECT_EQ(opens_, 2);
  EXPECT_FALSE(IsOpen(slots[0]));
  EXPECT_EQ(cache.Stats().layers, 1u) << "nobody has pinned the old one";
  cache.Release(slots);
}

TEST_F(ClipCacheChangesTest, ALayerThatIsReplacedDuringTheLookUpIsNotDropped) {
  Put("/a.blob", 10);
  ClipCache cache(registry_, {});
  ClipSlot slots[3];
  Read(cache, "/a.blob", slots[0]);
  Put("/a.blob", 20);
  asked().on_version = [&] {  // for the second slot
    EXPECT_EQ(cache.Refresh(context_).size(), 1u);
    Read(cache, "/a.blob", slots[2]);
  };
  Read(cache, "/a.blob", slots[1]);
  EXPECT_EQ(opens_, 2);
  EXPECT_TRUE(IsOpen(slots[2])) << "it has the new content already";
  cache.Release(slots);
}

TEST_F(ClipCacheChangesTest, ChangedLayersAreEvictedFirst) {
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"}) Put(name, 10);
  ClipCache cache(registry_, AtMost(2));
  ClipSlot slots[3];
  Read(cache, "/b.blob", slots[1]);
  ASSERT_TRUE(Fill(cache, "/a.blob", slots[0]).ok());
  Put("/a.blob", 20);
  EXPECT_EQ(cache.Refresh(context_).size(), 1u);
  slots[0].Unpin();
  Read(cache, "/c.blob", slots[2]);
  EXPECT_TRUE(IsOpen(slots[1])) << "it was used before, but has not changed";
  EXPECT_TRUE(IsOpen(slots[2]));
  EXPECT_EQ(cache.Stats().layers, 2u);
  cache.Release(slots);
}

TEST_F(ClipCacheChangesTest, OneOfManyLayersThatWereAllUsedIsEvicted) {
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"}) Put(name, 10);
  ClipCache cache(registry_, AtMost(2));
  ClipSlot slots[3];
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/b.blob", slots[1]);
  for (ClipSlot* slot : {&slots[0], &slots[1]}) {
    ASSERT_NE(slot->TryPin(cache.clock() + 1), nullptr);
    slot->Unpin();
  }
  Read(cache, "/c.blob", slots[2]);
  EXPECT_EQ(cache.Stats().layers, 2u);
  EXPECT_FALSE(IsOpen(slots[0])) << "the one used first";
  EXPECT_TRUE(IsOpen(slots[1]));
  EXPECT_TRUE(IsOpen(slots[2]));
  cache.Release(slots);
}

TEST_F(ClipCacheChangesTest, TheUseOfASlotCountsAfterItsRelease) {
  for (const char* name : {"/a.blob", "/b.blob", "/c.blob"}) Put(name, 10);
  ClipCache cache(registry_, AtMost(2));
  ClipSlot slots[3], other;
  Read(cache, "/a.blob", slots[0]);
  Read(cache, "/b.blob", slots[1]);
  Read(cache, "/a.blob", other);
  cache.Release({&other, 1});
  Read(cache, "/c.blob", slots[2]);
  EXPECT_TRUE(IsOpen(slots[0]));
  EXPECT_FALSE(IsOpen(slots[1])) << "used before the other slot was";
  cache.Release(slots);
}

}  // namespace
}  // namespace stagedoor
