#include "scene/composition/prim_index_graph.h"

#include "gtest/gtest.h"
#include "scene/composition/testing/composed_scene.h"

namespace stagedoor {
namespace {

// Only counted steps are charged to the request, and scenes decide how far these walks go.
TEST(PrimIndexGraphTest, WalksAreCounted) {
  ComposedScene scene(Texts{{"root", "def \"A\" {}\n"}});
  const auto site = [&](const char* path) {
    return Site{scene.composer().root_layer_stack().get(), *Path::Parse(path)};
  };
  PrimIndexGraph graph;
  graph.AddRoot(site("/A"));
  NodeId last = 0;
  for (const char* path : {"/B", "/C", "/D"}) {
    last = graph.InsertChild(site(path), {.type = ArcType::kInherit,
                                          .parent = last,
                                          .origin = last,
                                          .to_parent = MapFunction::Identity(),
                                          .depth = 1});
  }
  graph.TakeScanned();
  EXPECT_EQ(graph.FindUsing(site("/D")), last);
  EXPECT_EQ(graph.TakeScanned(), 4u);
  EXPECT_EQ(graph.FindChild(0, site("/D")), kNoNode);
  EXPECT_EQ(graph.TakeScanned(), 1u);
  EXPECT_TRUE(graph.SharesNamespaceAbove(last, site("/A/X")));
  EXPECT_EQ(graph.TakeScanned(), 4u);
  EXPECT_TRUE(graph.IsAncestor(0, last));
  EXPECT_EQ(graph.TakeScanned(), 4u);
  EXPECT_EQ(graph.StartOfClassHierarchy(last), (std::pair<NodeId, NodeId>(0, 1)));
  EXPECT_EQ(graph.TakeScanned(), 3u);
  graph.SetInertBelow(0);
  EXPECT_EQ(graph.TakeScanned(), 4u);
  EXPECT_EQ(graph.FindUsing(site("/D")), kNoNode);
}

}  // namespace
}  // namespace stagedoor
