// Values between the samples of each type on a stage. Expected values were recorded from OpenUSD.
#include <string_view>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class SampleInterpolationTest : public AnswersTest {
 protected:
  void Attributes(std::string_view attributes) {
    Write("root.usda", Concat("def \"P\" {\n", attributes, "\n}\n"));
  }
};

TEST_F(SampleInterpolationTest, NumbersOfEveryPrecisionAreLinear) {
  Attributes(R"(
double d.timeSamples = { 0: 1, 3: 2 }
float f.timeSamples = { 0: 1, 3: 2 }
half h.timeSamples = { 0: 1, 3: 2 }
timecode t.timeSamples = { 0: 1, 4: 2 }
)");
  EXPECT_EQ(At("/P.d", {-1, 0, 1, 2, 3, 4}), "1 1 1.3333333333333335 1.6666666666666665 2 2");
  EXPECT_EQ(At("/P.f", {-1, 0, 1, 2, 3, 4}), "1 1 1.3333334 1.6666666 2 2");
  EXPECT_EQ(At("/P.h", {-1, 0, 1, 2, 3, 4}), "1 1 1.33301 1.66699 2 2");
  EXPECT_EQ(At("/P.t", {-1, 0, 1, 2, 3, 4}), "1 1 1.25 1.5 1.75 2");
}

TEST_F(SampleInterpolationTest, VectorsAreLinear) {
  Attributes(R"(
double2 d2.timeSamples = { 0: (0, 1), 4: (4, 2) }
double3 d3.timeSamples = { 0: (0, 1, 2), 4: (4, 2, 0) }
double4 d4.timeSamples = { 0: (0, 1, 2, 3), 4: (4, 2, 0, 3) }
float2 f2.timeSamples = { 0: (0, 1), 4: (4, 2) }
float3 f3.timeSamples = { 0: (0, 1, 2), 4: (4, 2, 0) }
float4 f4.timeSamples = { 0: (0, 1, 2, 3), 4: (4, 2, 0, 3) }
half2 h2.timeSamples = { 0: (0, 1), 4: (4, 2) }
half3 h3.timeSamples = { 0: (0, 1, 2), 4: (4, 2, 0) }
half4 h4.timeSamples = { 0: (0, 1, 2, 3), 4: (4, 2, 0, 3) }
color3f c.timeSamples = { 0: (0, 0, 0), 4: (1, 1, 1) }
)");
  EXPECT_EQ(At("/P.d2", {1}), "(1, 1.25)");
  EXPECT_EQ(At("/P.d3", {1}), "(1, 1.25, 1.5)");
  EXPECT_EQ(At("/P.d4", {1}), "(1, 1.25, 1.5, 3)");
  EXPECT_EQ(At("/P.f2", {1}), "(1, 1.25)");
  EXPECT_EQ(At("/P.f3", {1}), "(1, 1.25, 1.5)");
  EXPECT_EQ(At("/P.f4", {1}), "(1, 1.25, 1.5, 3)");
  EXPECT_EQ(At("/P.h2", {1}), "(1, 1.25)");
  EXPECT_EQ(At("/P.h3", {1}), "(1, 1.25, 1.5)");
  EXPECT_EQ(At("/P.h4", {1}), "(1, 1.25, 1.5, 3)");
  EXPECT_EQ(At("/P.c", {1}), "(0.25, 0.25, 0.25)");
}

TEST_F(SampleInterpolationTest, MatricesAreLinear) {
  Attributes(R"(
matrix2d m2.timeSamples = { 0: ((1, 0), (0, 1)), 4: ((5, 4), (8, 1)) }
matrix3d m3.timeSamples = {
  0: ((1, 0, 0), (0, 1, 0), (0, 0, 1)), 4: ((5, 4, 8), (0, 1, 0), (0, 0, 1)) }
matrix4d m4.timeSamples = {
  0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
  4: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (4, 8, 0, 1)) }
)");
  EXPECT_EQ(At("/P.m2", {1}), "( (2, 1), (2, 1) )");
  EXPECT_EQ(At("/P.m3", {1}), "( (2, 1, 2), (0, 1, 0), (0, 0, 1) )");
  EXPECT_EQ(At("/P.m4", {1}), "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 0, 1) )");
}

TEST_F(SampleInterpolationTest, QuaternionsTakeTheShorterArc) {
  Attributes(R"(
quatd d.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
quatf f.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
quath h.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
quatf far.timeSamples = { 0: (1, 0, 0, 0), 2: (-0.8, 0.6, 0, 0) }
quatd[] many.timeSamples = { 0: [(1, 0, 0, 0)], 2: [(0, 0, 1, 0)] }
)");
  EXPECT_EQ(At("/P.d", {0, 0.5, 1, 2}),
            "(1, 0, 0, 0) (0.9238795325112867, 0.3826834323650898, 0, 0) (0.7071067811865475, "
            "0.7071067811865475, 0, 0) (0, 1, 0, 0)");
  EXPECT_EQ(
      At("/P.f", {0, 0.5, 1, 2}),
      "(1, 0, 0, 0) (0.92387956, 0.38268346, 0, 0) (0.70710677, 0.70710677, 0, 0) (0, 1, 0, 0)");
  EXPECT_EQ(At("/P.h", {0, 0.5, 1, 2}),
            "(1, 0, 0, 0) (0.923828, 0.382568, 0, 0) (0.707031, 0.707031, 0, 0) (0, 1, 0, 0)");
  EXPECT_EQ(At("/P.far", {0, 1, 2}),
            "(1, 0, 0, 0) (0.94868326, -0.31622776, 0, 0) (-0.8, 0.6, 0, 0)");
  EXPECT_EQ(Pre("/P.far", {2}), "(0.79999995, -0.59999996, 0, 0)");
  EXPECT_EQ(At("/P.many", {0.5, 1}),
            "[(0.9238795325112867, 0, 0.3826834323650898, 0)] [(0.7071067811865475, 0, "
            "0.7071067811865475, 0)]");
}

TEST_F(SampleInterpolationTest, OtherTypesAreHeld) {
  Attributes(R"(
bool b.timeSamples = { 0: 0, 4: 1 }
int i.timeSamples = { 0: 0, 4: 4 }
uint u.timeSamples = { 0: 0, 4: 4 }
int64 i64.timeSamples = { 0: 0, 4: 4 }
uint64 u64.timeSamples = { 0: 0, 4: 4 }
uchar c.timeSamples = { 0: 0, 4: 4 }
int2 i2.timeSamples = { 0: (0, 0), 4: (4, 4) }
int3[] i3.timeSamples = { 0: [(0, 0, 0)], 4: [(4, 4, 4)] }
string s.timeSamples = { 0: "a", 4: "b" }
token t.timeSamples = { 0: "a", 4: "b" }
asset p.timeSamples = { 0: @a@, 4: @b@ }
)");
  EXPECT_EQ(At("/P.b", {3, 4}), "0 1");
  EXPECT_EQ(At("/P.i", {3, 4}), "0 4");
  EXPECT_EQ(At("/P.u", {3, 4}), "0 4");
  EXPECT_EQ(At("/P.i64", {3, 4}), "0 4");
  EXPECT_EQ(At("/P.u64", {3, 4}), "0 4");
  EXPECT_EQ(At("/P.c", {3, 4}), "0 4");
  EXPECT_EQ(At("/P.i2", {3, 4}), "(0, 0) (4, 4)");
  EXPECT_EQ(At("/P.i3", {3, 4}), "[(0, 0, 0)] [(4, 4, 4)]");
  EXPECT_EQ(At("/P.s", {3, 4}), "\"a\" \"b\"");
  EXPECT_EQ(At("/P.t", {3, 4}), "\"a\" \"b\"");
  EXPECT_EQ(At("/P.p", {3, 4}), "@a@ @b@");
  EXPECT_EQ(Pre("/P.i", {4}), "0");
}

TEST_F(SampleInterpolationTest, ArraysOfEqualSizeAreLinearPerElement) {
  Attributes(R"(
double[] d.timeSamples = { 0: [0, 10], 4: [4, 20] }
float[] f.timeSamples = { 0: [0, 10], 4: [4, 20] }
half[] h.timeSamples = { 0: [0, 10], 4: [4, 20] }
point3f[] p.timeSamples = { 0: [(0, 0, 0)], 4: [(4, 8, 12)] }
half3[] h3.timeSamples = { 0: [(0, 0, 0)], 4: [(4, 8, 12)] }
double3[] d3.timeSamples = { 0: [(0, 0, 0)], 4: [(4, 8, 12)] }
timecode[] t.timeSamples = { 0: [0, 10], 4: [4, 20] }
matrix2d[] m.timeSamples = { 0: [((1, 0), (0, 1))], 4: [((5, 4), (8, 1))] }
double[] none.timeSamples = { 0: [], 4: [] }
)");
  EXPECT_EQ(At("/P.d", {1}), "[1, 12.5]");
  EXPECT_EQ(At("/P.f", {1}), "[1, 12.5]");
  EXPECT_EQ(At("/P.h", {1}), "[1, 12.5]");
  EXPECT_EQ(At("/P.p", {1}), "[(1, 2, 3)]");
  EXPECT_EQ(At("/P.h3", {1}), "[(1, 2, 3)]");
  EXPECT_EQ(At("/P.d3", {1}), "[(1, 2, 3)]");
  EXPECT_EQ(At("/P.t", {1}), "[1, 12.5]");
  EXPECT_EQ(At("/P.m", {1}), "[( (2, 1), (2, 1) )]");
  EXPECT_EQ(At("/P.none", {1}), "[]");
}

TEST_F(SampleInterpolationTest, ArraysOfDifferentSizesAreHeld) {
  Attributes("double[] d.timeSamples = { 0: [0, 10], 4: [4], 8: [5] }");
  EXPECT_EQ(At("/P.d", {0, 1, 4, 5, 8}), "[0, 10] [0, 10] [4] [4.25] [5]");
  EXPECT_EQ(Pre("/P.d", {4, 8}), "[0, 10] [5]");
}

TEST_F(SampleInterpolationTest, ASampleBeforeABlockIsHeld) {
  Attributes("double d.timeSamples = { 0: 1, 2: None, 4: 5, 6: 7 }");
  EXPECT_EQ(At("/P.d", {0, 1, 2, 3, 4, 5, 6}), "1 1 - - 5 6 7");
  EXPECT_EQ(Pre("/P.d", {1, 2, 3, 4, 5, 6}), "1 1 - - 6 7");
}

TEST_F(SampleInterpolationTest, HeldStagesHoldLinearTypes) {
  Attributes(R"(
double d.timeSamples = { 0: 1, 2: 3 }
quatf q.timeSamples = { 0: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
float[] a.timeSamples = { 0: [1], 2: [3] }
)");
  EXPECT_EQ(HeldAt("/P.d", {-1, 0, 1, 2, 3}), "1 1 1 3 3");
  EXPECT_EQ(HeldPre("/P.d", {0, 1, 2, 3}), "1 1 1 3");
  EXPECT_EQ(HeldAt("/P.q", {1, 2}), "(1, 0, 0, 0) (0, 1, 0, 0)");
  EXPECT_EQ(HeldAt("/P.a", {1, 2}), "[1] [3]");
  EXPECT_EQ(HeldPre("/P.a", {2}), "[1]");
}

}  // namespace
}  // namespace stagedoor
