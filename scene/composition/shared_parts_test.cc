#include "scene/composition/shared_parts.h"

#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

Path P(const std::string& text) { return *Path::Parse(text); }

MapFunction Map(int number, LayerOffset offset = {}) {
  return MapFunction::Make({{P("/A"), P("/B" + std::to_string(number))}}, offset);
}

// Whether two mappings are the same object rather than only equal.
bool AreOne(const MapFunction& a, const MapFunction& b) {
  return a.pairs().data() == b.pairs().data();
}

TEST(SharedPartsTest, EqualMappingsBecomeOne) {
  SharedParts parts;
  std::vector<MapFunction> first;
  for (int i = 0; i < 2000; ++i) first.push_back(parts.Share(Map(i)));
  for (int i = 0; i < 2000; ++i) {
    const MapFunction again = parts.Share(Map(i));
    EXPECT_EQ(again, Map(i));
    EXPECT_TRUE(AreOne(again, first[static_cast<size_t>(i)])) << i;
  }
  EXPECT_FALSE(AreOne(first[0], first[1]));
}

TEST(SharedPartsTest, MappingsWithDifferentOffsetsStayApart) {
  SharedParts parts;
  const MapFunction plain = parts.Share(Map(1));
  const MapFunction later = parts.Share(Map(1, {5, 1}));
  EXPECT_EQ(plain.offset(), LayerOffset());
  EXPECT_EQ(later.offset(), (LayerOffset{5, 1}));
}

TEST(SharedPartsTest, MappingsOutliveSharedParts) {
  MapFunction kept;
  {
    SharedParts parts;
    kept = parts.Share(Map(1));
  }
  EXPECT_EQ(kept, Map(1));
  SharedParts other;
  EXPECT_TRUE(AreOne(other.Share(kept), kept));
}

TEST(SharedPartsTest, NullAndIdentityAreNotShared) {
  SharedParts parts;
  EXPECT_TRUE(parts.Share(MapFunction()).IsNull());
  EXPECT_TRUE(parts.Share(MapFunction::Identity()).IsIdentity());
}

TEST(SharedPartsTest, EqualArcsShareTheirMappings) {
  ComposedScene scene({{"root", R"(
def "P"
{
    def "A" (references = @ref@</R>)
    {
    }
    def "B" (references = @ref@</R>)
    {
    }
})"},
                       {"ref", R"(
class "C"
{
}
def "R"
{
    def "X" (inherits = </C>)
    {
    }
})"}});
  const PrimIndexRef root = scene.Compose("/P");
  const PrimIndexRef a = scene.Compose("/P/A"), again = scene.Compose("/P/A");
  ASSERT_EQ(a.index->nodes().size(), 2u);
  EXPECT_NE(a.index, again.index);
  EXPECT_TRUE(AreOne(a.index->nodes()[1].map_to_root, again.index->nodes()[1].map_to_root));
}

}  // namespace
}  // namespace stagedoor
