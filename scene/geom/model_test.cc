#include "scene/geom/model.h"

#include <string>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

class ModelTest : public AnswersTest {
 protected:
  std::string DrawMode(std::string_view path) {
    return std::string(ComputeModelDrawMode(scene_.context(), stage().FindPrim(path)).text());
  }
  std::string Targets(std::string_view path) {
    std::string names;
    for (const ConstraintTarget& target :
         FindConstraintTargets(scene_.context(), stage().FindPrim(path))) {
      names += Concat(names.empty() ? "" : " ", target.attribute.name().text());
      if (!target.identifier.empty()) names += "=" + target.identifier;
    }
    return names;
  }
  // A model below /A, whose draw mode is "cards".
  void WriteModel(std::string_view draw_mode, std::string_view kind = "component") {
    Write("root.usda", Concat("def \"A\" ( kind = \"group\" ) {\n",
                              "uniform token model:drawMode = \"cards\"\ndef \"B\" ( kind = \"",
                              kind, "\" ) {\n", draw_mode, "\ndef \"C\" {\n}\n}\n}\n"));
  }
};

TEST_F(ModelTest, DrawModesAreThoseOfTheClosestModelThatHasOne) {
  struct Case {
    std::string_view authored, found;
  };
  constexpr Case kCases[] = {
      {"uniform token model:drawMode = \"origin\"", "origin"},
      {"uniform token model:drawMode = \"inherited\"", "cards"},
      {"uniform token model:drawMode = \"\"", ""},
      {"uniform token model:drawMode = \"odd\"", "odd"},
      {"string model:drawMode = \"bounds\"", "cards"},
      {"token model:drawMode.timeSamples = { 1: \"bounds\" }", "cards"},
      {"uniform token model:drawMode = None", "cards"},
      {"", "cards"},
  };
  for (const Case& c : kCases) {
    WriteModel(c.authored);
    EXPECT_EQ(DrawMode("/A/B"), c.found) << c.authored;
    EXPECT_EQ(DrawMode("/A/B/C"), c.found) << "inherited " << c.authored;
  }
}

TEST_F(ModelTest, ComponentsAndModelsThatSaySoApplyTheirDrawMode) {
  const auto applies = [&](std::string_view path) {
    return AppliesDrawMode(scene_.context(), stage().FindPrim(path));
  };
  const std::string_view yes = "uniform bool model:applyDrawMode = true";
  const std::string_view no = "uniform bool model:applyDrawMode = false";
  WriteModel("");
  EXPECT_TRUE(applies("/A/B")) << "a component";
  EXPECT_FALSE(applies("/A")) << "a group";
  EXPECT_FALSE(applies("/A/B/C")) << "not a model";
  EXPECT_FALSE(applies("/"));
  WriteModel(no);
  EXPECT_TRUE(applies("/A/B")) << "a component in any case";
  WriteModel(yes, "group");
  EXPECT_TRUE(applies("/A/B"));
  WriteModel(no, "group");
  EXPECT_FALSE(applies("/A/B"));
  WriteModel(yes, "subcomponent");
  EXPECT_FALSE(applies("/A/B")) << "not a model";
}

TEST_F(ModelTest, OnlyModelsHaveDrawModes) {
  WriteModel("uniform token model:drawMode = \"origin\"", "subcomponent");
  EXPECT_EQ(DrawMode("/A/B"), "cards");
  EXPECT_EQ(DrawMode("/"), "default");
  Write("root.usda", "def \"A\" {\nuniform token model:drawMode = \"origin\"\n}\n");
  EXPECT_EQ(DrawMode("/A"), "default");
}

TEST_F(ModelTest, ConstraintTargetsAreMatricesOfModels) {
  constexpr std::string_view kTargets = R"(
  matrix4d constraintTargets:b
  matrix4d constraintTargets:a:x ( constraintTargetIdentifier = "hand" )
  matrix4d[] constraintTargets:c
  matrix4d constraintTarget = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
  rel constraintTargets:d
)";
  WriteModel(kTargets);
  EXPECT_EQ(Targets("/A/B"), "constraintTargets:a:x=hand constraintTargets:b");
  EXPECT_EQ(Targets("/"), "");
  WriteModel(kTargets, "subcomponent");
  EXPECT_EQ(Targets("/A/B"), "");
}

TEST_F(ModelTest, ConstraintTargetsAreMovedToWorldSpace) {
  WriteModel(
      "matrix4d constraintTargets:t.timeSamples = { 2: ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), "
      "(1, 0, 0, 1)) }");
  const auto targets = FindConstraintTargets(scene_.context(), stage().FindPrim("/A/B"));
  ASSERT_EQ(targets.size(), 1u);
  Matrix4d world = Matrix4d::Identity();
  world.m[3][0] = 10;
  world.m[0][0] = 3;
  const auto found = ComputeInWorldSpace(scene_.context(), targets[0], TimeCode::At(2), world);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->m[0][0], 6);
  EXPECT_EQ(found->m[3][0], 13) << "the target's matrix comes first";
  EXPECT_FALSE(ComputeInWorldSpace(scene_.context(), targets[0], TimeCode::Default(), world));
}

}  // namespace
}  // namespace stagedoor
