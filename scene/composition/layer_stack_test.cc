// Layer stacks: their layers, the order and the time offsets (Core Specification, 10.3.1).
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

TEST(LayerStackTest, SublayersAreOrderedDepthFirst) {
  ComposedScene scene({{"root", "(subLayers = [@b@, @a@])\ndef \"P\" {}\n"},
                       {"a", "over \"P\" {}\n"},
                       {"b", "(subLayers = [@d@, @c@])\nover \"P\" {}\n"},
                       {"c", "over \"P\" {}\n"},
                       {"d", "over \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P b/P d/P c/P a/P");
}

TEST(LayerStackTest, TheSessionWithItsSublayersIsStrongest) {
  ComposedScene scene({{"root", "(subLayers = [@a@])\ndef \"P\" {}\n"},
                       {"session", "(subLayers = [@s@ (offset = 4)])\nover \"P\" {}\n"},
                       {"a", "over \"P\" {}\n"},
                       {"s", "over \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "session/P s/P root/P a/P");
  EXPECT_EQ(scene.Offsets("/P"), "0,1 4,1 0,1 0,1");
}

TEST(LayerStackTest, AMutedSessionLayerIsIgnored) {
  CompositionOptions options;
  options.muted_layers = {"session", "a"};
  ComposedScene scene({{"root", "(subLayers = [@a@, @b@])\ndef \"P\" {}\n"},
                       {"session", "(timeCodesPerSecond = 48)\nover \"P\" {}\n"},
                       {"a", "(subLayers = [@c@])\nover \"P\" {}\n"},
                       {"b", "over \"P\" {}\n"},
                       {"c", "over \"P\" {}\n"}},
                      options);
  EXPECT_EQ(scene.Stack("/P"), "root/P b/P");
  EXPECT_EQ(scene.Offsets("/P"), "0,1 0,1");
  EXPECT_EQ(scene.StackErrors(), "");
}

TEST(LayerStackTest, TheRateOfTheSessionLayerIsStronger) {
  ComposedScene set({{"root", "(timeCodesPerSecond = 24)\ndef \"P\" {}\n"},
                     {"session", "(timeCodesPerSecond = 48)\nover \"P\" {}\n"}});
  ComposedScene frames(
      {{"root", "def \"P\" {}\n"}, {"session", "(framesPerSecond = 12)\nover \"P\" {}\n"}});
  ComposedScene both({{"root", "(timeCodesPerSecond = 24)\ndef \"P\" {}\n"},
                      {"session", "(framesPerSecond = 12)\nover \"P\" {}\n"}});
  ComposedScene no(
      {{"root", "(timeCodesPerSecond = 48)\ndef \"P\" {}\n"}, {"session", "over \"P\" {}\n"}});
  EXPECT_EQ(set.Offsets("/P"), "0,1 0,2");
  EXPECT_EQ(set.composer().root_layer_stack()->time_codes_per_second(), 48);
  EXPECT_EQ(frames.Offsets("/P"), "0,1 0,0.5");
  EXPECT_EQ(frames.composer().root_layer_stack()->time_codes_per_second(), 12);
  EXPECT_EQ(both.Offsets("/P"), "0,2 0,1");
  EXPECT_EQ(both.composer().root_layer_stack()->time_codes_per_second(), 24);
  EXPECT_EQ(no.Offsets("/P"), "0,2 0,1");
}

TEST(LayerStackTest, OffsetsAndRatesOfSublayersAreConcatenated) {
  ComposedScene scene({{"root", "(subLayers = [@a@ (offset = 10; scale = 2)])\ndef \"P\" {}\n"},
                       {"a", R"((timeCodesPerSecond = 48
subLayers = [@b@ (offset = 1)])
over "P" {}
)"},
                       {"b", "(timeCodesPerSecond = 12)\nover \"P\" {}\n"}});
  EXPECT_EQ(scene.Offsets("/P"), "0,1 10,1 11,4");
}

TEST(LayerStackTest, RatesWithoutARatioThatCanBeInvertedAreIgnored) {
  const std::pair<std::string, std::string> kRates[] = {{"0", "24"}, {"24", "0"}, {"1e-320", "24"}};
  for (const auto& [outer, inner] : kRates) {
    ComposedScene scene({{"root", "(timeCodesPerSecond = " + outer +
                                      "\nsubLayers = [@a@ (scale = 3)])\ndef \"P\" {}\n"},
                         {"a", "(timeCodesPerSecond = " + inner + ")\nover \"P\" {}\n"}});
    EXPECT_EQ(scene.Offsets("/P"), "0,1 0,3") << outer << " and " << inner;
  }
}

TEST(LayerStackTest, InvalidSublayerOffsetsAreIgnored) {
  ComposedScene scene({{"root", "(subLayers = [@a@ (offset = 3; scale = -2)])\ndef \"P\" {}\n"},
                       {"a", "(timeCodesPerSecond = 48)\nover \"P\" {}\n"}});
  EXPECT_EQ(scene.Offsets("/P"), "0,1 0,0.5");
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerOffset ");
  EXPECT_EQ(scene.StackMessages(),
            "root: the layer offset of sublayer a (offset 3, scale -2) is ignored; "
            "the scale must be positive\n");
}

TEST(LayerStackTest, SublayerCyclesAreErrors) {
  ComposedScene scene({{"root", "(subLayers = [@a@, @b@])\ndef \"P\" {}\n"},
                       {"a", "(subLayers = [@b@])\nover \"P\" {}\n"},
                       {"b", "(subLayers = [@a@])\nover \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P b/P b/P a/P");
  EXPECT_EQ(scene.StackErrors(), "SublayerCycle SublayerCycle ");
  EXPECT_EQ(
      scene.StackMessages(),
      "b: cannot add sublayer a: it includes this layer, which forms a cycle; remove one of them\n"
      "a: cannot add sublayer b: it includes this layer, which forms a cycle; remove one of "
      "them\n");
}

TEST(LayerStackTest, MissingSublayersAreErrors) {
  ComposedScene scene(
      {{"root", "(subLayers = [@gone@, @a@])\ndef \"P\" {}\n"}, {"a", "over \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P");
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerPath ");
  EXPECT_EQ(scene.StackMessages(), "root: cannot open sublayer 'gone': gone\n");
}

TEST(LayerStackTest, TheSublayerOfTheSessionOwnerComesFirst) {
  ComposedScene owned({{"root",
                        "(hasOwnedSubLayers = true\nsubLayers = [@a@, @b@, @c@])\n"
                        "def \"P\" {}\n"},
                       {"session", "(sessionOwner = \"bob\")\n"},
                       {"a", "(owner = \"ann\")\nover \"P\" {}\n"},
                       {"b", "over \"P\" {}\n"},
                       {"c", "(owner = \"bob\")\nover \"P\" {}\n"}});
  EXPECT_EQ(owned.Stack("/P"), "root/P c/P a/P b/P");
  EXPECT_EQ(owned.StackErrors(), "");
}

TEST(LayerStackTest, OwnersAreIgnoredWithoutHasOwnedSubLayers) {
  ComposedScene scene({{"root", "(subLayers = [@a@, @b@])\ndef \"P\" {}\n"},
                       {"session", "(sessionOwner = \"bob\")\n"},
                       {"a", "over \"P\" {}\n"},
                       {"b", "(owner = \"bob\")\nover \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P b/P");
}

TEST(LayerStackTest, SeveralSublayersOfTheOwnerAreAnError) {
  ComposedScene scene({{"root",
                        "(hasOwnedSubLayers = true\nsubLayers = [@a@, @b@, @c@])\n"
                        "def \"P\" {}\n"},
                       {"session", "(sessionOwner = \"bob\")\n"},
                       {"a", "over \"P\" {}\n"},
                       {"b", "(owner = \"bob\")\nover \"P\" {}\n"},
                       {"c", "(owner = \"bob\")\nover \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P b/P c/P a/P");
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerOwnership ");
  EXPECT_EQ(scene.StackMessages(), "root: more than one sublayer has the owner 'bob'\n");
}

TEST(LayerStackTest, SublayersMayBeExpressions) {
  ComposedScene scene({{"root", R"((expressionVariables = { string A = "a"
string B = "none" }
subLayers = [@`"${A}"`@, @`"${B}"`@, @`if(false, "a")`@, @`${NOPE}`@])
def "P" {}
)"},
                       {"session", "(expressionVariables = { string B = \"b\" })\n"},
                       {"a", "over \"P\" {}\n"},
                       {"b", "over \"P\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P a/P b/P");
  EXPECT_EQ(scene.StackErrors(), "VariableExpressionError ");
  EXPECT_EQ(scene.StackMessages(),
            "root: cannot evaluate sublayer `${NOPE}`: No value for variable 'NOPE'\n");
}

TEST(LayerStackTest, VariablesOfReferencingStacksAreStronger) {
  ComposedScene scene({{"root", R"((expressionVariables = { string A = "a" })
def "P" (references = @r@</R>) {}
)"},
                       {"r", R"((expressionVariables = { string A = "x"
string B = "b" }
subLayers = [@`"${A}"`@, @`"${B}"`@])
def "R" {}
)"},
                       {"a", "over \"R\" {}\n"},
                       {"b", "over \"R\" {}\n"},
                       {"x", "over \"R\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R a/R b/R");
}

TEST(LayerStackTest, ALayerHasOneStackPerSetOfVariables) {
  ComposedScene scene({{"root", R"(
def "P" (references = [@r@</R>, @m@</M>]) {}
def "Q" (references = @r@</R>) {}
)"},
                       {"m", R"((expressionVariables = { string A = "a" })
def "M" (references = @r@</R>) {}
)"},
                       {"r", "(subLayers = [@`\"${A}\"`@])\ndef \"R\" {}\n"},
                       {"a", "over \"R\" {}\n"}});
  EXPECT_EQ(scene.Stack("/P"), "root/P r/R m/M r/R a/R");
  scene.Compose("/Q");
  EXPECT_EQ(scene.composer().LayerStacks().size(), 4u);
}

// The limits are ours; usd-core has none.
TEST(LayerStackTest, SublayerNestingIsBounded) {
  Texts texts;
  for (int i = 0; i < 300; ++i) {
    texts["l" + std::to_string(i)] = "(subLayers = [@l" + std::to_string(i + 1) + "@])\n";
  }
  texts["root"] = "(subLayers = [@l0@])\n";
  ComposedScene scene(texts);
  EXPECT_EQ(scene.composer().root_layer_stack()->layers().size(), 256u);
  EXPECT_EQ(scene.StackMessages(),
            "l255: cannot add the layer: sublayers are nested too deeply; flatten them\n");
}

TEST(LayerStackTest, TheNumberOfLayersIsBounded) {
  std::string many_a, many_b;
  for (int i = 0; i < 150; ++i) many_a += "@a@,", many_b += "@b@,";
  ComposedScene scene(Texts{{"root", "(subLayers = [" + many_a + "])\n"},
                            {"a", "(subLayers = [" + many_b + "])\n"},
                            {"b", ""}});
  EXPECT_EQ(scene.composer().root_layer_stack()->layers().size(), size_t{1} << 14);
  EXPECT_EQ(scene.StackErrors(), "InvalidSublayerPath ");
}

TEST(LayerStackTest, TheDefaultPrimComesFromTheRootLayer) {
  ComposedScene scene(
      {{"root", "(defaultPrim = \"P\")\n"}, {"session", "(defaultPrim = \"S\")\n"}});
  const LayerStack& stack = *scene.composer().root_layer_stack();
  EXPECT_EQ(stack.default_prim().ToString(), "/P");
  EXPECT_EQ(stack.root_layer().identifier(), "root");
  EXPECT_EQ(stack.root_index(), 1u);
  EXPECT_TRUE(stack.layers()[0].session);
  EXPECT_FALSE(stack.layers()[1].session);
}

}  // namespace
}  // namespace stagedoor
