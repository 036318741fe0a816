// Scenes whose arcs multiply: every prim takes twice the work of those that it leads to.
#include <chrono>
#include <string>

#include "gtest/gtest.h"
#include "scene/composition/composed_scene.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

// Levels of two prims, each of which leads to both of the next level.
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

TEST(IndexBudget, NestedIndexesObserveTheDeadline) {
  for (const std::string arc : {"references", "payload"}) {
    ComposedScene scene(MultiplyingArcs(60, arc));
    RequestContext context(RequestContext::Clock::now() + milliseconds(50));
    const PrimIndexRef ref = ComposeUntil(scene, context);
    ASSERT_TRUE(ref.index) << arc;
    EXPECT_EQ(context.Check().code(), absl::StatusCode::kDeadlineExceeded) << arc;
    // Had it gone on, it would have met its limit and said so.
    EXPECT_TRUE(ref.index->errors().empty()) << arc;
  }
}

TEST(IndexBudget, NestedIndexesObserveCancellation) {
  ComposedScene scene(MultiplyingArcs(60, "references"));
  RequestContext context;
  context.Cancel();
  const PrimIndexRef ref = ComposeUntil(scene, context);
  EXPECT_TRUE(ref.index->errors().empty());
}

TEST(IndexBudget, EndsWithoutADeadlineToo) {
  ComposedScene scene(MultiplyingArcs(60, "references"));
  const PrimIndexRef ref = scene.Compose("/L0/A");
  ASSERT_FALSE(ref.index->errors().empty());
  EXPECT_EQ(ref.index->errors().back().type, CompositionErrorType::kIndexCapacityExceeded);
  EXPECT_EQ(ref.index->sites()[0].layer->identifier(), "root");
}

TEST(IndexBudget, BoundsTheErrorsOfOnePrim) {
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
}

TEST(IndexBudget, LeavesRoomForWhatDoesNotMultiply) {
  ComposedScene scene(MultiplyingArcs(8, "references"));
  const PrimIndexRef ref = scene.Compose("/L0/A");
  EXPECT_TRUE(ref.index->errors().empty());
  EXPECT_EQ(ref.index->nodes().size(), (1 << 9) - 1);
}

}  // namespace
}  // namespace stagedoor
