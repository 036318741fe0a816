#include "scene/stage/stage_changes.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

// The expected changes were compared with those that usd-core 26.11 sends for the same edits;
// docs/decisions/watching.md lists where they differ on purpose.
constexpr std::string_view kRoot = R"((
    defaultPrim = "A"
)
class "_c" {
  double x = 1
}
def Xform "A" {
  double v = 1
  double conn
  rel r
  def Scope "B" {
    double w = 2
  }
}
def "I1" (inherits = </_c>) {
}
def "Ref" (prepend references = @./ref.usda@</M>) {
}
def "Inst1" (
  instanceable = true
  prepend references = @./ref.usda@</M>
) {
}
def "Inst2" (
  instanceable = true
  prepend references = @./ref.usda@</M>
) {
}
def "Loc" (prepend references = </A>) {
}
def "Var" (
  variants = { string s = "a" }
  prepend variantSets = "s"
) {
  variantSet "s" = {
    "a" {
      double q = 1
    }
    "b" {
      double q = 2
    }
  }
}
def "Pay" (prepend payload = @./ref.usda@</M>) {
}
)";

constexpr std::string_view kRef = R"(
def "M" {
  double m = 1
  def "N" {
    double n = 1
  }
}
def "Other" {
}
)";

// The session layer before a test edits it.
constexpr std::string_view kSession = R"(
over "A" {
  double v = 3
  over "B" {
    double w = 3
  }
}
over "Ref" {
}
over "Var" {
}
)";

std::string Describe(const StageChanges& changes) {
  std::string text;
  for (const std::string& path : changes.resynced) text += path + " ";
  for (const auto& [path, fields] : changes.changed_infos) {
    text += path + ":";
    for (const Token field : fields) text += (text.back() == ':' ? "" : ",") + field.str();
    text += ' ';
  }
  return text;
}

class StageChangesTest : public testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("root.usda", kRoot);
    scene_.Write("ref.usda", kRef);
    scene_.Write("session.usda", kSession);
    scene_.Write("sub.usda", "over \"A\" {\n  double v = 7\n}\ndef \"Sub\" {\n}\n");
    before_ = Open();
    ASSERT_TRUE(before_);
  }

  std::shared_ptr<const Layer> OpenLayer(std::string_view name) {
    auto layer = scene_.layers().Open(scene_.context(), {}, name, nullptr);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }
  std::shared_ptr<const Stage> Open(StageOptions options = {}) {
    auto stage = Stage::Open(scene_.context(), scene_.environment(), std::move(options),
                             OpenLayer("/root.usda"), OpenLayer("/session.usda"));
    EXPECT_TRUE(stage.ok()) << stage.status();
    return stage.ok() ? *stage : nullptr;
  }

  std::string Compare(const Stage& before, const Stage& after, const ChangeFilter& filter = {}) {
    const auto changes = StageChanges::Find(scene_.context(), before, after, filter);
    EXPECT_TRUE(changes.ok()) << changes.status();
    return changes.ok() ? Describe(*changes) : "";
  }

  // The changes since before_, both by recomposition and on a newly opened stage.
  std::string Changes(const StageOptions& options = {}) {
    const auto after = Stage::Recompose(scene_.context(), before_, options, OpenLayer("/root.usda"),
                                        OpenLayer("/session.usda"));
    EXPECT_TRUE(after.ok()) << after.status();
    if (!after.ok()) return "";
    std::string changes = Compare(*before_, **after);
    const auto opened = Open(options);
    EXPECT_EQ(Compare(*before_, *opened), changes);
    EXPECT_EQ(Compare(*opened, *before_), changes);
    return changes;
  }
  std::string Replaced(std::string_view name, std::string_view text, std::string_view old_text,
                       std::string_view new_text) {
    std::string changed(text);
    const size_t at = changed.find(old_text);
    EXPECT_NE(at, std::string::npos) << old_text;
    changed.replace(at, old_text.size(), new_text);
    scene_.Write(name, changed);
    std::string changes = Changes();
    scene_.Write(name, text);
    return changes;
  }
  std::string Session(std::string_view old_text, std::string_view new_text) {
    return Replaced("session.usda", kSession, old_text, new_text);
  }
  std::string Root(std::string_view old_text, std::string_view new_text) {
    return Replaced("root.usda", kRoot, old_text, new_text);
  }
  std::string Ref(std::string_view old_text, std::string_view new_text) {
    return Replaced("ref.usda", kRef, old_text, new_text);
  }
  // Adds text at the end of the session layer.
  std::string Add(std::string_view text) {
    return Session("over \"Var\" {\n}\n", Concat("over \"Var\" {\n}\n", text));
  }

  TestScene scene_;
  std::shared_ptr<const Stage> before_;
};

TEST_F(StageChangesTest, NothingChanges) {
  EXPECT_EQ(Compare(*before_, *before_), "");
  EXPECT_EQ(Changes(), "");
}

TEST_F(StageChangesTest, ValuesOfAttributes) {
  // /Loc refers to /A.
  EXPECT_EQ(Session("v = 3", "v = 4"), "/A.v:default /Loc.v:default ");
  EXPECT_EQ(Session("v = 3", "v = None"), "/A.v:default /Loc.v:default ");
  EXPECT_EQ(Session("w = 3", "w = 4"), "/A/B.w:default /Loc/B.w:default ");
  EXPECT_EQ(Session("double v = 3", "double v = 3\n  double v.timeSamples = { 1: 2 }"),
            "/A.v:timeSamples /Loc.v:timeSamples ");
}

TEST_F(StageChangesTest, PropertiesThatAppearOrDisappear) {
  EXPECT_EQ(Session("  double v = 3\n", ""), "/A.v /Loc.v ");
  EXPECT_EQ(Session("v = 3", "v = 3\n  double new = 1"), "/A.new /Loc.new ");
  EXPECT_EQ(Session("v = 3", "v = 3\n  rel r = </A/B>"), "/A.r /Loc.r ");
  EXPECT_EQ(Root("rel r", "rel r = </A/B>"), "/A.r:targetPaths /Loc.r:targetPaths ");
  EXPECT_EQ(Root("double conn", "double conn\n  double conn.connect = </A.v>"),
            "/A.conn:connectionPaths /Loc.conn:connectionPaths ");
}

TEST_F(StageChangesTest, Metadata) {
  EXPECT_EQ(Session("over \"A\" {", "over \"A\" (hidden = true) {"), "/A:hidden /Loc:hidden ");
  EXPECT_EQ(Session("v = 3", "v = 3 (doc = \"d\")"), "/A.v:documentation /Loc.v:documentation ");
  EXPECT_EQ(Add("over \"Pay\" (hidden = true) {\n}\n"), "/Pay:hidden ");
  EXPECT_EQ(Add("over \"Pay\" {\n}\n"), "");
}

TEST_F(StageChangesTest, MetadataThatDecidesComposition) {
  for (const char* metadata :
       {"active = false", "kind = \"group\"", "instanceable = true",
        "prepend apiSchemas = [\"CollectionAPI:a\"]", "prepend references = @./ref.usda@</M>",
        "prepend inherits = </_c>", "prepend specializes = </_c>",
        "prepend payload = @./ref.usda@</M>", "prepend variantSets = \"z\"",
        "variants = { string s = \"b\" }", "reorder nameChildren = [\"B\"]"}) {
    const std::string text = std::string_view(metadata).starts_with("reorder")
                                 ? Concat("over \"A\" {\n  ", metadata)
                                 : Concat("over \"A\" (", metadata, ") {");
    EXPECT_EQ(Session("over \"A\" {", text), "/A /Loc ") << metadata;
  }
  EXPECT_EQ(Session("over \"A\" {", "def \"A\" {"), "/A /Loc ");
  EXPECT_EQ(Session("over \"A\" {", "over Scope \"A\" {"), "/A /Loc ");
}

TEST_F(StageChangesTest, Variants) {
  EXPECT_EQ(Session("over \"Var\" {", "over \"Var\" (variants = { string s = \"b\" }) {"), "/Var ");
  EXPECT_EQ(Root("double q = 1", "double q = 8"), "/Var.q:default ");
  EXPECT_EQ(Root("double q = 2", "double q = 8"), "");  // not selected
  EXPECT_EQ(Root("    \"b\" {", "    \"c\" {\n    }\n    \"b\" {"), "/Var ");
}

TEST_F(StageChangesTest, PrimsThatAppearOrDisappear) {
  EXPECT_EQ(Add("def \"New\" {\n  def \"Child\" {\n  }\n}\n"), "/New ");
  EXPECT_EQ(Session("over \"B\" {", "over \"Zoo\" {\n  }\n  over \"B\" {"), "/A/Zoo /Loc/Zoo ");
  EXPECT_EQ(Ref("  def \"N\" {", "  def \"Q\" {\n  }\n  def \"N\" {"),
            "/Inst1/Q /Inst2/Q /Pay/Q /Ref/Q ");
  // Opinions below an instance do not count.
  EXPECT_EQ(Add("over \"Inst1\" {\n  over \"N\" {\n    double n = 5\n  }\n}\n"), "");
}

TEST_F(StageChangesTest, ReferencedLayers) {
  EXPECT_EQ(Ref("m = 1", "m = 8"),
            "/Inst1.m:default /Inst2.m:default /Pay.m:default /Ref.m:default ");
  EXPECT_EQ(Ref("n = 1", "n = 8"),
            "/Inst1/N.n:default /Inst2/N.n:default /Pay/N.n:default /Ref/N.n:default ");
  EXPECT_EQ(Ref("def \"N\" {", "def \"N\" (active = false) {"), "/Inst1/N /Inst2/N /Pay/N /Ref/N ");
  EXPECT_EQ(Ref("def \"Other\" {", "def \"Other\" (active = false) {"), "");
  EXPECT_EQ(Ref("\ndef \"M\"", "(\n    timeCodesPerSecond = 48\n)\ndef \"M\""),
            "/Inst1 /Inst2 /Pay /Ref ");
}

TEST_F(StageChangesTest, Classes) {
  EXPECT_EQ(Root("x = 1", "x = 8"), "/I1.x:default /_c.x:default ");
  EXPECT_EQ(Add("over \"_c\" {\n  double x = 8\n}\n"), "/I1.x /_c.x ");
  EXPECT_EQ(Add("over \"_c\" {\n  def \"k\" {\n  }\n}\n"), "/I1/k /_c/k ");
}

TEST_F(StageChangesTest, ClassThatDidNotExist) {
  // /Ref inherits it already.
  scene_.Write("ref.usda", Concat("def \"M\" (inherits = </_late>) {\n}\n"));
  before_ = Open();
  EXPECT_EQ(Add("class \"_late\" {\n  double x = 1\n}\n"), "/Inst1 /Inst2 /Pay /Ref /_late ");
}

TEST_F(StageChangesTest, ArcsToDescendantsOfWhatIsResynced) {
  scene_.Write("root.usda", Concat(kRoot, "def \"Deep\" (references = </A/B>) {\n}\n"));
  before_ = Open();
  scene_.Write("session.usda",
               "over \"A\" (prepend references = @./ref.usda@</M>) {\n"
               "  double v = 3\n  over \"B\" {\n    double w = 3\n  }\n}\n"
               "over \"Ref\" {\n}\nover \"Var\" {\n}\n");
  EXPECT_EQ(Changes(), "/A /Deep /Loc ");
}

TEST_F(StageChangesTest, LayerMetadata) {
  EXPECT_EQ(Session("\nover \"A\"", "(\n    startTimeCode = 5\n)\nover \"A\""), "/:startTimeCode ");
  EXPECT_EQ(Session("\nover \"A\"", "(\n    timeCodesPerSecond = 5\n)\nover \"A\""), "/ ");
  EXPECT_EQ(Root("defaultPrim = \"A\"", "defaultPrim = \"Ref\""), "/Loc /:defaultPrim ");
  EXPECT_EQ(
      Session("\nover \"A\"", "(\n    expressionVariables = { string X = \"y\" }\n)\nover \"A\""),
      "/ ");
  EXPECT_EQ(Session("\nover \"A\"", "\nreorder rootPrims = [\"Ref\", \"A\"]\nover \"A\""), "/ ");
}

TEST_F(StageChangesTest, DefaultPrimOfReferences) {
  scene_.Write("root.usda", Concat(kRoot, "def \"D\" (references = <>) {\n}\n"));
  before_ = Open();
  scene_.Write("root.usda", Concat("(\n  defaultPrim = \"Ref\"\n)\n",
                                   std::string(kRoot).substr(kRoot.find("class")),
                                   "def \"D\" (references = <>) {\n}\n"));
  // OpenUSD resyncs these, and, as we do, prims that refer to the default prim by its path.
  EXPECT_EQ(Changes(), "/D /Loc /:defaultPrim ");
}

TEST_F(StageChangesTest, Sublayers) {
  const std::string with = "(\n    subLayers = [@./sub.usda@]\n)\nover \"A\"";
  EXPECT_EQ(Session("\nover \"A\"", with), "/A.v /Loc.v /Sub /:subLayerOffsets,subLayers ");
  scene_.Write("session.usda", Concat(with, std::string(kSession).substr(9)));
  before_ = Open();
  StageOptions muted;
  muted.muted_layers = {"/sub.usda"};
  EXPECT_EQ(Changes(muted), "/A.v /Loc.v /Sub ");
  scene_.Write("session.usda",
               Concat("(\n    subLayers = [@./sub.usda@ (offset = 5)]\n)\nover \"A\"",
                      std::string(kSession).substr(9)));
  EXPECT_EQ(Changes(), "/ ");
}

TEST_F(StageChangesTest, MutedLayersBehindArcs) {
  StageOptions muted;
  muted.muted_layers = {"/ref.usda"};
  EXPECT_EQ(Changes(muted), "/Inst1 /Inst2 /Pay /Ref ");
}

TEST_F(StageChangesTest, LoadRules) {
  StageOptions options;
  options.load.Unload(P("/Pay"));
  EXPECT_EQ(Changes(options), "/Pay ");
  options = {};
  options.load.Unload(P("/A"));
  EXPECT_EQ(Changes(options), "/A ");
  options = {};
  options.load.Unload(P("/"));
  EXPECT_EQ(Changes(options), "/ ");
  options = {};
  options.load.Unload(P("/Nothing"));
  EXPECT_EQ(Changes(options), "");
}

TEST_F(StageChangesTest, Options) {
  StageOptions options;
  options.variant_fallbacks = {{"s", {"a"}}};
  EXPECT_EQ(Changes(options), "/ ");
}

TEST_F(StageChangesTest, SeveralEditsLaterOrAtOnce) {
  EXPECT_EQ(Session("v = 3\n", "v = 4\n  double new = 1\n  double conn = 2\n"),
            "/A.conn /A.new /Loc.conn /Loc.new /A.v:default /Loc.v:default ");
  EXPECT_EQ(
      Session("over \"A\" {\n  double v = 3", "over \"A\" (active = false) {\n  double v = 4"),
      "/A /Loc ");
}

TEST_F(StageChangesTest, Filter) {
  scene_.Write(
      "session.usda",
      "over \"A\" (hidden = true) {\n  double v = 4\n}\nover \"Ref\" (active = false) {\n}\n");
  const auto after = Open();
  ChangeFilter filter;
  filter.Add("/A.v");
  EXPECT_EQ(Compare(*before_, *after, filter), "/A.v:default ");
  filter = {};
  filter.Add("/Ref/N.n");
  EXPECT_EQ(Compare(*before_, *after, filter), "/Ref ");
  filter = {};
  filter.Add("/A");
  EXPECT_EQ(Compare(*before_, *after, filter), "/A/B.w /A:hidden /A.v:default ");
  filter = {};
  filter.Add("/Nothing");
  EXPECT_EQ(Compare(*before_, *after, filter), "");
}

TEST_F(StageChangesTest, ManyPathsAreEverything) {
  std::string text = "over \"A\" {\n";
  for (size_t i = 0; i <= StageChanges::kMaxPaths / 2; ++i) text += Concat("  double v", i, "\n");
  scene_.Write("session.usda", text + "}\n");
  EXPECT_EQ(Changes(), "/ ");
}

TEST_F(StageChangesTest, EndsWithTheRequest) {
  scene_.Write("session.usda", "over \"A\" (hidden = true) {\n}\n");
  const auto after = Open();
  RequestContext context;
  context.Cancel();
  EXPECT_EQ(StageChanges::Find(context, *before_, *after, {}).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
