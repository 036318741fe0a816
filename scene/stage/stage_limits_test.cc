// The work that content and requests can cause, and its limits.
#include <string>
#include <vector>

#include "base/pacer.h"
#include "gtest/gtest.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/clips/clip_template.h"
#include "scene/export/flatten.h"
#include "scene/export/flatten_layer_stack.h"
#include "scene/layer/field_keys.h"
#include "scene/stage/collection.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/value_resolution/explanation.h"

namespace stagedoor {
namespace {

RequestLimits Steps(uint64_t steps) { return {.max_steps = steps}; }
constexpr auto kNoDeadline = RequestContext::Clock::time_point::max();

class StageLimitsTest : public testing::Test {
 protected:
  std::string Number(int i) { return std::to_string(i); }
  TestScene scene_;
};

// A prim with `count` variant sets of two variants each.
std::string PrimWithVariantSets(int count) {
  std::string names, sets;
  for (int i = 0; i < count; ++i) {
    const std::string name = "s" + std::to_string(i);
    names += "\"" + name + "\", ";
    sets += "variantSet \"" + name + "\" = {\n\"b\" {\n}\n\"a\" {\n}\n}\n";
  }
  return "def \"A\" (\nvariantSets = [" + names + "]\nvariants = { string s7 = \"b\" }\n)\n{\n" +
         sets + "}\n";
}

TEST_F(StageLimitsTest, ListingVariantSetsTakesLinearTime) {
  scene_.Write("a.usda", PrimWithVariantSets(2000));
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  RequestContext context;
  const std::vector<VariantSetInfo> sets = stage->FindPrim("/A").VariantSets(context);
  ASSERT_EQ(sets.size(), 2000u);
  for (const VariantSetInfo& set : sets) {
    EXPECT_EQ(set.choices, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(set.selection, set.name == "s7" ? "b" : "");
  }
  EXPECT_LT(context.steps(), 40000u);

  RequestContext few(kNoDeadline, Steps(500));
  stage->FindPrim("/A").VariantSets(few);
  EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(StageLimitsTest, NestedIncludesAreTraversedOnce) {
  constexpr int kDepth = 100;
  std::string includes, path, prims, ends;
  for (int i = 0; i < kDepth; ++i) {
    path += "/p";
    includes += "<" + path + ">, ";
    prims += "def \"p\" {\n";
    ends += "}\n";
  }
  scene_.Write("a.usda", "def \"W\" (\napiSchemas = [\"CollectionAPI:c\"]\n)\n{\n" +
                             ("rel collection:c:includes = [" + includes + "]\n}\n") + prims +
                             ends);
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Collection collection(stage->FindPrim("/W"), Token("c"));
  const CollectionMembershipQuery membership = collection.ComputeMembershipQuery(scene_.context());
  RequestContext context;
  EXPECT_EQ(membership.Members(context, PrimFlagsPredicate::All()).size(), size_t{kDepth});
  EXPECT_LT(context.steps(), uint64_t{kDepth * kDepth / 4});
}

TEST_F(StageLimitsTest, MappingTargetsCountsAsSteps) {
  std::string text, targets;
  for (int i = 0; i < 1000; ++i) {
    targets += "</C100/p" + Number(i) + ">, ";
  }
  for (int i = 0; i < 100; ++i) {
    text += "def \"C" + Number(i) + "\" (references = </C" + Number(i + 1) + ">)\n{\n}\n";
  }
  scene_.Write("a.usda", text + "def \"C100\"\n{\nrel r = [" + targets + "]\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Relationship r(stage->FindProperty(P("/C0.r")));
  RequestContext context;
  EXPECT_EQ(r.Targets(context).size(), 1000u);
  EXPECT_EQ(r.Targets(context)[999], P("/C0/p999"));
  EXPECT_GE(context.steps(), 2 * 1000u * 100u);

  RequestContext few(kNoDeadline, Steps(5000));
  EXPECT_LT(r.ForwardedTargets(few).size(), 1000u);
  EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(StageLimitsTest, MatchingExpressionsCountsAsSteps) {
  std::string prims, patterns;
  for (int i = 0; i < 500; ++i) {
    prims += "def \"p" + Number(i) + "\"\n{\n}\n";
    patterns += "//*x" + Number(i) + "* ";
  }
  scene_.Write("a.usda",
               "def \"A\" (apiSchemas = [\"CollectionAPI:c\"])\n{\n"
               "pathExpression collection:c:membershipExpression = \"" +
                   patterns + "/A/p3\"\n" + prims + "}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Collection collection(stage->FindPrim("/A"), Token("c"));
  RequestContext context;
  const CollectionMembershipQuery members = collection.ComputeMembershipQuery(context);
  EXPECT_EQ(members.Members(context, PrimFlagsPredicate::All()), std::vector<Path>{P("/A/p3")});
  EXPECT_GE(context.steps(), 500u * 500u);

  RequestContext few(kNoDeadline, Steps(50000));
  members.Members(few, PrimFlagsPredicate::All());
  EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(few.steps(), 60000u);
}

TEST_F(StageLimitsTest, ReadingPathExpressionsCountsAsSteps) {
  std::string patterns;
  for (int i = 0; i < 500; ++i) patterns += "//*x" + Number(i) + "* ";
  scene_.Write("a.usda", "def \"A\"\n{\npathExpression e = \"" + patterns + "\"\n" +
                             "pathExpression[] es = [\"" + patterns + "\"]\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  for (const char* name : {"e", "es"}) {
    const Attribute attribute = stage->FindPrim("/A").GetAttribute(Token(name));
    RequestContext context, few(kNoDeadline, Steps(patterns.size() / 2));
    attribute.Get(context, TimeCode::Default());
    EXPECT_GE(context.steps(), patterns.size() - 1) << name;  // without the trailing space
    attribute.Get(few, TimeCode::Default());
    EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted) << name;
  }
}

// Opinions that refer to the weaker one twice double it each.
TEST_F(StageLimitsTest, ComposedPathExpressionsAreBounded) {
  constexpr int kLayers = 40;
  for (int i = 0; i < kLayers; ++i) {
    const std::string sub =
        i + 1 < kLayers ? "(\nsubLayers = [@" + Number(i + 1) + ".usda@]\n)\n" : "";
    scene_.Write(Number(i) + ".usda",
                 sub + "over \"A\" { pathExpression e = \"/A + %_ + (%_ - /B)\"; }\n");
  }
  const auto stage = scene_.Open(Number(0) + ".usda");
  ASSERT_TRUE(stage);
  RequestContext context;
  stage->FindPrim("/A").GetAttribute(Token("e")).Get(context, TimeCode::Default());
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted);
}

// Every query pays for all clip sets, even if their files are missing.
TEST_F(StageLimitsTest, SearchingClipSetsCountsAsSteps) {
  std::string sets;
  for (int i = 0; i < 200; ++i) {
    sets += "dictionary s" + Number(i) + " = {\nstring primPath = \"/A\"\n" +
            "asset manifestAssetPath = @none.usda@\nasset[] assetPaths = [@none.usda@]\n" +
            "double2[] active = [(0, 0)]\n}\n";
  }
  scene_.Write("a.usda", "def \"A\" (clips = {\n" + sets + "})\n{\ndouble a\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Attribute attribute = stage->FindPrim("/A").GetAttribute(Token("a"));
  attribute.Get(scene_.context(), TimeCode::At(1));
  RequestContext context, few(kNoDeadline, Steps(2000));
  PropertyStackAt(context, attribute.Site(), TimeCode::At(1));
  EXPECT_GE(context.steps(), 200u * 32);
  PropertyStackAt(few, attribute.Site(), TimeCode::At(1));
  EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
}

// Each expression refers to the next one several times.
TEST_F(StageLimitsTest, ExponentialExpressionsAreLimited) {
  std::string apis, attributes;
  for (int i = 0; i < 20; ++i) {
    const std::string next = "%/A:c" + Number(i + 1);
    std::string terms = next;
    for (int k = 0; k < 7; ++k) terms += " + " + next;
    apis += "\"CollectionAPI:c" + Number(i) + "\", ";
    attributes +=
        "pathExpression collection:c" + Number(i) + ":membershipExpression = \"" + terms + "\"\n";
  }
  attributes += "pathExpression collection:c20:membershipExpression = \"/A//\"\n";
  scene_.Write("a.usda", "def \"A\" (apiSchemas = [" + apis + "\"CollectionAPI:c20\"])\n{\n" +
                             attributes + "}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  RequestContext context;
  Collection(stage->FindPrim("/A"), Token("c0")).ComputeMembershipQuery(context);
  EXPECT_LT(context.steps(), 10000000u);
}

TEST_F(StageLimitsTest, FlatteningLayersCountsAsSteps) {
  std::string text = "def \"A\"\n{\n";
  for (int i = 0; i < 1000; ++i) text += "int p" + Number(i) + " = 1\n";
  scene_.Write("a.usda", text + "}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  RequestContext context(kNoDeadline, Steps(2000));
  EXPECT_EQ(FlattenLayerStack(context, *stage, {}).status().code(),
            absl::StatusCode::kResourceExhausted);
  RequestContext enough;
  EXPECT_TRUE(FlattenLayerStack(enough, *stage, {}).ok());
}

TEST_F(StageLimitsTest, MergingDictionariesCountsAsSteps) {
  constexpr int kLayers = 50, kKeys = 200;
  std::string layers;
  for (int i = 0; i < kLayers; ++i) {
    std::string keys;
    for (int k = 0; k < kKeys; ++k) keys += "int k" + Number(k) + "_" + Number(i) + " = 1\n";
    const std::string name = "layer" + Number(i) + ".usda";
    scene_.Write(name, "over \"A\" (\ncustomData = {\n" + keys + "})\n{\nint x (customData = {\n" +
                           keys + "})\n}\n");
    layers += "@./" + name + "@, ";
  }
  scene_.Write("a.usda", "(subLayers = [" + layers + "])\ndef \"A\"\n{\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const Prim prim = stage->FindPrim("/A");
  const Attribute attribute = prim.GetAttribute(Token("x"));
  RequestContext context;
  const Value merged = prim.Metadata(context, Fields().customData);
  ASSERT_TRUE(merged.Is<Dictionary>());
  EXPECT_EQ(merged.Get<Dictionary>()->size(), size_t{kLayers * kKeys});
  EXPECT_EQ(attribute.Metadata(context, Fields().customData), merged);
  EXPECT_EQ(context.reserved_bytes(), 0u);

  const auto ends = [](const auto& ask) {
    RequestContext few(kNoDeadline, Steps(15000));
    ask(few);
    EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_LT(few.steps(), 15000 + 3 * Pacer::kStride);
  };
  ends([&](RequestContext& few) { prim.AllMetadata(few); });
  ends([&](RequestContext& few) { attribute.AllMetadata(few); });
  ends([&](RequestContext& few) { (void)FlattenStage(few, *stage, {}, nullptr).ok(); });
  ends([&](RequestContext& few) { (void)FlattenLayerStack(few, *stage, {}).ok(); });
}

TEST_F(StageLimitsTest, ApiSchemasCountAsStepsOfOpening) {
  constexpr int kPrims = 20, kItems = 1000;
  std::string names, text;
  for (int i = 0; i < kItems; ++i) names += "\"S" + Number(i) + "API\", ";
  for (int i = 0; i < kPrims; ++i) {
    text += "def \"P" + Number(i) + "\" (delete apiSchemas = [" + names + "])\n{\n}\n";
  }
  scene_.Write("a.usda", text);
  ASSERT_TRUE(scene_.Open("a.usda"));  // so that the layer is open already
  RequestContext context;
  StageOptions options;
  options.root = "/a.usda";
  ASSERT_TRUE(Stage::Open(context, scene_.environment(), options).ok());
  EXPECT_GE(context.steps(), uint64_t{kPrims * kItems});
}

TEST_F(StageLimitsTest, ComposingClipSetsCountsAsSteps) {
  std::string sets;
  for (int i = 0; i < 500; ++i) {
    sets += "dictionary s" + Number(i) +
            " = {\nstring primPath = \"/A\"\nasset[] assetPaths = [@./c.usda@]\n"
            "double2[] active = [(0, 0)]\n}\n";
  }
  scene_.Write("a.usda", "def \"A\" (clips = {\n" + sets + "})\n{\n}\n");
  const auto stage = scene_.Open("a.usda");
  ASSERT_TRUE(stage);
  const PrimIndexRef& index = stage->FindPrim("/A").index();
  RequestContext enough;
  EXPECT_EQ(ComputeClipSetDefinitions(enough, index).size(), 500u);
  RequestContext few(kNoDeadline, Steps(2000));
  ComputeClipSetDefinitions(few, index);
  EXPECT_EQ(few.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(StageLimitsTest, LongFileNamesCostMoreSteps) {
  const auto steps = [](const std::string& folder) {
    const ClipTemplate pattern = {.asset_path = folder + "c.#.usda", .end = 99, .stride = 1};
    RequestContext context;
    int checks = 0;
    EXPECT_TRUE(DeriveClips(context, pattern, [&](const std::string&) {
                  ++checks;
                  return false;
                }).ok());
    EXPECT_EQ(checks, 100);
    return context.steps();
  };
  EXPECT_LT(steps("./"), 100u * 200);
  EXPECT_GE(steps(std::string(16000, 'x') + "/"), 100u * 1000);
}

// As in OpenUSD, a prim that the mask names does not share a prototype with one that is only below
// a path of the mask.
TEST_F(StageLimitsTest, InstancesShareAPrototypeIfTheMaskTreatsThemAlike) {
  scene_.Write("a.usda", R"(
class "R"
{
    def "c"
    {
    }
}
def "I" (instanceable = true; references = </R>)
{
}
def "G"
{
    def "I" (instanceable = true; references = </R>)
    {
    }
    def "J" (instanceable = true; references = </R>)
    {
    }
}
)");
  const auto prototypes = [&](std::vector<Path> mask) {
    StageOptions options;
    options.mask = PopulationMask(std::move(mask));
    return scene_.Open("a.usda", options)->Prototypes().size();
  };
  EXPECT_EQ(prototypes({P("/")}), 1u);
  EXPECT_EQ(prototypes({P("/I"), P("/G")}), 2u);
  EXPECT_EQ(prototypes({P("/I"), P("/G/I"), P("/G/J")}), 1u);
  EXPECT_EQ(prototypes({P("/I/c"), P("/G/I/c"), P("/G/J")}), 2u);
}

TEST_F(StageLimitsTest, LargeMasksAnswerLikeSmallOnes) {
  std::vector<Path> paths;
  for (int i = 0; i < 1000; ++i) paths.push_back(P("/A/p" + Number(i) + "/x"));
  paths.push_back(P("/A/p5/x/below"));
  const PopulationMask mask(paths);
  for (const char* in : {"/", "/A", "/A/p5", "/A/p5/x", "/A/p999/x/deep/er"}) {
    EXPECT_TRUE(mask.Includes(P(in))) << in;
  }
  for (const char* out : {"/B", "/A/p", "/A/p5/y", "/A/p1000"}) {
    EXPECT_FALSE(mask.Includes(P(out))) << out;
  }
  EXPECT_TRUE(mask.IncludesSubtree(P("/A/p5/x/below")));
  EXPECT_FALSE(mask.IncludesSubtree(P("/A/p5")));
  EXPECT_EQ(mask.KeyBelow(P("/A/p5")), "x;");
  EXPECT_EQ(mask.KeyBelow(P("/A/p5/x")), ".;");
  EXPECT_EQ(mask.KeyBelow(P("/A/p5/x/z")), "");
}

}  // namespace
}  // namespace stagedoor
