#include "scene/composition/outer_context.h"

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/paths/path.h"

namespace stagedoor {
namespace {

PrimIndexNode Node(const char* path, int parent, int origin) {
  PrimIndexNode node;
  node.path = *Path::Parse(path);
  node.map_to_parent = node.map_to_root = MapFunction::Identity();
  node.parent = static_cast<int16_t>(parent);
  node.origin = static_cast<int16_t>(origin);
  return node;
}

std::shared_ptr<const OuterContext> Context(std::vector<PrimIndexNode> chain,
                                            PrimIndexNode target) {
  return std::make_shared<const OuterContext>(
      MapFunction::Identity(), ArcPath{.chain = std::move(chain), .target = std::move(target)},
      nullptr);
}

TEST(OuterContextTest, JoinedArcPathsContinueTheNumbersOfTheOuterNodes) {
  const auto outer = Context({Node("/A", -1, -1), Node("/B", 0, 0)}, Node("/C", 1, 0));
  // The inner arc path begins at the outer target.
  const auto inner = Context({Node("/C", -1, -1), Node("/D", 0, 0)}, Node("/E", 0, 1));
  const auto both = OuterContext::Combine(outer, inner);
  const ArcPath& joined = both->arc_path();
  ASSERT_EQ(joined.chain.size(), 4u);
  const PrimIndexNode* nodes[] = {&joined.chain[2], &joined.chain[3], &joined.target};
  const char* paths[] = {"/C", "/D", "/E"};
  const int parents[] = {1, 2, 2};
  const int origins[] = {0, 2, 3};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(nodes[i]->path, *Path::Parse(paths[i])) << i;
    EXPECT_EQ(nodes[i]->parent, parents[i]) << paths[i];
    EXPECT_EQ(nodes[i]->origin, origins[i]) << paths[i];
  }
}

}  // namespace
}  // namespace stagedoor
