#include "scene/geom/basis_curves.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class CurveDataSizesTest : public AnswersTest {
 protected:
  void Open(std::string_view type, std::string_view basis, std::string_view wrap,
            std::string_view counts) {
    Write("root.usda",
          Concat("def BasisCurves \"C\" {\n  uniform token type = \"", type,
                 "\"\n  uniform token basis = \"", basis, "\"\n  uniform token wrap = \"", wrap,
                 "\"\n  int[] curveVertexCounts = ", counts, "\n}\n"));
  }
  CurveDataSizes Sizes(TimeCode time = TimeCode::At(0)) {
    return ComputeCurveDataSizes(scene_.context(), stage().FindPrim("/C"), time);
  }
  // "uniform varying vertex".
  std::string Text(TimeCode time = TimeCode::At(0)) {
    const CurveDataSizes sizes = Sizes(time);
    return Concat(sizes.uniform, " ", sizes.varying ? Concat(*sizes.varying) : "-", " ",
                  sizes.vertex);
  }
};

// The numbers are those of usd-core.
TEST_F(CurveDataSizesTest, DependOnTypeBasisAndWrap) {
  constexpr struct {
    std::string_view type, basis, wrap, sizes;
  } kCases[] = {
      {"linear", "bezier", "nonperiodic", "2 11 11"}, {"linear", "bezier", "periodic", "2 13 11"},
      {"linear", "bezier", "pinned", "2 11 11"},      {"linear", "odd", "odd", "2 13 11"},
      {"cubic", "bezier", "nonperiodic", "2 5 11"},   {"cubic", "bezier", "periodic", "2 3 11"},
      {"cubic", "bezier", "pinned", "2 5 11"},        {"cubic", "bspline", "nonperiodic", "2 7 11"},
      {"cubic", "bspline", "periodic", "2 11 11"},    {"cubic", "catmullRom", "pinned", "2 7 11"},
      {"cubic", "bezier", "odd", "2 3 11"},           {"odd", "bezier", "pinned", "2 0 11"},
  };
  for (const auto& c : kCases) {
    Open(c.type, c.basis, c.wrap, "[4, 7]");
    EXPECT_EQ(Text(), c.sizes) << c.type << " " << c.basis << " " << c.wrap;
  }
}

TEST_F(CurveDataSizesTest, WrapAroundForTooFewVertices) {
  Open("cubic", "bezier", "nonperiodic", "[2]");
  EXPECT_EQ(Text(), "1 6148914691236517206 2");
  Open("cubic", "bspline", "nonperiodic", "[1]");
  EXPECT_EQ(Text(), "1 18446744073709551615 1");
  Open("linear", "bezier", "periodic", "[-3]");
  EXPECT_EQ(Text(), "1 18446744073709551614 18446744073709551613");
}

TEST_F(CurveDataSizesTest, CubicCurvesNeedAKnownBasis) {
  Open("cubic", "odd", "nonperiodic", "[4]");
  EXPECT_EQ(Text(), "1 - 4");
  Open("cubic", "odd", "nonperiodic", "[]");
  EXPECT_EQ(Text(), "0 0 0");
}

TEST_F(CurveDataSizesTest, AreThoseOfTheTime) {
  Write("root.usda", R"(def BasisCurves "C" {
  int[] curveVertexCounts = [4]
  int[] curveVertexCounts.timeSamples = { 1: [4, 7], 3: None }
  uniform token wrap.timeSamples = { 1: "periodic", 2: "nonperiodic" }
})");
  EXPECT_EQ(Text(TimeCode::Default()), "1 2 4");
  EXPECT_EQ(Text(TimeCode::At(1)), "2 3 11");
  EXPECT_EQ(Text(TimeCode::At(2)), "2 5 11");
  EXPECT_EQ(Text(TimeCode::At(3)), "0 0 0");
}

TEST_F(CurveDataSizesTest, TheFirstInterpolationThatFitsIsFound) {
  Open("cubic", "bezier", "nonperiodic", "[4, 7]");
  const CurveDataSizes sizes = Sizes();
  constexpr struct {
    uint64_t count;
    std::string_view interpolation;
  } kCases[] = {{0, ""}, {1, "constant"}, {2, "uniform"}, {5, "varying"}, {11, "vertex"}, {9, ""}};
  for (const auto& [count, interpolation] : kCases) {
    EXPECT_EQ(ComputeInterpolationForSize(sizes, count).text(), interpolation) << count;
  }
}

}  // namespace
}  // namespace stagedoor
