#include "scene/lod/lod_override.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

std::string Overridden(std::string_view name, std::string_view properties) {
  return Concat("def \"", name, "\" (\n  prepend apiSchemas = [\"LODOverrideAPI\"]\n) {\n",
                properties, "\n}\n");
}

class LodOverrideTest : public testing::Test {
 protected:
  // Children of a prim with the index 1.5.
  void Open(std::string_view children) {
    scene_.Write("a.usda", Overridden("A", Concat("token lod:override:mode = \"indexedLOD\"\n"
                                                  "float lod:override:index = 1.5\n",
                                                  children)));
    stage_ = scene_.Open("a.usda");
  }
  // "indexedLOD 1.5 /A".
  std::string At(std::string_view path, TimeCode time = TimeCode::Default()) {
    const LodOverride found = ComputeLodOverride(scene_.context(), stage_->FindPrim(P(path)), time);
    const std::string by = found.prim.valid() ? found.prim.PathText() : "";
    return Concat(found.mode.text(), " ", found.index, " ", by);
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

// The expectations in this file are results of usd-core.

TEST_F(LodOverrideTest, TheClosestModeWins) {
  Open(Concat(Overridden("B", "float lod:override:index = 3"),
              Overridden("C", "token lod:override:mode = \"noOverride\"\ndef \"D\" {\n}"),
              Overridden("E", "token lod:override:mode = \"odd\""),
              "def \"F\" {\n  token lod:override:mode = \"allLOD\"\n}\n"));
  EXPECT_EQ(At("/A"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/B"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/C/D"), "noOverride 0 /A/C");
  EXPECT_EQ(At("/A/E"), "odd 0 /A/E");
  EXPECT_EQ(At("/A/F"), "indexedLOD 1.5 /A");  // the schema is not applied
}

TEST_F(LodOverrideTest, ValuesThatCannotBeReadAreInherited) {
  Open(Concat(Overridden("B", "token lod:override:mode = None"),
              Overridden("C", "string lod:override:mode = \"allLOD\""),
              Overridden("D",
                         "token lod:override:mode = \"indexedLOD\"\n"
                         "float lod:override:index = None"),
              Overridden("E",
                         "token lod:override:mode = \"indexedLOD\"\n"
                         "double lod:override:index = 7")));
  EXPECT_EQ(At("/A/B"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/C"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/D"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/E"), "indexedLOD 0 /A/E");  // the fallback
  EXPECT_EQ(At("/A/E", TimeCode::At(1)), "indexedLOD 1.5 /A");
}

TEST_F(LodOverrideTest, ModesVaryInTime) {
  Open(Overridden("T",
                  "token lod:override:mode.timeSamples = { 1: \"inherited\", 2: \"indexedLOD\", "
                  "3: \"noLOD\", 4: None }\n"
                  "float lod:override:index.timeSamples = { 1: 1, 4: 4 }\ndef \"U\" {\n}"));
  EXPECT_EQ(At("/A/T/U"), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/T/U", TimeCode::At(1)), "indexedLOD 1.5 /A");
  EXPECT_EQ(At("/A/T/U", TimeCode::At(2.5)), "indexedLOD 2.5 /A/T");
  EXPECT_EQ(At("/A/T/U", TimeCode::At(3)), "noLOD 0 /A/T");
  EXPECT_EQ(At("/A/T/U", TimeCode::At(5)), "indexedLOD 1.5 /A");
}

TEST_F(LodOverrideTest, WithoutOneThereIsNoOverride) {
  scene_.Write("a.usda", "def \"A\" {\n}\n");
  stage_ = scene_.Open("a.usda");
  EXPECT_EQ(At("/A"), "noOverride 0 ");
}

}  // namespace
}  // namespace stagedoor
