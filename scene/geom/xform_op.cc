#include "scene/geom/xform_op.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/quat.h"
#include "scene/values/quat_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr struct {
  std::string_view name;
  XformOpType type;
} kOps[] = {
    {"translate", XformOpType::kTranslate},   {"translateX", XformOpType::kTranslateX},
    {"translateY", XformOpType::kTranslateY}, {"translateZ", XformOpType::kTranslateZ},
    {"scale", XformOpType::kScale},           {"scaleX", XformOpType::kScaleX},
    {"scaleY", XformOpType::kScaleY},         {"scaleZ", XformOpType::kScaleZ},
    {"rotateX", XformOpType::kRotateX},       {"rotateY", XformOpType::kRotateY},
    {"rotateZ", XformOpType::kRotateZ},       {"rotateXYZ", XformOpType::kRotateXYZ},
    {"rotateXZY", XformOpType::kRotateXZY},   {"rotateYXZ", XformOpType::kRotateYXZ},
    {"rotateYZX", XformOpType::kRotateYZX},   {"rotateZXY", XformOpType::kRotateZXY},
    {"rotateZYX", XformOpType::kRotateZYX},   {"orient", XformOpType::kOrient},
    {"transform", XformOpType::kTransform},
};

constexpr std::string_view kInvert = "!invert!";

std::optional<double> Number(const Value& value) {
  if (const double* d = value.Get<double>()) return *d;
  if (const float* f = value.Get<float>()) return *f;
  if (const Half* h = value.Get<Half>()) return float(*h);
  return std::nullopt;
}

std::optional<Vec3d> Vector(const Value& value) {
  if (const Vec3d* d = value.Get<Vec3d>()) return *d;
  if (const Vec3f* f = value.Get<Vec3f>()) return VecCast<double>(*f);
  if (const Vec3h* h = value.Get<Vec3h>()) return VecCast<double>(*h);
  return std::nullopt;
}

std::optional<Quatd> Quaternion(const Value& value) {
  if (const Quatd* d = value.Get<Quatd>()) return *d;
  if (const Quatf* f = value.Get<Quatf>()) return QuatCast<double>(*f);
  if (const Quath* h = value.Get<Quath>()) return QuatCast<double>(*h);
  return std::nullopt;
}

// The following functions multiply `*m`, which is finite, on the right by matrices that consist
// mostly of zeros and ones, with only the arithmetic that has an effect.

void Translate(const Vec3d& t, Matrix4d* m) {
  for (auto& row : m->m) {
    for (int j = 0; j < 3; ++j) row[j] += row[3] * t[j];
  }
}

void Scale(const Vec3d& s, Matrix4d* m) {
  for (auto& row : m->m) {
    for (int j = 0; j < 3; ++j) row[j] *= s[j];
  }
}

void RotateAxis(int axis, double degrees, Matrix4d* m) {
  // Computed from a quaternion, as GfMatrix4d::SetRotate does, so that results round alike.
  const double half = degrees * (std::numbers::pi / 180) / 2;
  const double sine = std::sin(half), cosine = std::cos(half);
  const double along = 1 - 2 * (sine * sine), across = 2 * (sine * cosine);
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  for (auto& row : m->m) {
    const double old = row[b];
    row[b] = old * along - row[c] * across;
    row[c] = old * across + row[c] * along;
  }
}

// Per rotation type, the axes in the order in which they rotate a point.
constexpr int kEulerOrder[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

void RotateEuler(XformOpType type, const Vec3d& degrees, bool inverse, Matrix4d* m) {
  const int* axes = kEulerOrder[static_cast<int>(type) - static_cast<int>(XformOpType::kRotateXYZ)];
  for (int i = 0; i < 3; ++i) {
    const int axis = axes[inverse ? 2 - i : i];
    RotateAxis(axis, inverse ? -degrees[axis] : degrees[axis], m);
  }
}

// The rotation of a quaternion, which need not have unit length: about its imaginary part, by the
// angle of its real part. OpenUSD does not normalize it either.
Matrix4d QuaternionRotation(const Quatd& q, bool inverse) {
  const double length = Length(q.imaginary);
  if (!(length > 1e-10)) return Matrix4d::Identity();
  const double degrees = 2 * std::acos(std::clamp(q.real, -1.0, 1.0)) * (180 / std::numbers::pi);
  return AxisRotationMatrix(q.imaginary * (1 / length), inverse ? -degrees : degrees);
}

void ApplyOneAxis(XformOpType type, double number, bool inverse, Matrix4d* m) {
  const int index = static_cast<int>(type);
  const double signed_number = inverse ? -number : number;
  if (type <= XformOpType::kTranslateZ) {
    Vec3d t;
    t[index - static_cast<int>(XformOpType::kTranslateX)] = signed_number;
    return Translate(t, m);
  }
  if (type <= XformOpType::kScaleZ) {
    Vec3d s{1, 1, 1};
    // OpenUSD inverts scaleX, scaleY and scaleZ by negation, not by the reciprocal.
    s[index - static_cast<int>(XformOpType::kScaleX)] = signed_number;
    return Scale(s, m);
  }
  RotateAxis(index - static_cast<int>(XformOpType::kRotateX), signed_number, m);
}

void ApplyThreeAxes(XformOpType type, const Vec3d& v, bool inverse, Matrix4d* m) {
  if (type == XformOpType::kTranslate) return Translate(inverse ? -v : v, m);
  if (type == XformOpType::kScale) {
    return Scale(inverse ? Vec3d{1 / v[0], 1 / v[1], 1 / v[2]} : v, m);
  }
  RotateEuler(type, v, inverse, m);
}

bool ApplyTransform(const Value& value, bool inverse, Matrix4d* m) {
  const Matrix4d* transform = value.Get<Matrix4d>();
  if (!transform) return false;
  // A fast path for the usual prim whose only operation is a matrix.
  const bool first = *m == Matrix4d::Identity();
  if (!inverse) {
    *m = first ? *transform : *m * *transform;
    return true;
  }
  double determinant;
  const Matrix4d inverted = Inverse(*transform, &determinant);
  if (!(std::abs(determinant) < 1e-9)) *m = first ? inverted : *m * inverted;
  return true;
}

bool IsFinite(const Matrix4d& m) {
  double sum = 0;  // nan if an element is not finite
  for (const auto& row : m.m) {
    for (const double x : row) sum += 0 * x;
  }
  return sum == 0;
}

bool TakesVector(XformOpType type) {
  return type == XformOpType::kTranslate || type == XformOpType::kScale ||
         (type >= XformOpType::kRotateXYZ && type <= XformOpType::kRotateZYX);
}

bool UndoEachOther(Token a, Token b) {
  const auto first = ParseXformOpName(a.text());
  const auto second = ParseXformOpName(b.text());
  return first && second && first->attribute == second->attribute &&
         first->inverse != second->inverse;
}

}  // namespace

std::optional<XformOpName> ParseXformOpName(std::string_view entry) {
  XformOpName result;
  if (entry.starts_with(kInvert)) {
    result.inverse = true;
    entry.remove_prefix(kInvert.size());
  }
  constexpr std::string_view kPrefix = "xformOp:";
  if (!entry.starts_with(kPrefix)) return std::nullopt;
  result.attribute = entry;
  const std::string_view rest = entry.substr(kPrefix.size());
  const std::string_view word = rest.substr(0, rest.find(':'));
  for (const auto& op : kOps) {
    if (op.name != word) continue;
    result.type = op.type;
    return result;
  }
  return std::nullopt;
}

XformOpOrder SimplifyXformOpOrder(std::span<const Token> order) {
  XformOpOrder result;
  for (const Token entry : order) {
    if (entry.text() == kResetXformStack) {
      result.resets = true;
      result.entries.clear();
      continue;
    }
    result.entries.push_back(entry);
  }
  // OpenUSD removes pairs in one pass from the end.
  std::vector<Token> kept;
  for (size_t left = result.entries.size(); left > 0; --left) {
    if (left > 1 && UndoEachOther(result.entries[left - 2], result.entries[left - 1])) {
      --left;
    } else {
      kept.push_back(result.entries[left - 1]);
    }
  }
  result.entries.assign(kept.rbegin(), kept.rend());
  return result;
}

bool ApplyXformOp(XformOpType type, const Value& value, bool inverse, Matrix4d* m) {
  if (!IsFinite(
          *m)) {  // zeros have an effect, too: the inverse of a scale of 0 spreads to all axes
    const auto operation = XformOpMatrix(type, value, inverse);
    if (operation && *operation != Matrix4d::Identity()) *m = *m * *operation;
    return operation.has_value();
  }
  if (type == XformOpType::kTransform) return ApplyTransform(value, inverse, m);
  if (type == XformOpType::kOrient) {
    const auto q = Quaternion(value);
    if (q) *m = *m * QuaternionRotation(*q, inverse);
    return q.has_value();
  }
  if (TakesVector(type)) {
    const auto v = Vector(value);
    if (v) ApplyThreeAxes(type, *v, inverse, m);
    return v.has_value();
  }
  const auto number = Number(value);
  if (number) ApplyOneAxis(type, *number, inverse, m);
  return number.has_value();
}

std::optional<Matrix4d> XformOpMatrix(XformOpType type, const Value& value, bool inverse) {
  Matrix4d m = Matrix4d::Identity();
  return ApplyXformOp(type, value, inverse, &m) ? std::optional(m) : std::nullopt;
}

}  // namespace stagedoor
