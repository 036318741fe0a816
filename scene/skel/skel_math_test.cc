#include <cmath>
#include <random>
#include <span>
#include <string>

#include "base/request_context.h"
#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/blend_shape.h"
#include "scene/skel/joint_dual_quaternions.h"
#include "scene/skel/joint_topology.h"
#include "scene/skel/joint_transforms.h"
#include "scene/skel/skinning.h"
#include "scene/skel/skinning_influences.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

std::vector<Token> Tokens(std::initializer_list<const char*> names) {
  std::vector<Token> tokens;
  for (const char* name : names) tokens.emplace_back(name);
  return tokens;
}

TEST(JointTopologyTest, ParentIsTheNearestAncestorThatIsAJoint) {
  const JointTopology topology(Tokens({"A", "A/B", "A/B/X/C", "D"}));
  EXPECT_EQ(topology.parent(0), -1);
  EXPECT_EQ(topology.parent(1), 0);
  EXPECT_EQ(topology.parent(2), 1);
  EXPECT_EQ(topology.parent(3), -1);
  EXPECT_TRUE(topology.Validate().ok());
  EXPECT_FALSE(JointTopology(Tokens({"A/B", "A"})).Validate().ok());
}

TEST(JointTopologyTest, LongPathsAreChargedToTheRequest) {
  // Each ancestor is looked up by its whole path.
  std::string path = "A";
  for (int i = 0; i < 1000; ++i) path += "/A";
  const auto joints = Tokens({path.c_str(), "B"});
  EXPECT_EQ(JointTopology(joints).size(), 2u);
  RequestContext context;
  EXPECT_EQ(JointTopology(joints, &context).size(), 2u);
  EXPECT_GT(context.steps(), 1000u);
  EXPECT_TRUE(context.Check().ok());
  RequestContext brief(RequestContext::Clock::time_point::max(), {.max_steps = 1000});
  (void)JointTopology(joints, &brief);
  EXPECT_EQ(brief.Check().code(), absl::StatusCode::kResourceExhausted);
}

TEST(AnimMapperTest, MapsValuesBetweenOrders) {
  const AnimMapper mapper(Tokens({"c", "x", "a"}), Tokens({"a", "b", "c"}));
  EXPECT_TRUE(mapper.IsSparse());
  EXPECT_FALSE(mapper.IsNull());
  std::vector<float> target = {10, 20, 30};
  mapper.Remap<float>(std::vector<float>{1, 2, 3}, 0.f, &target);
  EXPECT_EQ(target, (std::vector<float>{3, 20, 1}));
  EXPECT_TRUE(AnimMapper(Tokens({"x"}), Tokens({"a"})).IsNull());
  const AnimMapper run(Tokens({"b"}), Tokens({"a", "b", "c"}));
  std::vector<float> after;
  run.Remap<float>(std::vector<float>{1, 2, 3}, 0.f, &after);
  EXPECT_EQ(after, (std::vector<float>{0, 1, 2}));
  // As in usd-core: of equal names the first one counts for a source that is a contiguous part of
  // the target, otherwise the last one.
  EXPECT_EQ(AnimMapper(Tokens({"a"}), Tokens({"a", "a"})).target(0), 0);
  EXPECT_EQ(AnimMapper(Tokens({"a", "x"}), Tokens({"a", "a"})).target(0), 1);
  EXPECT_TRUE(AnimMapper(Tokens({"a", "b"}), Tokens({"a", "b"})).IsIdentity());
}

TEST(JointTransformsTest, ConcatenatesFromTheRoot) {
  const JointTopology topology(Tokens({"A", "A/B"}));
  const std::vector<Matrix4d> local = {TranslationMatrix({1, 0, 0}), TranslationMatrix({0, 1, 0})};
  const auto skel = ConcatJointTransforms(topology, local);
  EXPECT_EQ(ExtractTranslation(skel[1]), (Vec3d{1, 1, 0}));
  const Matrix4d root = TranslationMatrix({0, 0, 5});
  EXPECT_EQ(ExtractTranslation(ConcatJointTransforms(topology, local, &root)[1]), (Vec3d{1, 1, 5}));
}

TEST(JointTransformsTest, AppliesScaleThenRotationThenTranslation) {
  const Quatf quarter = QuatCast<float>(AxisAngle({0, 0, 1}, 90));
  const Matrix4d m = MakeJointTransform({1, 2, 3}, quarter, {Half(2), Half(1), Half(1)});
  const Vec3d p = Transform({1, 0, 0}, m);
  EXPECT_NEAR(p[0], 1, 1e-6);
  EXPECT_NEAR(p[1], 4, 1e-6);
  EXPECT_NEAR(p[2], 3, 1e-6);
}

TEST(JointTransformsTest, ExtentIsRoundedToFloatBeforeAndAfterTheRoot) {
  const auto rounded = [](double x) {
    const volatile float result = static_cast<float>(x);
    return static_cast<double>(result);
  };
  const Vec3d pivot{0.1, 1.0 / 3, 7.7}, root{1e-3, 2.2, -1.0 / 7};
  const std::vector<Matrix4d> joints = {TranslationMatrix(pivot)};
  const Matrix4d moved = TranslationMatrix(root);
  const Range3d at_root = JointsExtent(joints, 0, &moved);
  const Range3d own = JointsExtent(joints, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(own.min[i], rounded(pivot[i])) << i;
    EXPECT_EQ(at_root.min[i], rounded(rounded(pivot[i]) + root[i])) << i;
    EXPECT_EQ(at_root.max[i], at_root.min[i]) << i;
  }
}

struct Crowd {
  std::vector<int> indices;
  std::vector<float> weights;
  std::vector<Vec3f> points;
  std::vector<Matrix4d> joints;
};

Crowd RandomCrowd(size_t points, int per_point, size_t joints) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-10, 10);
  Crowd crowd;
  for (size_t i = 0; i < joints; ++i) {
    crowd.joints.push_back(
        ScaleMatrix({1 + i * 0.01, 1, 0.9}) *
        AxisRotationMatrix({number(random), 1, number(random)}, 40 * number(random)) *
        TranslationMatrix({number(random), number(random), number(random)}));
  }
  for (size_t i = 0; i < points; ++i) {
    crowd.points.push_back({number(random), number(random), number(random)});
    float sum = 0;
    for (int k = 0; k < per_point; ++k) {
      crowd.indices.push_back(static_cast<int>(random() % joints));
      crowd.weights.push_back(random() % 4 == 0 ? 0 : std::abs(number(random)));
      sum += crowd.weights.back();
    }
    if (sum == 0) continue;
    for (size_t k = crowd.weights.size() - per_point; k < crowd.weights.size(); ++k) {
      crowd.weights[k] /= sum;
    }
  }
  return crowd;
}

// A parallel or fast path gives the same answer as the plain one.
TEST(SkinningTest, FastKernelEqualsTheReference) {
  ThreadPoolExecutor executor(2);
  const Matrix4d bind = AxisRotationMatrix({1, 2, 3}, 20) * TranslationMatrix({.5, 1, -2});
  for (const size_t points : {1, 2, 255, 256, 257, 20000}) {
    for (const int per_point : {1, 2, 3, 4, 7, 12}) {
      const Crowd crowd = RandomCrowd(points, per_point, 60);
      const auto prepared =
          SkinningInfluences::Create(crowd.indices, crowd.weights, per_point, points, 60);
      ASSERT_TRUE(prepared.ok());
      std::vector<Vec3f> plain(points), fast(points), parallel = crowd.points;
      SkinPointsReference(SkinningMethod::kLinear, *prepared, bind, crowd.joints, crowd.points,
                          plain);
      SkinPoints(SkinningMethod::kLinear, *prepared, bind, crowd.joints, crowd.points, fast);
      SkinPoints(SkinningMethod::kLinear, *prepared, bind, crowd.joints, parallel, parallel,
                 &executor);
      for (size_t i = 0; i < points; ++i) {
        for (int c = 0; c < 3; ++c) {
          ASSERT_NEAR(fast[i][c], plain[i][c], 2e-5) << points << " " << per_point << " " << i;
          ASSERT_EQ(fast[i][c], parallel[i][c]);
        }
      }
    }
  }
}

void ExpectClose(const std::vector<Vec3f>& actual, const std::vector<Vec3f>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double size = std::max<double>(1, Length(expected[i]));
    for (int c = 0; c < 3; ++c) ASSERT_NEAR(actual[i][c], expected[i][c], 1e-5 * size) << i;
  }
}

// Joints for dual quaternions, with half turns, opposite turns and, if asked for, scales.
std::vector<Matrix4d> TurnedJoints(size_t count, bool scaled) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-5, 5);
  std::vector<Matrix4d> joints;
  for (size_t i = 0; i < count; ++i) {
    const Vec3d axis = {number(random), number(random), 1};
    const double degrees = i % 5 == 0 ? 180 : i % 5 == 1 ? -179.999 : 72 * number(random);
    const double s = scaled && i % 3 == 0 ? 1.5 : 1;
    joints.push_back(ScaleMatrix({s, 1, s}) * AxisRotationMatrix(axis, degrees) *
                     TranslationMatrix({number(random), number(random), number(random)}));
  }
  return joints;
}

// Weights that do not sum to one, and points without any.
void Unnormalize(Crowd* crowd, int per_point) {
  const size_t stride = static_cast<size_t>(per_point);
  for (size_t i = 0; i < crowd->weights.size(); ++i) {
    if (i / stride % 7 == 3) crowd->weights[i] = 0;
    if (i / stride % 7 == 4) crowd->weights[i] *= 3.5f;
  }
}

// Normals turned by dual quaternions, with the operations of OpenUSD in the same order.
void TurnNormals(const SkinningInfluences& influences, const Matrix3d& geom_bind,
                 const std::vector<Matrix3d>& joints, const std::vector<Vec3f>& normals,
                 std::vector<Vec3f>* out) {
  const JointDualQuaternions motions(joints);
  for (size_t k = 0; k < influences.blocks(); ++k) {
    const SkinningInfluences::Block block = influences.block(k);
    for (size_t i = 0; i < block.points; ++i) {
      const size_t at = block.first_point + i;
      const Vec3f bound = VecCast<float>(VecCast<double>(normals[at]) * geom_bind);
      const Vec3d turned =
          BlendDualQuaternions(motions, bound, block.joints + i * block.per_point,
                               block.weights + i * block.per_point, block.per_point, 0);
      (*out)[at] = VecCast<float>(Normalized(turned));
    }
  }
}

void ExpectFastDualQuaternionsEqualTheReference(size_t points, int per_point, bool scaled) {
  SCOPED_TRACE(testing::Message() << points << " " << per_point << " " << scaled);
  constexpr auto kMethod = SkinningMethod::kDualQuaternion;
  ThreadPoolExecutor executor(2);
  const Matrix4d bind = AxisRotationMatrix({1, 2, 3}, 20) * TranslationMatrix({.5, 1, -2});
  Crowd crowd = RandomCrowd(points, per_point, 60);
  crowd.joints = TurnedJoints(60, scaled);
  Unnormalize(&crowd, per_point);
  const auto prepared =
      SkinningInfluences::Create(crowd.indices, crowd.weights, per_point, points, 60);
  ASSERT_TRUE(prepared.ok());
  std::vector<Vec3f> plain(points), fast(points), parallel = crowd.points;
  SkinPointsReference(kMethod, *prepared, bind, crowd.joints, crowd.points, plain);
  SkinPoints(kMethod, *prepared, bind, crowd.joints, crowd.points, fast);
  SkinPoints(kMethod, *prepared, bind, crowd.joints, parallel, parallel, &executor);
  ExpectClose(fast, plain);
  EXPECT_EQ(fast, parallel);
  std::vector<Matrix3d> turns;
  for (const Matrix4d& m : crowd.joints) turns.push_back(NormalMatrix(m));
  TurnNormals(*prepared, NormalMatrix(bind), turns, crowd.points, &plain);
  SkinNormals(kMethod, *prepared, NormalMatrix(bind), turns, crowd.points, fast);
  ExpectClose(fast, plain);
}

TEST(SkinningTest, FastDualQuaternionsEqualTheReference) {
  for (const int per_point : {1, 2, 3, 5, 7}) {
    for (const bool scaled : {false, true}) {
      for (const size_t points : {1, 2, 7, 255, 256, 257}) {
        ExpectFastDualQuaternionsEqualTheReference(points, per_point, scaled);
      }
    }
  }
  for (const bool scaled : {false, true}) {
    ExpectFastDualQuaternionsEqualTheReference(20000, 7, scaled);  // in parallel
  }
}

// Rotations half a turn apart have a dot product near zero, whose sign depends on the order of the
// sum.
TEST(SkinningTest, HalfTurnsTakeTheSignOfTheReference) {
  constexpr int kJoints = 100;
  std::vector<Matrix4d> joints;
  for (int i = 0; i < kJoints; ++i) joints.push_back(AxisRotationMatrix({1, 2, 3}, 3.6 * i));
  std::vector<int> indices;
  std::vector<float> weights;
  for (int i = 0; i < kJoints; ++i) {
    indices.insert(indices.end(), {i, (i + kJoints / 2) % kJoints});
    weights.insert(weights.end(), {.6f, .4f});
  }
  const auto prepared = SkinningInfluences::Create(indices, weights, 2, kJoints, kJoints);
  ASSERT_TRUE(prepared.ok());
  constexpr auto kMethod = SkinningMethod::kDualQuaternion;
  const std::vector<Vec3f> points(kJoints, Vec3f{1, 0, 0});
  std::vector<Vec3f> plain(kJoints), fast(kJoints);
  SkinPointsReference(kMethod, *prepared, Matrix4d::Identity(), joints, points, plain);
  SkinPoints(kMethod, *prepared, Matrix4d::Identity(), joints, points, fast);
  ExpectClose(fast, plain);
}

TEST(JointDualQuaternionsTest, ScalesOfEachAxisAreKept) {
  const auto has_scales = [](const Matrix3d& joint) {
    return JointDualQuaternions(std::span(&joint, 1)).has_scales();
  };
  EXPECT_FALSE(has_scales(Matrix3d::Identity()));
  EXPECT_FALSE(has_scales(ExtractRotationMatrix(AxisRotationMatrix({1, 2, 3}, 40))));
  for (int axis = 0; axis < 3; ++axis) {
    Matrix3d scaled = Matrix3d::Identity();
    scaled[axis][axis] = 2;
    EXPECT_TRUE(has_scales(scaled)) << axis;
  }
}

TEST(SkinningTest, TransformsAfterSkinningEqualSeparateOnes) {
  const Crowd crowd = RandomCrowd(300, 3, 20);
  const auto prepared = SkinningInfluences::Create(crowd.indices, crowd.weights, 3, 300, 20);
  const Matrix4d after = AxisRotationMatrix({3, 2, 1}, 50) * TranslationMatrix({4, 5, 6});
  for (const auto method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    std::vector<Vec3f> plain(300), fast(300);
    SkinPointsReference(method, *prepared, after, crowd.joints, crowd.points, plain);
    for (Vec3f& p : plain) p = VecCast<float>(Transform(VecCast<double>(p), after));
    SkinPoints(method, *prepared, after, crowd.joints, crowd.points, fast, nullptr, after);
    ExpectClose(fast, plain);
  }
}

TEST(SkinningTest, WritesNothingBeyondItsPoints) {
  const Crowd crowd = RandomCrowd(5, 2, 3);
  const auto prepared = SkinningInfluences::Create(crowd.indices, crowd.weights, 2, 5, 3);
  for (const auto method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    std::vector<Vec3f> out(6, Vec3f{42, 42, 42});
    SkinPoints(method, *prepared, Matrix4d::Identity(), crowd.joints, crowd.points,
               std::span(out).first(5));
    EXPECT_EQ(out[5], (Vec3f{42, 42, 42}));
  }
}

TEST(SkinningTest, DualQuaternionsKeepTheRadius) {
  // Halfway between no turn and a half turn about x, linear blending collapses to the axis.
  const Matrix4d joints[] = {Matrix4d::Identity(), AxisRotationMatrix({1, 0, 0}, 179)};
  const int indices[] = {0, 1};
  const float weights[] = {.5f, .5f};
  const Vec3f points[] = {{3, 1, 0}};
  const auto prepared = SkinningInfluences::Create(indices, weights, 2, 1, 2);
  Vec3f out[1];
  SkinPoints(SkinningMethod::kDualQuaternion, *prepared, Matrix4d::Identity(), joints, points, out);
  EXPECT_NEAR(std::hypot(out[0][1], out[0][2]), 1, 1e-5);
  EXPECT_NEAR(out[0][0], 3, 1e-5);
  SkinPoints(SkinningMethod::kLinear, *prepared, Matrix4d::Identity(), joints, points, out);
  EXPECT_LT(std::hypot(out[0][1], out[0][2]), 0.02);
}

TEST(SkinningTest, DualQuaternionsTranslateAndScale) {
  const Matrix4d joints[] = {ScaleMatrix({2, 2, 2}) * AxisRotationMatrix({0, 0, 1}, 90) *
                             TranslationMatrix({1, 2, 3})};
  const int indices[] = {0};
  const float weights[] = {1};
  const Vec3f points[] = {{1, 0, 0}};
  const auto prepared = SkinningInfluences::Create(indices, weights, 1, 1, 1);
  Vec3f out[1];
  SkinPoints(SkinningMethod::kDualQuaternion, *prepared, Matrix4d::Identity(), joints, points, out);
  EXPECT_NEAR(out[0][0], 1, 1e-5);
  EXPECT_NEAR(out[0][1], 4, 1e-5);
  EXPECT_NEAR(out[0][2], 3, 1e-5);
}

TEST(SkinningTest, NormalsRotateAndStayUnitLength) {
  const Matrix3d joints[] = {
      NormalMatrix(ScaleMatrix({2, 1, 1}) * AxisRotationMatrix({0, 0, 1}, 90))};
  const int indices[] = {0};
  const float weights[] = {.7f};
  const Vec3f normals[] = {{0, 1, 0}};
  const auto prepared = SkinningInfluences::Create(indices, weights, 1, 1, 1);
  for (const auto method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
    Vec3f out[1];
    SkinNormals(method, *prepared, Matrix3d::Identity(), joints, normals, out);
    EXPECT_NEAR(out[0][0], -1, 1e-5);
    EXPECT_NEAR(out[0][1], 0, 1e-5);
  }
}

TEST(SkinningTest, RigidTransformFollowsOneJointExactly) {
  const Matrix4d joints[] = {AxisRotationMatrix({1, 1, 0}, 33) * TranslationMatrix({1, 2, 3})};
  const Matrix4d bind = TranslationMatrix({0, 0, 1});
  const int index[] = {0};
  const float weight[] = {1};
  EXPECT_EQ(SkinTransform(SkinningMethod::kLinear, bind, joints, index, weight), bind * joints[0]);
  const int bad[] = {1};
  EXPECT_EQ(SkinTransform(SkinningMethod::kLinear, bind, joints, bad, weight), std::nullopt);
}

BlendShape Shape(std::initializer_list<std::pair<float, Array<Vec3f>>> subs) {
  BlendShape shape;
  for (const auto& [weight, offsets] : subs) {
    shape.sub_shapes.push_back({.weight = weight,
                                .is_null = false,
                                .inbetween = {},
                                .offsets = offsets,
                                .normal_offsets = {}});
  }
  FinishBlendShape(&shape);
  return shape;
}

Vec3f Blended(const BlendShape& shape, float weight) {
  const std::vector<BlendShape> shapes = {shape};
  const float weights[] = {weight};
  std::vector<Vec3f> points = {{0, 0, 0}};
  const auto active = ComputeSubShapeWeights(shapes, weights);
  EXPECT_TRUE(active.has_value());
  const auto moved = BlendedVectors::Create(shapes, *active, BlendTarget::kPoints, points);
  return moved ? moved->ToArray()[0] : points[0];
}

TEST(BlendShapesTest, InbetweensApplyAtTheirWeights) {
  const BlendShape shape = Shape({{1, {{10, 0, 0}}}, {.5f, {{0, 8, 0}}}});
  EXPECT_EQ(Blended(shape, .25f), (Vec3f{0, 4, 0}));
  EXPECT_EQ(Blended(shape, .5f), (Vec3f{0, 8, 0}));
  EXPECT_EQ(Blended(shape, .75f), (Vec3f{5, 4, 0}));
  EXPECT_EQ(Blended(shape, 2), (Vec3f{30, -16, 0}));
  EXPECT_EQ(Blended(shape, -1), (Vec3f{0, -16, 0}));
  EXPECT_EQ(Blended(shape, 0), (Vec3f{0, 0, 0}));
}

// Shapes with offsets of all points and, in any order and with repeated indices, of some.
std::vector<BlendShape> ShapesOf(size_t points) {
  std::mt19937 random(5);
  std::vector<BlendShape> shapes(2);
  for (BlendShape& shape : shapes) {
    const bool sparse = &shape == &shapes[1];
    const size_t count = sparse ? points / 2 : points;
    std::vector<Vec3f> offsets(count);
    for (Vec3f& o : offsets) o = {static_cast<float>(random() % 100), 1, -2};
    std::vector<int> indices(sparse ? count : 0);
    for (int& i : indices) i = static_cast<int>(random() % points);
    shape.point_indices = Array<int>::FromVector(indices);
    shape.sub_shapes.push_back({.weight = 1,
                                .is_null = false,
                                .inbetween = {},
                                .offsets = Array<Vec3f>::FromVector(offsets),
                                .normal_offsets = {}});
  }
  return shapes;
}

TEST(BlendShapesTest, OffsetsInAnyOrderAreAddedBlockByBlock) {
  for (const size_t points : {2, 255, 256, 257, 1000}) {
    SCOPED_TRACE(points);
    std::vector<BlendShape> shapes = ShapesOf(points);
    std::vector<Vec3f> expected(points), values(points, Vec3f{1, 2, 3});
    for (size_t i = 0; i < points; ++i) {
      expected[i] = values[i] + shapes[0].sub_shapes[0].offsets[i] * 0.5f;
    }
    for (size_t i = 0; i < shapes[1].point_indices.size(); ++i) {
      Vec3f& at = expected[static_cast<size_t>(shapes[1].point_indices[i])];
      at = at + shapes[1].sub_shapes[0].offsets[i] * 2.0f;
    }
    for (BlendShape& shape : shapes) FinishBlendShape(&shape);
    const float weights[] = {0.5f, 2};
    const auto active = ComputeSubShapeWeights(shapes, weights);
    const auto blended = BlendedVectors::Create(shapes, *active, BlendTarget::kPoints, values);
    ASSERT_TRUE(blended.has_value());
    const Array<Vec3f> all = blended->ToArray();
    ExpectClose({all.begin(), all.end()}, expected);
    const Crowd crowd = RandomCrowd(points, 3, 20);
    const auto prepared = SkinningInfluences::Create(crowd.indices, crowd.weights, 3, points, 20);
    for (const auto method : {SkinningMethod::kLinear, SkinningMethod::kDualQuaternion}) {
      std::vector<Vec3f> fused(points), plain(points);
      SkinPoints(method, *prepared, Matrix4d::Identity(), crowd.joints, *blended, fused);
      SkinPoints(method, *prepared, Matrix4d::Identity(), crowd.joints, all.span(), plain);
      EXPECT_EQ(fused, plain);
    }
  }
}

// Expected values come from usd-core 26.11.
TEST(BlendShapesTest, TargetsThatAreNotShapesTakeTheOffsetsOfAnother) {
  const BlendShape a = Shape({{1, {{1, 0, 0}}}, {.5f, {{0, 0, 9}}}});
  BlendShape none, inactive;
  none.found = false;
  const auto blended = [](const std::vector<BlendShape>& shapes, std::vector<float> weights) {
    const std::vector<Vec3f> points = {{0, 0, 0}};
    const auto active = ComputeSubShapeWeights(shapes, weights);
    if (!active) return points[0];
    const auto moved = BlendedVectors::Create(shapes, *active, BlendTarget::kPoints, points);
    return moved ? moved->ToArray()[0] : points[0];
  };
  EXPECT_EQ(blended({a, none}, {1, .5f}), (Vec3f{1, 0, 4.5f}));
  EXPECT_EQ(blended({none, a}, {.5f, 0}), (Vec3f{0, 0, 4.5f}));
  EXPECT_EQ(blended({a, none}, {1, 0}), (Vec3f{1, 0, 0}));
  EXPECT_EQ(blended({inactive, a}, {.5f, 0}), (Vec3f{0, 0, 4.5f}));
  // Nothing is blended if there is no other shape.
  EXPECT_EQ(blended({a, inactive}, {1, 0}), (Vec3f{0, 0, 0}));
  EXPECT_EQ(blended({none}, {0}), (Vec3f{0, 0, 0}));
}

TEST(BlendShapesTest, SparseIndicesMayBeFarApart) {
  std::vector<BlendShape> shapes = {Shape({{1, {{1, 0, 0}, {2, 0, 0}}}})};
  shapes[0].sub_shapes.erase(shapes[0].sub_shapes.begin());  // added again by FinishBlendShape
  shapes[0].point_indices = {99999, 3};
  FinishBlendShape(&shapes[0]);
  const float weights[] = {1};
  const std::vector<Vec3f> points(100000);
  const auto active = ComputeSubShapeWeights(shapes, weights);
  const auto moved = BlendedVectors::Create(shapes, *active, BlendTarget::kPoints, points);
  ASSERT_TRUE(moved.has_value());
  const Array<Vec3f> all = moved->ToArray();
  EXPECT_EQ(all[3], (Vec3f{2, 0, 0}));
  EXPECT_EQ(all[99999], (Vec3f{1, 0, 0}));
  EXPECT_EQ(all[4], (Vec3f{0, 0, 0}));
}

TEST(BlendShapesTest, BadIndicesLeaveThePointsUnchanged) {
  BlendShape shape = Shape({{1, {{1, 0, 0}, {1, 0, 0}}}});
  shape.point_indices = {0, 7};
  shape.sub_shapes.pop_back();
  FinishBlendShape(&shape);
  EXPECT_EQ(Blended(shape, 1), (Vec3f{0, 0, 0}));
  const std::vector<BlendShape> shapes = {shape};
  EXPECT_EQ(ComputeSubShapeWeights(shapes, {}), std::nullopt);
}

}  // namespace
}  // namespace stagedoor
