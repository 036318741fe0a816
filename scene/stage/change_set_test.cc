#include "scene/stage/change_set.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr std::string_view kRoot = R"(
class "K" {
  int v = 1
}
def "A" (inherits = </K>) {
  def "Child" {
    int x = 1
  }
}
def "B" {
  def "Child" {
    int x = 1
  }
}
def "R1" (references = @./one.usda@</One>) {
}
def "R2" (payload = @./two.usda@</Two>) {
}
)";

class ChangeSetTest : public testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("root.usda", kRoot);
    scene_.Write("one.usda", "def \"One\" {\n  def \"In\" {\n    int x = 1\n  }\n}\n");
    scene_.Write("two.usda", "def \"Two\" {\n  def \"In\" {\n    int x = 1\n  }\n}\n");
    before_ = scene_.Open("root.usda");
    ASSERT_TRUE(before_);
  }

  std::shared_ptr<const Layer> Open(std::string_view name) {
    auto layer = scene_.layers().Open(scene_.context(), {}, name, nullptr);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }

  // Derives the next snapshot with a session layer of this text, or without one if it is empty, and
  // checks that it equals a newly opened stage.
  std::shared_ptr<const Stage> Recompose(std::string_view session_text, StageOptions options = {}) {
    std::shared_ptr<const Layer> session;
    if (!session_text.empty()) {
      scene_.Write("session.usda", session_text);
      session = Open("/session.usda");
    }
    const auto root = Open("/root.usda");
    auto stage = Stage::Recompose(scene_.context(), before_, options, root, session);
    auto fresh =
        Stage::Open(scene_.context(), scene_.environment(), std::move(options), root, session);
    EXPECT_TRUE(stage.ok() && fresh.ok());
    if (!stage.ok() || !fresh.ok()) return nullptr;
    EXPECT_EQ(Describe(**stage), Describe(**fresh));
    EXPECT_EQ(LayerNames(**stage), LayerNames(**fresh));
    EXPECT_EQ(CountErrors(**stage), CountErrors(**fresh));
    return *stage;
  }

  std::string Describe(const Stage& stage) {
    std::string text;
    for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All())) {
      text += prim.path().ToString() + " " + std::to_string(prim.data().flags);
      for (const Token name : prim.AuthoredPropertyNames()) {
        const Value value = prim.GetAttribute(name).Get(scene_.context(), TimeCode::Default());
        const int* number = value.Get<int>();
        text += " " + name.str() + "=" + (number ? std::to_string(*number) : "?");
      }
      text += '\n';
    }
    return text;
  }
  static size_t CountErrors(const Stage& stage) {
    size_t count = 0;
    stage.VisitErrors([&](const CompositionError&) { return ++count > 0; });
    return count;
  }
  static std::set<std::string> LayerNames(const Stage& stage) {
    std::set<std::string> names;
    for (const auto& layer : stage.UsedLayers()) names.insert(layer->identifier());
    return names;
  }

  int Number(const Stage& stage, std::string_view attribute) {
    const Value value = stage.FindProperty(P(attribute))
                            .prim()
                            .GetAttribute(P(attribute).name())
                            .Get(scene_.context(), TimeCode::Default());
    const int* number = value.Get<int>();
    return number ? *number : 0;
  }
  bool Shared(const Stage& after, std::string_view path) {
    return before_->FindPrim(path).index().index == after.FindPrim(path).index().index;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> before_;
};

TEST_F(ChangeSetTest, UnchangedStagesShareAllIndexes) {
  const auto after = Recompose("");
  ASSERT_TRUE(after);
  for (const char* path : {"/A", "/A/Child", "/B/Child", "/R1/In", "/R2/In"}) {
    EXPECT_TRUE(Shared(*after, path)) << path;
  }
}

TEST_F(ChangeSetTest, AnotherResolverContextRecomposesEverything) {
  const StageOptions options{.resolver_context =
                                 ResolverContext::Create({.pins = {{"/one.usda", "/other.usda"}}})};
  scene_.Write("other.usda", "def \"One\" {\n  def \"New\" {}\n}\n");
  const auto after = Recompose("", options);
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->FindPrim("/R1/New").valid());
  EXPECT_FALSE(after->FindPrim("/R1/In").valid());
  before_ = after;
  const auto same = Recompose("", options);
  ASSERT_TRUE(same);
  EXPECT_TRUE(Shared(*same, "/R1/New")) << "an equal context shares all indexes";
}

TEST_F(ChangeSetTest, AnotherResolverContextFindsMissingLayers) {
  scene_.Write("root.usda", "def \"M\" (references = @./missing.usda@</One>) {\n}\n");
  before_ = scene_.Open("root.usda");
  ASSERT_TRUE(before_);
  const auto after = Recompose(
      "",
      {.resolver_context = ResolverContext::Create({.pins = {{"/missing.usda", "/one.usda"}}})});
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->FindPrim("/M/In").valid());
}

TEST_F(ChangeSetTest, SessionEditsRecomposeOnlyAffectedPrims) {
  const auto after = Recompose("over \"B\" {\n  over \"Child\" {\n    int x = 7\n  }\n}\n");
  ASSERT_TRUE(after);
  EXPECT_FALSE(Shared(*after, "/B/Child"));
  EXPECT_FALSE(Shared(*after, "/B"));
  for (const char* path : {"/A", "/A/Child", "/R1", "/R1/In", "/R2/In"}) {
    EXPECT_TRUE(Shared(*after, path)) << path;
  }
}

TEST_F(ChangeSetTest, ValuesDoNotRecomposePrimsBelow) {
  const auto after = Recompose("over \"B\" {\n  int x = 7\n}\nover \"K\" {\n  int v = 2\n}\n");
  ASSERT_TRUE(after);
  for (const char* path : {"/A", "/B"}) EXPECT_FALSE(Shared(*after, path)) << path;
  for (const char* path : {"/A/Child", "/B/Child"}) EXPECT_TRUE(Shared(*after, path)) << path;
}

TEST_F(ChangeSetTest, ClassEditsReachInheritingPrims) {
  const auto after = Recompose("class \"K\" {\n  int v = 2\n}\n");
  ASSERT_TRUE(after);
  EXPECT_FALSE(Shared(*after, "/A"));
  EXPECT_TRUE(Shared(*after, "/B"));
  EXPECT_TRUE(Shared(*after, "/R1/In"));
}

TEST_F(ChangeSetTest, ClassEditsReachPrimsThatAnEarlierEditLeftAlone) {
  before_ = Recompose("over \"B\" {\n  int y = 7\n}\n");
  const auto after = Recompose("over \"B\" {\n  int y = 7\n}\nclass \"K\" {\n  int v = 2\n}\n");
  EXPECT_EQ(Number(*after, "/A.v"), 2);
}

TEST_F(ChangeSetTest, ClassEditsReachInheritingPrimsBelowOthers) {
  scene_.Write("root.usda",
               "class \"K\" {\n  int v = 1\n}\n"
               "def \"W\" {\n  def \"A\" (inherits = </K>) {\n  }\n}\n");
  before_ = scene_.Open("root.usda");
  const auto after = Recompose("class \"K\" {\n  int v = 2\n}\n");
  EXPECT_EQ(Number(*after, "/W/A.v"), 2);
}

// The class is edited before the prim that inherits it is loaded.
TEST_F(ChangeSetTest, LoadedPrimsSeeEarlierEditsOfTheirClasses) {
  scene_.Write("root.usda",
               "class \"K\" {\n  int v = 1\n}\n"
               "def \"W\" {\n  def \"P\" (payload = @./two.usda@</Two>) {\n  }\n}\n");
  scene_.Write("two.usda",
               "class \"K\" {\n}\n"
               "def \"Two\" {\n  def \"In\" (inherits = </K>) {\n  }\n}\n");
  StageOptions options;
  options.load.Unload(P("/W/P"));
  before_ = scene_.Open("root.usda", options);
  before_ = Recompose("class \"K\" {\n  int v = 2\n}\n", options);
  const auto after = Recompose("class \"K\" {\n  int v = 2\n}\n");
  EXPECT_EQ(Number(*after, "/W/P/In.v"), 2);
}

TEST_F(ChangeSetTest, ErrorsOfTheRootLayerStackAreCountedOnce) {
  const std::string session =
      "(\n  subLayers = [@./missing.usda@]\n)\nover \"B\" {\n  int y = 7\n}\n";
  before_ = Recompose(session);
  const auto after = Recompose(session + "over \"A\" {\n  int y = 8\n}\n");
  EXPECT_EQ(CountErrors(*after), 1u);
}

TEST_F(ChangeSetTest, ALayerCanBeASublayerAndAReference) {
  scene_.Write("root.usda",
               "(\n  subLayers = [@./both.usda@]\n)\n"
               "def \"R\" (references = @./both.usda@</S>) {\n}\n");
  scene_.Write("both.usda", "def \"S\" {\n  int x = 1\n}\n");
  before_ = scene_.Open("root.usda");
  scene_.Write("both.usda", "def \"S\" {\n  int x = 2\n}\n");
  const auto after = Recompose("");
  EXPECT_EQ(Number(*after, "/R.x"), 2);
  EXPECT_EQ(Number(*after, "/S.x"), 2);
}

TEST_F(ChangeSetTest, AnotherDefaultPrimReachesReferencesToIt) {
  const std::string prims =
      "def \"S\" {\n  int x = 1\n}\ndef \"T\" {\n  int x = 2\n}\n"
      "def \"R\" (references = <>) {\n}\n";
  scene_.Write("root.usda", "(\n  defaultPrim = \"S\"\n)\n" + prims);
  before_ = scene_.Open("root.usda");
  EXPECT_EQ(Number(*before_, "/R.x"), 1);
  scene_.Write("root.usda", "(\n  defaultPrim = \"T\"\n)\n" + prims);
  EXPECT_EQ(Number(*Recompose(""), "/R.x"), 2);
}

TEST_F(ChangeSetTest, NewPrimsRecomposeEverything) {
  const auto after = Recompose("def \"New\" {\n}\n");
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->FindPrim("/New").valid());
}

TEST_F(ChangeSetTest, ReloadedAssetsAffectOnlyTheirUsers) {
  scene_.Write("one.usda", "def \"One\" {\n  def \"In\" {\n    int x = 2\n  }\n}\n");
  const auto after = Recompose("");
  ASSERT_TRUE(after);
  EXPECT_FALSE(Shared(*after, "/R1/In"));
  EXPECT_TRUE(Shared(*after, "/R2/In"));
  EXPECT_TRUE(Shared(*after, "/A/Child"));
}

TEST_F(ChangeSetTest, LoadChangesAffectOnlyThePayload) {
  StageOptions options;
  options.load.Unload(P("/R2"));
  const auto after = Recompose("", options);
  ASSERT_TRUE(after);
  EXPECT_FALSE(after->FindPrim("/R2/In").valid());
  EXPECT_TRUE(Shared(*after, "/R1/In"));
}

TEST_F(ChangeSetTest, PreviousSnapshotIsUnchanged) {
  const std::string was = Describe(*before_);
  const auto after = Recompose("over \"B\" (active = false) {\n}\n");
  ASSERT_TRUE(after);
  EXPECT_EQ(Describe(*before_), was);
  EXPECT_FALSE(after->FindPrim("/B/Child").valid());
}

}  // namespace
}  // namespace stagedoor
