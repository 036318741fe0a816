#include <algorithm>

#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

const Texts& City() {
  static const Texts* texts = new Texts{{"root", R"(
class "_global"
{
}
def "One" (references = @house@</House>)
{
}
def "Two" (references = @house@</House> (offset = 10))
{
    over "Room"
    {
        over "Chair"
        {
        }
    }
}
def "Four" (references = @house@</House>)
{
}
def "Three" (references = @house@</House>; variants = { string v = "b" })
{
}
)"},
                                        {"house", R"(
class "_class"
{
}
def "House" (variants = { string v = "a" }; variantSets = "v")
{
    def "Room"
    {
        def "Chair" (references = @chair@</Chair>)
        {
        }
        def "Table" (inherits = </_class>)
        {
            def "Leg" (inherits = </_global>)
            {
            }
        }
    }
    variantSet "v" = {
        "a" {
        }
        "b" {
            over "Room"
            {
            }
        }
    }
})"},
                                        {"chair", R"(
def "Chair"
{
    def "Seat"
    {
        def "Cushion"
        {
        }
    }
})"}};
  return *texts;
}

TEST(SharedIndexTest, AnAssetWithoutOtherOpinionsIsComposedOnce) {
  ComposedScene scene(City());
  const auto index = [&](const char* path) { return scene.Compose(path).index; };
  EXPECT_EQ(index("/One/Room/Chair/Seat/Cushion"), index("/Two/Room/Chair/Seat/Cushion"));
  EXPECT_EQ(index("/One/Room/Table"), index("/Four/Room/Table"));
  // Opinions, other variants and classes of the referencing stage keep them apart.
  EXPECT_NE(index("/One/Room/Chair"), index("/Two/Room/Chair"));
  EXPECT_NE(index("/One/Room"), index("/Three/Room"));
  EXPECT_NE(index("/One/Room/Table/Leg"), index("/Two/Room/Table/Leg"));
  EXPECT_EQ(scene.Stack("/One/Room/Table/Leg"), "root/_global house/House/Room/Table/Leg");
}

TEST(SharedIndexTest, SharedIndexesMapToEachPrim) {
  ComposedScene scene(City());
  const PrimIndexRef two = scene.Compose("/Two/Room/Chair/Seat");
  ASSERT_EQ(two.index->prim_stack().size(), 1u);
  EXPECT_EQ(two.MapToStage(0, *Path::Parse("/Chair/Seat/Cushion")).ToString(),
            "/Two/Room/Chair/Seat/Cushion");
  EXPECT_EQ(two.OffsetOf(two.index->prim_stack()[0]), (LayerOffset{10, 1}));
  EXPECT_EQ(two.ArcOf(0), ArcType::kReference);
}

// Streets of houses with furniture that inherits classes. The root layer has opinions about these
// classes, and so has the layer of the lane.
const Texts& Streets() {
  static const Texts* texts = new Texts{{"root", R"(
class "_wood"
{
    custom rel owner = </Town/B/House>
    custom rel self = </_wood>
    def "Knot"
    {
        custom rel up = </_wood>
    }
}
def "Town"
{
    def "A" (payload = @street@</Street>)
    {
    }
    def "B" (payload = @street@</Street> (offset = 5))
    {
    }
    def "C" (payload = @street@</Street>)
    {
        over "House"
        {
            over "Room"
            {
                over "Shelf"
                {
                    custom int mine
                }
            }
        }
    }
    def "D" (payload = @lane@</Lane>)
    {
    }
    def "E" (payload = @street@</Street>)
    {
    }
    over "F" (payload = @street@</Street>; instanceable = true)
    {
    }
}
)"},
                                        {"street", R"(
def "Street"
{
    def "House" (references = @house@</House>)
    {
    }
    def "Next" (references = @house@</House>)
    {
    }
}
)"},
                                        {"lane", R"(
class "_wood"
{
    over "Knot"
    {
        custom int lane
    }
}
def "Lane"
{
    def "House" (references = @house@</House>)
    {
    }
}
)"},
                                        {"house", R"(
def "House"
{
    def "Room" (references = @room@</Room>)
    {
    }
}
)"},
                                        {"room", R"(
class "_metal"
{
}
def "Room"
{
    class "_local"
    {
    }
    def "Table" (references = @table@</Table>)
    {
    }
    def "Chair" (references = @table@</Table>; instanceable = true)
    {
    }
    def "Shelf" (inherits = </_wood>)
    {
        def "Board" (inherits = [</_wood>, </_metal>])
        {
        }
    }
    def "Lamp" (specializes = </_wood>)
    {
    }
    def "Rug" (inherits = </Room/_local>)
    {
    }
    def "Loop" (inherits = </Town>)
    {
    }
}
)"},
                                        {"table", R"(
class "_wood"
{
    custom int age
    def "Knot"
    {
    }
}
def "Table" (inherits = </_wood>)
{
    custom rel near = </Table/Leg>
    def "Leg" (inherits = </_wood>; references = @foot@</Foot>)
    {
        def "Tip"
        {
        }
    }
}
)"},
                                        {"foot", R"(
def "Foot"
{
    def "Toe" (inherits = </_wood>)
    {
        custom rel near = </Foot>
    }
})"}};
  return *texts;
}

TEST(SharedIndexTest, GlobalClassOpinionsAreComposedOnceForAllPrims) {
  ComposedScene scene(Streets());
  const auto ref = [&](const char* path) { return scene.Compose(path); };
  const auto table = ref("/Town/A/House/Room/Table");
  EXPECT_EQ(table.index, ref("/Town/A/Next/Room/Table").index);
  EXPECT_EQ(table.index, ref("/Town/E/House/Room/Table").index);
  EXPECT_EQ(ref("/Town/A/House/Room/Table/Leg/Toe").index,
            ref("/Town/E/House/Room/Table/Leg/Toe").index);
  // Another time, or opinions of more stacks, keep them apart.
  EXPECT_NE(table.index, ref("/Town/B/House/Room/Table").index);
  EXPECT_NE(table.index, ref("/Town/D/House/Room/Table").index);
  EXPECT_EQ(scene.Stack("/Town/E/House/Room/Table"),
            "root/_wood room/Room/Table table/Table table/_wood");
  EXPECT_EQ(scene.Stack("/Town/D/House/Room/Table/Knot"),
            "root/_wood/Knot lane/_wood/Knot table/_wood/Knot");
}

TEST(SharedIndexTest, ClassesOfClassesHaveOpinionsOfTheStage) {
  const char* const root = R"(
def "One" (references = @asset@</A>)
{
}
def "Two" (references = @asset@</A>)
{
}
class "D"
{
    over "X"
    {
    }
}
class "E"
{
    over "Z"
    {
    }
}
)";
  const char* const asset = R"(
def "A"
{
    def "Y"
    {
        def "X" (inherits = </B/Y>)
        {
        }
        def "Z" (inherits = </B/Z>)
        {
        }
    }
}
def "B" (inherits = </E>)
{
    def "Y" (inherits = </D>)
    {
    }
}
)";
  ComposedScene scene({{"root", root}, {"asset", asset}});
  EXPECT_EQ(scene.Stack("/One/Y/X"), "root/D asset/A/Y/X asset/B/Y");
  EXPECT_EQ(scene.Stack("/Two/Y/X/X"), "root/D/X");
  EXPECT_EQ(scene.Stack("/Two/Y/Z"), "root/E/Z asset/A/Y/Z");
}

TEST(SharedIndexTest, SharedClassesMapToEachPrim) {
  ComposedScene scene(Streets());
  const PrimIndexRef table = scene.Compose("/Town/E/House/Room/Table");
  const auto map = [&](uint32_t site, const char* path) {
    return table.MapToStage(table.index->prim_stack()[site].node, *Path::Parse(path)).ToString();
  };
  EXPECT_EQ(map(0, "/_wood/Knot"), "/Town/E/House/Room/Table/Knot");
  EXPECT_EQ(map(0, "/Town/B/House"), "/Town/B/House");
  EXPECT_EQ(map(0, "/Town/E/House/Room"), "/Town/E/House/Room");
  EXPECT_EQ(map(0, "/Town/E/House/Room/Table"), "");
  EXPECT_EQ(map(2, "/Table/Leg"), "/Town/E/House/Room/Table/Leg");
}

TEST(SharedIndexTest, NodesKnowTheSpecsOfTheirSites) {
  ComposedScene scene(Streets());
  for (const char* path : {"/Town/C/House/Room/Shelf", "/Town/E/House/Room/Table/Leg/Toe"}) {
    const PrimIndexRef ref = scene.Compose(path);
    size_t specs = 0;
    for (const PrimIndexNode& node : ref.index->nodes()) {
      if (!node.inert) specs += ref.index->SpecsOf(node).size();
      EXPECT_EQ(ref.index->SpecsOf(node).empty(), !node.has_specs()) << path;
    }
    EXPECT_EQ(specs, ref.index->prim_stack().size()) << path;
    for (const PrimSpecHandle& site : ref.index->prim_stack()) {
      const auto own = ref.index->SpecsOf(ref.index->nodes()[site.node]);
      EXPECT_TRUE(std::any_of(own.begin(), own.end(), [&](const PrimSpecHandle& other) {
        return other.spec == site.spec && other.stack_index == site.stack_index;
      })) << path;
    }
  }
}

// Composes a subtree with and without sharing; the results must be the same in every respect.
void ExpectSame(ComposedScene& shared, ComposedScene& plain, const PrimIndexRef& a,
                const PrimIndexRef& b, Path path) {
  ASSERT_EQ(a.index->prim_stack().size(), b.index->prim_stack().size()) << path.ToString();
  for (size_t i = 0; i < a.index->prim_stack().size(); ++i) {
    const PrimSpecHandle& sa = a.index->prim_stack()[i];
    const PrimSpecHandle& sb = b.index->prim_stack()[i];
    const Path site = sa.layer->tree().path(sa.spec);
    EXPECT_EQ(site, sb.layer->tree().path(sb.spec)) << path.ToString();
    EXPECT_EQ(a.OffsetOf(sa), b.OffsetOf(sb)) << path.ToString();
    EXPECT_EQ(a.MapToStage(sa.node, site.StripVariantSelections()),
              b.MapToStage(sb.node, site.StripVariantSelections()));
    for (const Path stage_path : {path, path.Parent(), *Path::Parse("/Town/B/House")}) {
      if (stage_path.empty()) continue;
      EXPECT_EQ(a.MapToStage(sa.node, stage_path), b.MapToStage(sb.node, stage_path))
          << site.ToString() << " at " << path.ToString();
    }
    EXPECT_EQ(a.ArcOf(sa.node), b.ArcOf(sb.node)) << path.ToString();
    EXPECT_EQ(a.MapsRoot(sa.node), b.MapsRoot(sb.node)) << path.ToString();
  }
  EXPECT_TRUE(std::ranges::equal(a.index->property_names(), b.index->property_names()));
  ASSERT_TRUE(std::ranges::equal(a.index->child_names(), b.index->child_names()))
      << path.ToString();
  for (const Token name : a.index->child_names()) {
    ExpectSame(shared, plain, shared.composer().ComposeChild(shared.context(), a, path, name),
               plain.composer().ComposeChild(plain.context(), b, path, name),
               path.AppendChild(name));
  }
}

TEST(SharedIndexTest, SharingDoesNotChangeResults) {
  CompositionOptions unshared;
  unshared.share_subtrees = false;
  for (const Texts& texts : {City(), Streets(), Texts{{"root", kEveryArc}}}) {
    ComposedScene shared(texts);
    ComposedScene plain(texts, unshared);
    ExpectSame(shared, plain, shared.composer().ComposeRoot(shared.context()),
               plain.composer().ComposeRoot(plain.context()), Path::AbsoluteRoot());
  }
}
}  // namespace
}  // namespace stagedoor
