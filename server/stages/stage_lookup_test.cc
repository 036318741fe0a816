#include "server/stages/stage_lookup.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/strings.h"
#include "scene/testing/test_scene.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

class StageLookupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("a.usda", R"(
def "P" {
    double x = 1
    double ns:y = 2
    rel r
    def "C" {}
}
)");
    stage_ = scene_.Open("a.usda");
    ASSERT_NE(stage_, nullptr);
  }

  // The path of the prim, or the reason of the error.
  std::string Prim(const std::string& text) {
    const auto prim = LookUpPrim(*stage_, text);
    return prim.ok() ? prim->PathText() : ReasonName(GetReason(prim.status()));
  }
  std::string Attribute(const std::string& text) {
    const auto attribute = LookUpAttribute(*stage_, text);
    if (!attribute.ok()) return ReasonName(GetReason(attribute.status()));
    return Concat(attribute->prim().PathText(), ".", attribute->name().text());
  }
  static std::string Parsed(const std::string& text) {
    const auto path = ParsePrimPath(text);
    return path.ok() ? path->ToString() : ReasonName(GetReason(path.status()));
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(StageLookupTest, FindsPrims) {
  EXPECT_EQ(Prim("/"), "/");
  EXPECT_EQ(Prim("/P"), "/P");
  EXPECT_EQ(Prim("/P/C"), "/P/C");
  EXPECT_EQ(Prim("/P/D"), "PRIM_NOT_FOUND");
  EXPECT_EQ(Prim("/a_name_that_no_layer_has"), "PRIM_NOT_FOUND");
}

TEST_F(StageLookupTest, RejectsInvalidPrimPaths) {
  for (const char* text : {"", "P", "P/C", "//P", "/P//C", "/P/", "/P.x", "/P.", "/P C", "/P<",
                           "/P[", "/P\n", "/P#", "@a@", "/P("}) {
    EXPECT_EQ(Prim(text), std::string(text) == "/P[" ? "PRIM_NOT_FOUND" : "INVALID_PATH") << text;
  }
}

TEST_F(StageLookupTest, FindsAttributes) {
  EXPECT_EQ(Attribute("/P.x"), "/P.x");
  EXPECT_EQ(Attribute("/P.ns:y"), "/P.ns:y");
  EXPECT_EQ(Attribute("/P.z"), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(Attribute("/P.a_name_that_no_layer_has"), "ATTRIBUTE_NOT_FOUND");
  EXPECT_EQ(Attribute("/Q.x"), "PRIM_NOT_FOUND");
  EXPECT_EQ(Attribute("/P.r"), "WRONG_KIND");
}

TEST_F(StageLookupTest, RejectsInvalidAttributePaths) {
  for (const char* text :
       {"", "/P", "P.x", "/.x", "/P/.x", "/P.x.y", "/P.x[/Q]", "/P.", ".x", "/P x.y"}) {
    EXPECT_EQ(Attribute(text), "INVALID_PATH") << text;
  }
}

TEST_F(StageLookupTest, ParsesAbsolutePrimPathsOnly) {
  EXPECT_EQ(Parsed("/"), "/");
  EXPECT_EQ(Parsed("/New/Path"), "/New/Path") << "the prim need not exist";
  for (const char* text : {"", "P", "/P.x", "/P{v=a}", "/P{v=a}C", "/P/..", "not a path"}) {
    EXPECT_EQ(Parsed(text), "INVALID_PATH") << text;
  }
}

}  // namespace
}  // namespace stagedoor::server
