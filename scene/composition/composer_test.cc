// A museum: tiny scenes inline, each with what its prims are composed from.
#include "scene/composition/composer.h"

#include <algorithm>
#include <map>

#include "base/status.h"
#include "gtest/gtest.h"
#include "scene/usda/usda_reader.h"

namespace stagedoor {
namespace {

using Texts = std::map<std::string, std::string>;

class TextLayers final : public LayerSource {
 public:
  explicit TextLayers(const Texts& texts) {
    for (const auto& [name, text] : texts) {
      layers_[name] = ReadUsda("#usda 1.0\n" + text, {.identifier = name}).value();
    }
  }
  std::string Identify(RequestContext&, std::string_view path, const Layer*) override {
    return std::string(path);
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext&,
                                                    const std::string& identifier) override {
    const auto it = layers_.find(identifier);
    if (it == layers_.end()) return NotFoundError(identifier);
    return it->second;
  }

 private:
  std::map<std::string, std::shared_ptr<const Layer>> layers_;
};

// Composes "root" over the other texts, with "session" above if there is one.
class Scene {
 public:
  explicit Scene(const Texts& texts, CompositionOptions options = {}) {
    auto source = std::make_unique<TextLayers>(texts);
    auto root = source->Open(context_, "root").value();
    auto session = source->Open(context_, "session").value_or(nullptr);
    composer_ = Composer::Create(context_, std::move(source), root, session, std::move(options));
  }

  PrimIndexRef Compose(const std::string& path) {
    PrimIndexRef ref = composer_->ComposeRoot(context_);
    Path at = Path::AbsoluteRoot();
    for (const Path prefix : Path::Parse(path)->Prefixes()) {
      ref = composer_->ComposeChild(context_, ref, at, prefix.name());
      at = prefix;
    }
    return ref;
  }
  // "root/A ref/B{v=x}": the specs of a prim, strongest first.
  std::string Stack(const std::string& path) {
    const PrimIndexRef ref = Compose(path);
    std::string text;
    for (const PrimSite& site : ref.index->sites()) {
      if (!text.empty()) text += ' ';
      text += site.layer->identifier() + site.layer->tree().path(site.spec).ToString();
    }
    return text;
  }
  std::string Children(const std::string& path) {
    std::string text;
    const PrimIndexRef ref = Compose(path);
    for (const Token name : ref.index->child_names()) text += name.str() + " ";
    return text;
  }
  std::string Errors(const std::string& path) {
    std::string text;
    const PrimIndexRef ref = Compose(path);
    for (const CompositionError& e : ref.index->errors()) {
      text += std::string(CompositionErrorName(e.type)) + " ";
    }
    return text;
  }
  std::string StackErrors() {
    std::string text;
    for (const CompositionError& e : composer_->LayerStackErrors()) {
      text += std::string(CompositionErrorName(e.type)) + " ";
    }
    return text;
  }
  Composer& composer() { return *composer_; }
  RequestContext& context() { return context_; }

 private:
  RequestContext context_;
  std::unique_ptr<Composer> composer_;
};

TEST(Composer, SublayersAreWeakerAndRetimed) {
  Scene scene({{"root", "(subLayers = [@a@ (offset = 5; scale = 2), @b@])\ndef \"P\"\n{\n}\n"},
               {"a", "(subLayers = [@c@ (offset = 10; scale = 3)])\nover \"P\"\n{\n}\n"},
               {"b", "(timeCodesPerSecond = 48)\nover \"P\"\n{\n}\n"},
               {"c", "over \"P\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P c/P b/P");
  const PrimIndexRef ref = scene.Compose("/P");
  EXPECT_EQ(ref.OffsetOf(ref.index->sites()[2]), (LayerOffset{25, 6}));
  EXPECT_EQ(ref.OffsetOf(ref.index->sites()[3]), (LayerOffset{0, 0.5}));
}

TEST(Composer, SublayerTroubleIsData) {
  Scene scene({{"root", "(subLayers = [@a@ (scale = -1), @gone@])\ndef \"P\"\n{\n}\n"},
               {"a", "(subLayers = [@root@])\nover \"P\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P");
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerOffset InvalidSublayerPath SublayerCycle ");
}

TEST(Composer, MutedLayersAreLeftOut) {
  CompositionOptions options;
  options.muted_layers = {"a"};
  Scene scene({{"root", "(subLayers = [@a@])\ndef \"P\" (references = @a@</P>)\n{\n}\n"},
               {"a", "over \"P\"\n{\n}\n"}},
              options);
  EXPECT_EQ(scene.Stack("/P"), "root/P");
  EXPECT_EQ(scene.Errors("/P"), "MutedAssetPath ");
}

const char kEveryArc[] = R"(
class "I"
{
}
def "Ref"
{
}
def "Pay"
{
}
class "S"
{
}
def "P" (
    inherits = </I>
    references = </Ref>
    payload = </Pay>
    specializes = </S>
    variants = { string v = "x" }
    variantSets = "v"
)
{
    variantSet "v" = {
        "x" {
            def "InVariant"
            {
            }
        }
    }
}
)";

TEST(Composer, ArcsInStrengthOrder) {
  Scene scene(Texts{{"root", kEveryArc}});
  EXPECT_EQ(scene.Stack("/P"), "root/P root/I root/P{v=x} root/Ref root/Pay root/S");
  EXPECT_EQ(scene.Children("/P"), "InVariant ");
  EXPECT_EQ(scene.Compose("/P").index->Dump(),
            "root root /P\n    root\n"
            "  inherit root /I [/ -> /, /I -> /P]\n      root\n"
            "  variant root /P{v=x}\n      root\n"
            "  reference root /Ref [/ -> /, /Ref -> /P]\n      root\n"
            "  payload root /Pay [/ -> /, /Pay -> /P]\n      root\n"
            "  specialize root /S [/ -> /, /S -> /P]\n      root\n");
}

TEST(Composer, PayloadsFollowThePredicate) {
  CompositionOptions options;
  options.include_payload = [](Path path) { return path.ToString() != "/P"; };
  Scene scene({{"root", kEveryArc}}, options);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/I root/P{v=x} root/Ref root/S");
  EXPECT_TRUE(scene.Compose("/P").index->has_payloads());
  EXPECT_FALSE(scene.Compose("/P").index->payload_loaded());
}

TEST(Composer, ClassesAreImpliedAcrossReferences) {
  const Texts texts = {{"root", R"(
class "C"
{
}
def "P" (references = @ref@</R>)
{
    class "L"
    {
    }
    over "X"
    {
    }
})"},
                       {"ref", R"(
class "C"
{
}
def "R" (inherits = </C>)
{
    class "L"
    {
    }
    def "X" (specializes = </R/L>)
    {
    }
})"}};
  Scene scene(texts);
  EXPECT_EQ(scene.Stack("/P"), "root/P root/C ref/R ref/C");
  EXPECT_EQ(scene.Stack("/P/X"), "root/P/X ref/R/X root/P/L ref/R/L");
}

TEST(Composer, SelectionsComeFromStrongerLayersAndFallbacks) {
  const Texts texts = {{"root", R"(
def "P" (references = @ref@</R>; variants = { string v = "b" })
{
}
def "Q" (references = @ref@</R>)
{
}
def "N" (references = @ref@</S>)
{
})"},
                       {"ref", R"(
def "R" (variants = { string v = "a" }; variantSets = "v")
{
    variantSet "v" = {
        "a" {
        }
        "b" {
        }
    }
}
def "S" (variantSets = "w")
{
    variantSet "w" = {
        "one" {
        }
        "two" {
        }
    }
})"}};
  CompositionOptions options;
  options.variant_fallbacks = {{"w", {"none", "two"}}};
  Scene scene(texts, options);
  EXPECT_EQ(scene.Stack("/P"), "root/P ref/R ref/R{v=b}");
  EXPECT_EQ(scene.Stack("/Q"), "root/Q ref/R ref/R{v=a}");
  EXPECT_EQ(scene.Stack("/N"), "root/N ref/S ref/S{w=two}");
  EXPECT_EQ(scene.Compose("/P").index->variant_selections(), (VariantSelections{{"v", "b"}}));
}

TEST(Composer, RelocatesMoveAndDelete) {
  Scene scene(Texts{{"root", R"((
    relocates = { </P/A>: </P/B>, </P/D>: <> }
)
def "P" (references = @ref@</R>)
{
    over "B"
    {
    }
    over "A"
    {
    }
})"},
                    {"ref", R"(
def "R"
{
    def "A"
    {
        def "X"
        {
        }
    }
    def "B"
    {
    }
    def "D"
    {
    }
})"}});
  EXPECT_EQ(scene.Children("/P"), "B ");
  EXPECT_EQ(scene.Stack("/P/B"), "root/P/B ref/R/A");
  EXPECT_EQ(scene.Stack("/P/B/X"), "ref/R/A/X");
  EXPECT_EQ(scene.Stack("/P/D"), "");
  EXPECT_EQ(scene.Errors("/P/B"), "OpinionAtRelocationSource ");
}

TEST(Composer, InvalidRelocatesAreIgnored) {
  Scene scene(Texts{{"root", R"((
    relocates = { </P/A>: </P/A>, </P/B>: </P/X>, </P/C>: </P/X>, </P/E>: </P/F>, </P/F>: </P/G> }
)
def "P"
{
})"}});
  EXPECT_EQ(scene.StackErrors(),
            "InvalidAuthoredRelocation InvalidSameTargetRelocations "
            "InvalidConflictingRelocation InvalidConflictingRelocation ");
}

TEST(Composer, ArcTroubleIsData) {
  Scene scene(Texts{{"root", R"(
def "A" (references = </A/B>)
{
}
def "Gone" (references = [@none@, </Nowhere>])
{
}
def "NoDefault" (references = @ref@)
{
}
def "Times" (references = @ref@</R> (scale = 0))
{
}
def "Bad" (references = @`${NOPE}`@)
{
})"},
                    {"ref", "def \"R\"\n{\n}\n"}});
  EXPECT_EQ(scene.Errors("/A"), "ArcCycle ");
  EXPECT_EQ(scene.Errors("/Gone"), "InvalidAssetPath UnresolvedPrimPath ");
  EXPECT_EQ(scene.Errors("/NoDefault"), "UnresolvedPrimPath ");
  EXPECT_EQ(scene.Errors("/Times"), "InvalidReferenceOffset ");
  EXPECT_EQ(scene.Stack("/Times"), "root/Times ref/R");
  EXPECT_EQ(scene.Errors("/Bad"), "VariableExpressionError ");
}

TEST(Composer, ExpressionVariablesReachReferencedStacks) {
  Scene scene(Texts{{"root", R"((
    expressionVariables = { string WHICH = "b" }
)
def "P" (references = @`"mid"`@</M>)
{
})"},
                    {"mid", R"((
    expressionVariables = { string WHICH = "a" }
)
def "M" (references = @`"leaf_${WHICH}"`@</L>)
{
})"},
                    {"leaf_a", "def \"L\"\n{\n}\n"},
                    {"leaf_b", "def \"L\"\n{\n}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P mid/M leaf_b/L");
}

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

TEST(Composer, AnAssetIsComposedOnceWhereNobodyElseSpeaks) {
  Scene scene(City());
  const auto index = [&](const char* path) { return scene.Compose(path).index; };
  EXPECT_EQ(index("/One/Room/Chair/Seat/Cushion"), index("/Two/Room/Chair/Seat/Cushion"));
  EXPECT_EQ(index("/One/Room/Table"), index("/Four/Room/Table"));
  // Opinions, other variants and classes of the place keep them apart.
  EXPECT_NE(index("/One/Room/Chair"), index("/Two/Room/Chair"));
  EXPECT_NE(index("/One/Room"), index("/Three/Room"));
  EXPECT_NE(index("/One/Room/Table/Leg"), index("/Two/Room/Table/Leg"));
  EXPECT_EQ(scene.Stack("/One/Room/Table/Leg"), "root/_global house/House/Room/Table/Leg");
}

TEST(Composer, SharedIndexesAreSeenFromEachPlace) {
  Scene scene(City());
  const PrimIndexRef two = scene.Compose("/Two/Room/Chair/Seat");
  ASSERT_EQ(two.index->sites().size(), 1u);
  EXPECT_EQ(two.MapToStage(0, *Path::Parse("/Chair/Seat/Cushion")).ToString(),
            "/Two/Room/Chair/Seat/Cushion");
  EXPECT_EQ(two.OffsetOf(two.index->sites()[0]), (LayerOffset{10, 1}));
  EXPECT_EQ(two.ArcOf(0), Arc::kReference);
}

// Three streets of houses whose furniture inherits classes that the root layer, and in one place
// the street's, has opinions about.
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

TEST(Composer, OpinionsAboutGlobalClassesAreComposedOnceForAllPlaces) {
  Scene scene(Streets());
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

TEST(Composer, ClassesOfManyPlacesPointToWhereEachPlaceIs) {
  Scene scene(Streets());
  const PrimIndexRef table = scene.Compose("/Town/E/House/Room/Table");
  const auto map = [&](uint32_t site, const char* path) {
    return table.MapToStage(table.index->sites()[site].node, *Path::Parse(path)).ToString();
  };
  EXPECT_EQ(map(0, "/_wood/Knot"), "/Town/E/House/Room/Table/Knot");
  EXPECT_EQ(map(0, "/Town/B/House"), "/Town/B/House");
  EXPECT_EQ(map(0, "/Town/E/House/Room"), "/Town/E/House/Room");
  EXPECT_EQ(map(0, "/Town/E/House/Room/Table"), "");
  EXPECT_EQ(map(2, "/Table/Leg"), "/Town/E/House/Room/Table/Leg");
}

TEST(Composer, NodesKnowTheSpecsOfTheirSites) {
  Scene scene(Streets());
  for (const char* path : {"/Town/C/House/Room/Shelf", "/Town/E/House/Room/Table/Leg/Toe"}) {
    const PrimIndexRef ref = scene.Compose(path);
    size_t specs = 0;
    for (const PrimIndexNode& node : ref.index->nodes()) {
      if (!node.inert) specs += ref.index->SpecsOf(node).size();
      EXPECT_EQ(ref.index->SpecsOf(node).empty(), !node.has_specs) << path;
    }
    EXPECT_EQ(specs, ref.index->sites().size()) << path;
    for (const PrimSite& site : ref.index->sites()) {
      const auto own = ref.index->SpecsOf(ref.index->nodes()[site.node]);
      EXPECT_TRUE(std::any_of(own.begin(), own.end(), [&](const StackSpec& spec) {
        return spec.spec == site.spec && spec.layer == site.stack_index;
      })) << path;
    }
  }
}

// Everything the two ways say about a subtree must be the same.
void ExpectSame(Scene& shared, Scene& plain, const PrimIndexRef& a, const PrimIndexRef& b,
                Path path) {
  ASSERT_EQ(a.index->sites().size(), b.index->sites().size()) << path.ToString();
  for (size_t i = 0; i < a.index->sites().size(); ++i) {
    const PrimSite& sa = a.index->sites()[i];
    const PrimSite& sb = b.index->sites()[i];
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
  EXPECT_EQ(a.index->property_names(), b.index->property_names());
  ASSERT_EQ(a.index->child_names(), b.index->child_names()) << path.ToString();
  for (const Token name : a.index->child_names()) {
    ExpectSame(shared, plain, shared.composer().ComposeChild(shared.context(), a, path, name),
               plain.composer().ComposeChild(plain.context(), b, path, name),
               path.AppendChild(name));
  }
}

TEST(Composer, SharingChangesNothing) {
  CompositionOptions unshared;
  unshared.share_subtrees = false;
  for (const Texts& texts : {City(), Streets(), Texts{{"root", kEveryArc}}}) {
    Scene shared(texts);
    Scene plain(texts, unshared);
    ExpectSame(shared, plain, shared.composer().ComposeRoot(shared.context()),
               plain.composer().ComposeRoot(plain.context()), Path::AbsoluteRoot());
  }
}

TEST(Composer, InstancesNeedAnArcToShare) {
  Scene scene(Texts{{"root", R"(
def "Proto"
{
    def "X"
    {
    }
}
def "A" (instanceable = true; references = </Proto>)
{
    over "X"
    {
    }
    def "Own"
    {
    }
}
def "B" (instanceable = true; references = </Proto>)
{
}
def "C" (instanceable = true)
{
    def "Own"
    {
    }
})"}});
  EXPECT_TRUE(scene.Compose("/A").index->instanceable());
  EXPECT_EQ(scene.Children("/A"), "X ");
  EXPECT_EQ(scene.Stack("/A/X"), "root/Proto/X");
  EXPECT_EQ(scene.Compose("/A").InstanceKey(), scene.Compose("/B").InstanceKey());
  EXPECT_FALSE(scene.Compose("/C").index->instanceable());
  EXPECT_EQ(scene.Children("/C"), "Own ");
}

}  // namespace
}  // namespace stagedoor
