// Scenes whose arcs multiply: every prim takes twice the work of each prim that it refers to.
#include <string>

#include "base/memory_pool.h"
#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

// Levels of two prims, each of which has arcs to both prims of the next level.
Texts MultiplyingArcs(int levels, const std::string& arc) {
  std::string text;
  for (int i = 0; i < levels; ++i) {
    const std::string next = "</L" + std::to_string(i + 1);
    const std::string arcs = "(" + arc + " = [" + next + "/A>, " + next + "/B>])\n{\n}\n";
    text +=
        "def \"L" + std::to_string(i) + "\"\n{\ndef \"A\" " + arcs + "def \"B\" " + arcs + "}\n";
  }
  return {{"root", text + "def \"L" + std::to_string(levels) +
                       "\"\n{\ndef \"A\"\n{\n}\ndef \"B\"\n{\n}\n}\n"}};
}

PrimIndexRef ComposeUntil(ComposedScene& scene, RequestContext& context) {
  const Path root = Path::AbsoluteRoot();
  const PrimIndexRef top = scene.composer().ComposeRoot(scene.context());
  const Path above = root.AppendChild(Token("L0"));
  const PrimIndexRef parent =
      scene.composer().ComposeChild(scene.context(), top, root, Token("L0"));
  return scene.composer().ComposeChild(context, parent, above, Token("A"));
}

TEST(IndexBudgetTest, NestedIndexesObserveTheDeadline) {
  for (const std::string arc : {"references", "payload"}) {
    ComposedScene scene(MultiplyingArcs(60, arc));
    RequestContext context(RequestContext::Clock::now());
    const PrimIndexRef ref = ComposeUntil(scene, context);
    ASSERT_TRUE(ref.index) << arc;
    EXPECT_EQ(context.Check().code(), absl::StatusCode::kDeadlineExceeded) << arc;
    // Had it continued, it would have exceeded the budget and reported that.
    EXPECT_TRUE(ref.index->errors().empty()) << arc;
  }
}

TEST(IndexBudgetTest, NestedIndexesObserveCancellation) {
  ComposedScene scene(MultiplyingArcs(60, "references"));
  RequestContext context;
  context.Cancel();
  const PrimIndexRef ref = ComposeUntil(scene, context);
  EXPECT_TRUE(ref.index->errors().empty());
}

TEST(IndexBudgetTest, BoundsTheWorkAndTheErrorsWithoutADeadline) {
  Texts texts = MultiplyingArcs(60, "references");
  std::string& text = texts["root"];
  for (size_t at = 0; (at = text.find("references = [", at)) != std::string::npos; at += 20) {
    text.insert(at + 14, "@gone@</X>, ");
  }
  ComposedScene scene(texts);
  const PrimIndexRef ref = scene.Compose("/L0/A");
  EXPECT_GT(ref.index->errors().size(), 100);
  EXPECT_LE(ref.index->errors().size(), 1001);
  EXPECT_EQ(ref.index->errors().back().type, CompositionErrorType::kIndexCapacityExceeded);
  EXPECT_EQ(ref.index->prim_stack()[0].layer->identifier(), "root");
}

// A chain of classes, each with an arc to the next one, and a prim with an arc to the first.
Texts ChainOf(const std::string& arc, int length) {
  std::string text;
  for (int i = 0; i < length; ++i) {
    text += "class \"C" + std::to_string(i) + "\" (" + arc + " = </C" + std::to_string(i + 1) +
            ">)\n{\n}\n";
  }
  return {{"root", text + "class \"C" + std::to_string(length) + "\"\n{\n}\ndef \"A\" (" + arc +
                       " = </C0>)\n{\n}\n"}};
}

uint64_t StepsToCompose(const Texts& texts, size_t nodes) {
  ComposedScene scene(texts);
  const Path root = Path::AbsoluteRoot();
  const PrimIndexRef top = scene.composer().ComposeRoot(scene.context());
  RequestContext context;
  const PrimIndexRef ref = scene.composer().ComposeChild(context, top, root, Token("A"));
  EXPECT_EQ(ref.index->nodes().size(), nodes);
  EXPECT_TRUE(ref.index->errors().empty());
  return context.steps();
}

TEST(IndexBudgetTest, ClassChainsTakeLinearWork) {
  const uint64_t few = StepsToCompose(ChainOf("inherits", 400), 402);
  const uint64_t many = StepsToCompose(ChainOf("inherits", 3200), 3202);
  EXPECT_GT(few, 0u);
  EXPECT_LT(many, 12 * few);  // 8 times as long; quadratic work would be 64 times as much
}

TEST(IndexBudgetTest, ArcsAreChargedToTheRequest) {
  for (const char* arc : {"inherits", "specializes", "references", "payload"}) {
    const Texts texts = ChainOf(arc, 3000);
    ComposedScene scene(texts);
    const PrimIndexRef top = scene.composer().ComposeRoot(scene.context());
    RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 4000});
    scene.composer().ComposeChild(context, top, Path::AbsoluteRoot(), Token("A"));
    EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted) << arc;
    EXPECT_LT(context.steps(), 16000u) << arc;
  }
}

// Messages quote names of any length.
TEST(IndexBudgetTest, LongMessagesAreTruncated) {
  const std::string asset = "@" + std::string(100000, 'x') + "@";
  ComposedScene scene(Texts{
      {"root", "(subLayers = [" + asset + "])\ndef \"A\" (references = " + asset + ")\n{\n}\n"}});
  const CompositionErrors& stack = scene.composer().root_layer_stack()->errors();
  const PrimIndexRef ref = scene.Compose("/A");
  const CompositionErrors& prim = ref.index->errors();
  ASSERT_EQ(stack.size(), 1u);
  ASSERT_EQ(prim.size(), 1u);
  for (const std::string& message : {stack[0].message, prim[0].message}) {
    EXPECT_LE(message.size(), kMaxErrorMessage + 8);
    EXPECT_EQ(message.substr(0, 4), "root");
    EXPECT_NE(message.find("xxx[...]xxx"), std::string::npos);
  }
}

TEST(IndexBudgetTest, BoundsTheErrorsOfOneStack) {
  std::string sublayers;
  for (int i = 0; i < 3000; ++i) sublayers += "@gone" + std::to_string(i) + "@,";
  ComposedScene scene(Texts{{"root", "(subLayers = [" + sublayers + "])\n"}});
  EXPECT_EQ(scene.composer().root_layer_stack()->errors().size(), kMaxCompositionErrors);
}

// A list of `count` arcs to missing assets.
std::string MissingAssets(const std::string& name, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += "@" + name + std::to_string(i) + "@,";
  return list;
}

size_t MessageBytes(const CompositionErrors& errors) {
  size_t bytes = 0;
  for (const CompositionError& error : errors) bytes += error.message.size();
  return bytes;
}

TEST(IndexBudgetTest, ErrorsAreCharged) {
  MemoryPool memory("test");
  std::shared_ptr<const PrimIndex> kept;
  {
    ComposedScene scene(Texts{{"root", "(subLayers = [" + MissingAssets("none", 500) +
                                           "])\ndef \"A\" (references = [" +
                                           MissingAssets("gone", 1000) + "])\n{\n}\n"}},
                        {.memory = &memory});
    const LayerStack& stack = *scene.composer().root_layer_stack();
    ASSERT_EQ(stack.errors().size(), 500u);
    EXPECT_GT(stack.byte_size(), MessageBytes(stack.errors()));
    EXPECT_GE(memory.used(), stack.byte_size());
    kept = scene.Compose("/A").index;
  }
  ASSERT_EQ(kept->errors().size(), kMaxCompositionErrors);
  EXPECT_GT(kept->byte_size(), MessageBytes(kept->errors()));
  const LayerStack& stack = *kept->nodes()[0].layer_stack;
  EXPECT_EQ(memory.used(), kept->byte_size() + stack.byte_size());
  kept.reset();
  EXPECT_EQ(memory.used(), 0u);
}

TEST(IndexBudgetTest, CachedAssetPathsAreCharged) {
  MemoryPool memory("test");
  {
    const std::string long_name(10000, 'x');
    ComposedScene scene(
        Texts{{"root", "def \"A\" (references = [" + MissingAssets(long_name, 20) + "])\n{\n}\n"}},
        {.memory = &memory});
    scene.Compose("/A");
    // Each path is stored as authored, as an identifier, and as the key of a failed layer stack.
    EXPECT_GT(memory.used(), 3 * 20 * long_name.size());
  }
  EXPECT_EQ(memory.used(), 0u);
}

// A layer has one stack for each set of variables with which it is referenced.
TEST(IndexBudgetTest, ExpressionVariablesAreCharged) {
  const auto used = [](int stacks) {
    MemoryPool memory("test");
    std::string variables, references;
    for (int i = 0; i < 1000; ++i) variables += "string F" + std::to_string(i) + " = \"x\"\n";
    Texts texts = {{"ref",
                    "(defaultPrim = \"A\"\nexpressionVariables = { string R = \"y\" })\n"
                    "def \"A\"\n{\n}\n"}};
    for (int i = 0; i < stacks; ++i) {
      const std::string name = "ref" + std::to_string(i);
      texts[name] = texts["ref"];
      references += "@" + name + "@,";
    }
    texts["root"] = "(expressionVariables = {\n" + variables + "})\ndef \"A\" (references = [" +
                    references + "])\n{\n}\n";
    ComposedScene scene(texts, {.memory = &memory});
    scene.Compose("/A");
    return memory.used();
  };
  EXPECT_GT(used(40) - used(20), 20 * 1000 * sizeof(Dictionary::Entry));
}

// Each of many sublayers is included by two others.
TEST(IndexBudgetTest, BoundsTheLayersOfOneStack) {
  Texts texts;
  for (int i = 0; i < 30; ++i) {
    const std::string next = std::to_string(i + 1);
    for (const char* side : {"a", "b"}) {
      texts[side + std::to_string(i)] = "(subLayers = [@a" + next + "@, @b" + next + "@])\n";
    }
  }
  texts["a30"] = texts["b30"] = "over \"P\"\n{\n}\n";
  texts["root"] = "(subLayers = [@a0@, @b0@])\ndef \"P\"\n{\n}\n";
  ComposedScene scene(texts);
  EXPECT_EQ(scene.composer().root_layer_stack()->layers().size(), size_t{1} << 14);
  EXPECT_EQ(scene.composer().root_layer_stack()->errors().size(), 1u);
  EXPECT_EQ(scene.composer().root_layer_stack()->root_layer().identifier(), "root");
}

TEST(IndexBudgetTest, ManyNamesComposeInOrder) {
  std::string text, list;
  constexpr int kArcs = 300;
  for (int i = 0; i < kArcs; ++i) {
    const std::string n = std::to_string(i);
    text += "def \"R" + n + "\"\n{\ndef \"c" + n + "\"\n{\n}\ndef \"same\"\n{\n}\n}\n";
    list += "</R" + n + ">,";
  }
  ComposedScene scene(Texts{{"root", text + "def \"A\" (references = [" + list + "])\n{\n}\n"}});
  const PrimIndexRef ref = scene.Compose("/A");
  const auto names = ref.index->child_names();
  ASSERT_EQ(names.size(), size_t{kArcs + 1});
  // The names of the weakest reference come first, among them the one that all have.
  EXPECT_EQ(names[0].text(), "c299");
  EXPECT_EQ(names[1].text(), "same");
  EXPECT_EQ(names[kArcs].text(), "c0");
}

TEST(IndexBudgetTest, DoesNotLimitModerateScenes) {
  ComposedScene scene(MultiplyingArcs(8, "references"));
  const PrimIndexRef ref = scene.Compose("/L0/A");
  EXPECT_TRUE(ref.index->errors().empty());
  EXPECT_EQ(ref.index->nodes().size(), (1 << 9) - 1);
}

}  // namespace
}  // namespace stagedoor
