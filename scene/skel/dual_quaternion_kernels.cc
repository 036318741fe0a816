#include "scene/skel/dual_quaternion_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Highway includes this file again for each instruction set, and selects one of the results at run
// time; code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is compiled each time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/skel/dual_quaternion_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"

HWY_BEFORE_NAMESPACE();
namespace stagedoor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A quaternion, or the part of it that a vector holds.
using Part = hn::CappedTag<double, 4>;
using PartVec = hn::Vec<Part>;
constexpr size_t kPartLanes = HWY_MIN(4, HWY_MAX_BYTES / sizeof(double));
constexpr size_t kParts = 4 / kPartLanes;
// Doubles of a dual quaternion: x, y, z, w of the real part, then of the dual part.
constexpr size_t kDual = 8;

// One coordinate of several points.
using Many = hn::CappedTag<double, 8>;
using ManyVec = hn::Vec<Many>;

struct ManyVec3 {
  ManyVec x, y, z;
};

struct QuatParts {
  PartVec at[kParts];
};

HWY_INLINE QuatParts LoadQuat(const double* from) {
  QuatParts q;
  for (size_t i = 0; i < kParts; ++i) q.at[i] = hn::LoadU(Part(), from + i * kPartLanes);
  return q;
}

HWY_INLINE double DotOf(const QuatParts& a, const QuatParts& b) {
  PartVec products = hn::Mul(a.at[0], b.at[0]);
  for (size_t i = 1; i < kParts; ++i) products = hn::MulAdd(a.at[i], b.at[i], products);
  return hn::GetLane(hn::SumOfLanes(Part(), products));
}

// Whether the dot product of the rotations `turn` and `pivot`, at `motion` and `first` in memory,
// is negative. Near zero, as of half turns about one axis, the order of the sum decides: it is that
// of OpenUSD then.
HWY_INLINE bool TurnsAway(const QuatParts& turn, const QuatParts& pivot, const double* motion,
                          const double* first) {
  const double dot = DotOf(turn, pivot);
  if (HWY_LIKELY(std::abs(dot) > 1e-12)) return dot < 0;
  return motion[0] * first[0] + motion[1] * first[1] + motion[2] * first[2] + motion[3] * first[3] <
         0;
}

HWY_INLINE void Accumulate(const QuatParts& q, PartVec weight, QuatParts* sum) {
  for (size_t i = 0; i < kParts; ++i) sum->at[i] = hn::MulAdd(q.at[i], weight, sum->at[i]);
}

HWY_INLINE void StoreQuat(const QuatParts& q, double* to) {
  for (size_t i = 0; i < kParts; ++i) hn::StoreU(q.at[i], Part(), to + i * kPartLanes);
}

// Blends one point: its joints are scattered in memory, so points cannot share a vector here. The
// first joint is the pivot: q and -q are the same rotation, but blend to different ones, so each
// joint takes the sign that is nearer to the pivot, as in _SkinPointsDQS of OpenUSD.
HWY_INLINE void BlendOne(const double* motions, const uint32_t* joints, const float* weights,
                         size_t count, double* HWY_RESTRICT out) {
  const Part d;
  const double* first = motions + kDual * joints[0];
  const QuatParts pivot = LoadQuat(first);
  QuatParts real = {}, dual = {};
  const auto first_weight = hn::Set(d, weights[0]);
  for (size_t i = 0; i < kParts; ++i) {
    real.at[i] = hn::Mul(pivot.at[i], first_weight);
    dual.at[i] = hn::Mul(hn::LoadU(d, first + 4 + i * kPartLanes), first_weight);
  }
  for (size_t k = 1; k < count; ++k) {
    const double* motion = motions + kDual * joints[k];
    const QuatParts turn = LoadQuat(motion);
    const double weight = weights[k];
    const auto signed_weight = hn::Set(d, TurnsAway(turn, pivot, motion, first) ? -weight : weight);
    Accumulate(turn, signed_weight, &real);
    Accumulate(LoadQuat(motion + 4), signed_weight, &dual);
  }
  StoreQuat(real, out);
  StoreQuat(dual, out + 4);
}

HWY_INLINE ManyVec Dot3(const ManyVec3& a, const ManyVec3& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

HWY_INLINE ManyVec3 Cross3(const ManyVec3& a, const ManyVec3& b) {
  return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
          hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

HWY_INLINE ManyVec3 AddTimes(const ManyVec3& a, ManyVec s, const ManyVec3& b) {
  return {hn::MulAdd(a.x, s, b.x), hn::MulAdd(a.y, s, b.y), hn::MulAdd(a.z, s, b.z)};
}

HWY_INLINE ManyVec3 Times(const ManyVec3& a, ManyVec s) {
  return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}

HWY_INLINE ManyVec3 TransformMany(const ManyVec3& p, const Matrix4d& m) {
  const Many d;
  const auto column = [&](size_t c) {
    const auto moved = hn::MulAdd(p.z, hn::Set(d, m.m[2][c]), hn::Set(d, m.m[3][c]));
    return hn::MulAdd(p.x, hn::Set(d, m.m[0][c]), hn::MulAdd(p.y, hn::Set(d, m.m[1][c]), moved));
  };
  return {column(0), column(1), column(2)};
}

// Moves several points by their blended dual quaternions, which are normalized first, or replaced
// by the identity if the rotation vanishes (as opposite rotations of equal weight do).
HWY_INLINE ManyVec3 MoveMany(const double* blended, const ManyVec3& p) {
  const Many d;
  const hn::RebindToSigned<Many> di;
  const auto at = hn::ShiftLeft<3>(hn::Iota(di, 0));  // multiples of kDual
  const auto component = [&](size_t i) { return hn::GatherIndex(d, blended + i, at); };
  ManyVec3 u = {component(0), component(1), component(2)};
  auto w = component(3);
  ManyVec3 v = {component(4), component(5), component(6)};
  auto v_real = component(7);
  const auto length = hn::Sqrt(hn::MulAdd(w, w, Dot3(u, u)));
  const auto vanishes = hn::Lt(length, hn::Set(d, 1e-10));
  const auto scale = hn::IfThenZeroElse(vanishes, hn::Div(hn::Set(d, 1.0), length));
  u = Times(u, scale);
  w = hn::IfThenElse(vanishes, hn::Set(d, 1.0), hn::Mul(w, scale));
  v = Times(v, scale);
  v_real = hn::Mul(v_real, scale);
  // A unit dual quaternion has a dual part orthogonal to its real part, which blending loses.
  const auto along = hn::Neg(hn::MulAdd(w, v_real, Dot3(u, v)));
  v = AddTimes(u, along, v);
  v_real = hn::MulAdd(w, along, v_real);
  const auto two = hn::Set(d, 2.0);
  const ManyVec3 once = AddTimes(p, w, Cross3(u, p));
  const ManyVec3 move = AddTimes(v, w, AddTimes(u, hn::Neg(v_real), Cross3(u, v)));
  return AddTimes(move, two, AddTimes(Cross3(u, once), two, p));
}

// Converts up to a vector's number of points between float triples and vectors of coordinates.
class PointLanes {
 public:
  explicit PointLanes(size_t count) : count_(count) {}

  HWY_INLINE ManyVec3 Load(const Vec3f* from) {
    const Many d;
    for (size_t i = 0; i < count_; ++i) {
      for (size_t c = 0; c < 3; ++c) lanes_[c][i] = from[i].v[c];
    }
    return {hn::Load(d, lanes_[0]), hn::Load(d, lanes_[1]), hn::Load(d, lanes_[2])};
  }
  HWY_INLINE void Store(const ManyVec3& p, Vec3f* to) {
    const Many d;
    hn::Store(p.x, d, lanes_[0]);
    hn::Store(p.y, d, lanes_[1]);
    hn::Store(p.z, d, lanes_[2]);
    for (size_t i = 0; i < count_; ++i) {
      for (size_t c = 0; c < 3; ++c) to[i].v[c] = static_cast<float>(lanes_[c][i]);
    }
  }

 private:
  const size_t count_;
  alignas(64) double lanes_[3][8] = {};
};

// Clamped, so that a normal of length 0 stays 0 instead of becoming nan.
HWY_INLINE ManyVec3 UnitLength(const ManyVec3& p) {
  const Many d;
  const auto length = hn::Max(hn::Sqrt(Dot3(p, p)), hn::Set(d, 1e-10));
  return Times(p, hn::Div(hn::Set(d, 1.0), length));
}

void SkinDualQuaternionKernel(const SkinningInfluences::Block& block, const DualQuaternion* motions,
                              const DualQuaternionFrame& frame, const Vec3f* points, Vec3f* out) {
  // The largest number of lanes: the buffer is read in whole vectors.
  constexpr size_t kMany = 8;
  alignas(64) double blended[(SkinningInfluences::kBlock + kMany) * kDual];
  const double* from = motions->real.imaginary.v;
  for (size_t i = 0; i < block.points; ++i) {
    BlendOne(from, block.joints + i * block.per_point, block.weights + i * block.per_point,
             block.per_point, blended + i * kDual);
  }
  std::fill_n(blended + block.points * kDual, kMany * kDual, 0.0);
  // Often the identity, which need not be applied.
  const bool moved_before = !(frame.before == Matrix4d::Identity());
  const bool moved_after = !(frame.after == Matrix4d::Identity());
  const size_t lanes = hn::Lanes(Many());
  for (size_t i = 0; i < block.points; i += lanes) {
    PointLanes at(std::min(lanes, block.points - i));
    ManyVec3 p = at.Load(points + i);
    if (moved_before) p = TransformMany(p, frame.before);
    p = MoveMany(blended + i * kDual, p);
    if (moved_after) p = TransformMany(p, frame.after);
    if (frame.unit_length) p = UnitLength(p);
    at.Store(p, out + i);
  }
}

}  // namespace stagedoor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stagedoor {

HWY_EXPORT(SkinDualQuaternionKernel);

// The kernel reads dual quaternions as arrays of kDual doubles.
static_assert(sizeof(DualQuaternion) == 8 * sizeof(double));

void SkinDualQuaternionBlock(const SkinningInfluences::Block& block, const DualQuaternion* motions,
                             const DualQuaternionFrame& frame, const Vec3f* points, Vec3f* out) {
  HWY_DYNAMIC_DISPATCH(SkinDualQuaternionKernel)(block, motions, frame, points, out);
}

}  // namespace stagedoor
#endif
