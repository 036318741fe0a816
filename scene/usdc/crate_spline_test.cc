#include "scene/usdc/crate_spline.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/usdc/crate_format.h"
#include "scene/values/half.h"

namespace stagedoor {
namespace {

bool Decode(const std::string& blob, Spline* spline) {
  return DecodeCrateSpline(std::as_bytes(std::span(blob)), spline);
}

template <typename T>
std::string Bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
std::string Byte(int number) { return std::string(1, static_cast<char>(number)); }

// The bytes of a held Bezier knot of version 1 at `time`, with the value 5.
std::string Knot(double time) {
  return Byte(1 << 1) + Bytes(time) + Bytes(5.0) + Bytes(0.5) + Bytes(0.25) + Bytes(1.0) +
         Bytes(2.0);
}

TEST(CrateSplineTest, EncodesASimpleSplineAsSpecified) {
  Spline spline;
  spline.pre.mode = ExtrapolationMode::kLinear;
  spline.post.mode = ExtrapolationMode::kHeld;
  SplineKnot& knot = spline.knots.emplace_back();
  knot.time = 3;
  knot.value = 5;
  knot.next = KnotInterpolation::kHeld;
  knot.pre_tangent_width = 0.5;
  knot.post_tangent_width = 0.25;
  knot.pre_tangent_slope = 1;
  knot.post_tangent_slope = 2;
  CrateVersion version{0, 8, 0};
  // Version 1, type 1 (double), linear extrapolation before and held after, one knot.
  EXPECT_EQ(EncodeCrateSpline(spline, &version),
            Byte(0x11) + Byte(2 | 1 << 3) + Bytes(uint32_t{1}) + Knot(3));
  EXPECT_EQ(version, (CrateVersion{0, 12, 0}));
}

TEST(CrateSplineTest, NoBytesAreAnEmptySpline) {
  Spline spline;
  EXPECT_TRUE(Decode("", &spline));
  EXPECT_EQ(spline, Spline());
  EXPECT_TRUE(Decode(Byte(0x01) + Byte(1 | 1 << 3), &spline)) << "untyped: no number of knots";
  EXPECT_EQ(spline, Spline());
}

TEST(CrateSplineTest, OnlyKnownVersionsAreRead) {
  for (const auto& [version, known] :
       {std::pair(0, false), {1, true}, {2, true}, {3, true}, {4, true}, {5, false}, {15, false}}) {
    Spline spline;
    const std::string boundaries = version >= 3 ? Byte(0) : "";
    EXPECT_EQ(Decode(Byte(0x10 | version) + Byte(9) + boundaries + Bytes(uint32_t{0}), &spline),
              known)
        << version;
  }
}

// The first byte holds the version in its lower bits and the type above.
TEST(CrateSplineTest, DecodesTheTypesOfEachVersion) {
  static constexpr struct {
    int head;
    bool good;
    ValueType type;
    bool timed;
    CurveType curve;
  } kHeads[] = {
      {0x01, true, ValueType::kDouble, false, CurveType::kBezier},
      {0x11, true, ValueType::kDouble, false, CurveType::kBezier},
      {0x21, true, ValueType::kFloat, false, CurveType::kBezier},
      {0x31, true, ValueType::kHalf, false, CurveType::kBezier},
      {0x51, true, ValueType::kDouble, true, CurveType::kBezier},
      {0x61, true, ValueType::kDouble, true, CurveType::kBezier},
      {0x91, true, ValueType::kDouble, false, CurveType::kHermite},
      {0x62, true, ValueType::kDouble, true, CurveType::kBezier},
      {0x03, true, ValueType::kDouble, false, CurveType::kBezier},
      {0x13, true, ValueType::kDouble, false, CurveType::kBezier},
      {0x23, true, ValueType::kFloat, false, CurveType::kBezier},
      {0x33, true, ValueType::kHalf, false, CurveType::kBezier},
      {0x43, true, ValueType::kDouble, true, CurveType::kBezier},
      {0x53, true, ValueType::kDuration, true, CurveType::kBezier},
      {0x54, true, ValueType::kDuration, true, CurveType::kBezier},
      {0xa3, true, ValueType::kFloat, false, CurveType::kHermite},
      {0x63, false},
      {0x73, false},
  };
  for (const auto& head : kHeads) {
    Spline spline;
    const std::string boundaries = (head.head & 15) >= 3 ? Byte(0) : "";
    const std::string blob = Byte(head.head) + Byte(9) + boundaries + Bytes(uint32_t{0});
    EXPECT_EQ(Decode(blob, &spline), head.good) << std::hex << head.head;
    if (!head.good) continue;
    EXPECT_EQ(spline.value_type, head.type) << std::hex << head.head;
    EXPECT_EQ(spline.time_valued, head.timed) << std::hex << head.head;
    EXPECT_EQ(spline.curve_type, head.curve) << std::hex << head.head;
  }
}

TEST(CrateSplineTest, UnknownExtrapolationModesAreRejected) {
  for (int pre = 0; pre < 8; ++pre) {
    for (int post = 0; post < 8; ++post) {
      Spline spline;
      std::string blob = Byte(0x11) + Byte(pre | post << 3);
      for (const int mode : {pre, post}) {
        if (mode == static_cast<int>(ExtrapolationMode::kSloped)) blob += Bytes(2.0);
      }
      const bool good = Decode(blob + Bytes(uint32_t{0}), &spline);
      EXPECT_EQ(good, pre < 7 && post < 7) << pre << " " << post;
      if (!good) continue;
      EXPECT_EQ(static_cast<int>(spline.pre.mode), pre);
      EXPECT_EQ(static_cast<int>(spline.post.mode), post);
    }
  }
}

TEST(CrateSplineTest, UnknownTangentAlgorithmsAreRejected) {
  for (int pre = 0; pre < 16; ++pre) {
    for (int post = 0; post < 16; ++post) {
      Spline spline;
      const std::string blob = Byte(0x12) + Byte(9) + Bytes(uint32_t{1}) + Knot(1);
      EXPECT_EQ(Decode(blob + Byte(pre | post << 4), &spline), pre < 3 && post < 3)
          << pre << " " << post;
      EXPECT_FALSE(Decode(blob, &spline));
    }
  }
}

TEST(CrateSplineTest, KnotTimesMustAscend) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string head = Byte(0x11) + Byte(9);
  static constexpr struct {
    double times[3];
    bool good;
  } kTimes[] = {{{1, 2, 3}, true},     {{-1, 0, 1}, true},    {{1, 1, 2}, false},
                {{1, 2, 2}, false},    {{2, 1, 3}, false},    {{1, 3, 2}, false},
                {{kNan, 1, 2}, false}, {{1, kNan, 2}, false}, {{1, 2, kNan}, false}};
  for (const auto& [times, good] : kTimes) {
    Spline spline;
    std::string blob = head + Bytes(uint32_t{3});
    for (const double time : times) blob += Knot(time);
    EXPECT_EQ(Decode(blob, &spline), good) << times[0] << " " << times[1] << " " << times[2];
  }
}

TEST(CrateSplineTest, CountsBeyondTheBytesAllocateNothing) {
  for (const uint32_t count : {2u, 5u, 0x7fffffffu, 0xffffffffu}) {
    Spline spline;
    EXPECT_FALSE(Decode(Byte(0x11) + Byte(9) + Bytes(count) + Knot(1), &spline)) << count;
    EXPECT_LT(spline.knots.capacity(), 10u) << count;
  }
}

// Splines that use everything that each version has.
std::vector<Spline> Samples() {
  std::vector<Spline> samples;
  const auto add = [&](ValueType type, bool timed, CurveType curve, bool algorithms,
                       bool boundaries) -> Spline& {
    Spline& spline = samples.emplace_back();
    spline.value_type = type;
    spline.time_valued = timed;
    spline.curve_type = curve;
    spline.pre = {ExtrapolationMode::kSloped, 2.5, {}};
    spline.post = {ExtrapolationMode::kSloped, -1.5, {}};
    if (boundaries) {
      spline.pre = {ExtrapolationMode::kLoopRepeat, 0, 4.5};
      spline.post = {ExtrapolationMode::kLoopOscillate, 0, 7.5};
    }
    for (int i = 0; i < 3; ++i) {
      SplineKnot& knot = spline.knots.emplace_back();
      knot.time = 10.0 * i;
      knot.value = i + 0.5;
      knot.next = static_cast<KnotInterpolation>(3 - i);
      knot.dual_valued = i == 1;
      if (knot.dual_valued) knot.pre_value = 9.25;
      if (curve == CurveType::kBezier) {
        knot.pre_tangent_width = 1 + i;
        knot.post_tangent_width = 2 + i;
      }
      knot.pre_tangent_slope = 0.25;
      knot.post_tangent_slope = -0.75;
      if (algorithms) knot.pre_tangent_algorithm = TangentAlgorithm::kCustom;
      if (algorithms && i == 2) knot.post_tangent_algorithm = TangentAlgorithm::kCustom;
    }
    if (curve == CurveType::kHermite) SetHermiteWidths(&spline);
    return spline;
  };
  for (const ValueType type : {ValueType::kDouble, ValueType::kFloat, ValueType::kHalf}) {
    for (const CurveType curve : {CurveType::kBezier, CurveType::kHermite}) {
      add(type, false, curve, false, false);
      add(type, false, curve, true, false);
      add(type, false, curve, false, true);
    }
  }
  add(ValueType::kDouble, true, CurveType::kBezier, false, false);
  add(ValueType::kDuration, true, CurveType::kBezier, false, false);
  add(ValueType::kDouble, false, CurveType::kBezier, false, true).pre.loop_boundary.reset();
  add(ValueType::kDouble, false, CurveType::kBezier, false, true).post.loop_boundary.reset();
  add(ValueType::kDouble, false, CurveType::kBezier, false, false).loop =
      SplineLoopParams{10, 20, 3, 4, 1.25};
  return samples;
}

TEST(CrateSplineTest, SplinesSurviveARoundTrip) {
  int number = 0;
  for (const Spline& spline : Samples()) {
    CrateVersion version;
    Spline read;
    ASSERT_TRUE(Decode(EncodeCrateSpline(spline, &version), &read)) << number;
    EXPECT_EQ(read, spline) << number;
    ++number;
  }
}

TEST(CrateSplineTest, EveryTruncationIsRejected) {
  int number = 0;
  for (const Spline& spline : Samples()) {
    CrateVersion version;
    Spline without = spline;
    without.knots.clear();
    // Bytes that end before the number of knots are a spline without knots.
    const size_t no_knots = EncodeCrateSpline(without, &version).size() - sizeof(uint32_t);
    const std::string blob = EncodeCrateSpline(spline, &version);
    for (size_t size = 1; size < blob.size(); ++size) {
      Spline read;
      EXPECT_EQ(Decode(blob.substr(0, size), &read), size == no_knots) << number << " " << size;
    }
    ++number;
  }
}

// Each feature requires the oldest crate version that has it.
TEST(CrateSplineTest, UsesTheOldestVersionThatTheSplineAllows) {
  const auto minor = [](const Spline& spline, CrateVersion version = {}) {
    EncodeCrateSpline(spline, &version);
    return int{version.minor};
  };
  Spline spline;
  spline.knots.resize(2);
  EXPECT_EQ(minor(spline), 12);
  EXPECT_EQ(minor(spline, {0, 14, 0}), 14) << "the version is never lowered";
  Spline pre = spline;
  pre.knots[1].pre_tangent_algorithm = TangentAlgorithm::kAutoEase;
  EXPECT_EQ(minor(pre), 13);
  Spline post = spline;
  post.knots[1].post_tangent_algorithm = TangentAlgorithm::kCustom;
  EXPECT_EQ(minor(post), 13);
  Spline timed = spline;
  timed.time_valued = true;
  EXPECT_EQ(minor(timed), 15);
  Spline before = spline;
  before.pre.loop_boundary = 1;
  EXPECT_EQ(minor(before), 15);
  Spline behind = spline;
  behind.post.loop_boundary = 1;
  EXPECT_EQ(minor(behind), 15);
  Spline duration = spline;
  duration.value_type = ValueType::kDuration;
  EXPECT_EQ(minor(duration), 16);
}

}  // namespace
}  // namespace stagedoor
