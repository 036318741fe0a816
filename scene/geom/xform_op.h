#ifndef STAGEDOOR_SCENE_GEOM_XFORM_OP_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_OP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scene/paths/token.h"
#include "scene/values/matrix.h"
#include "scene/values/value.h"

namespace stagedoor {

// The names and matrices of the transform operations in xformOpOrder. Corresponds to OpenUSD's
// UsdGeomXformOp. Pure functions.

enum class XformOpType : uint8_t {
  kTranslate,
  kTranslateX,
  kTranslateY,
  kTranslateZ,
  kScale,
  kScaleX,
  kScaleY,
  kScaleZ,
  kRotateX,
  kRotateY,
  kRotateZ,
  kRotateXYZ,
  kRotateXZY,
  kRotateYXZ,
  kRotateYZX,
  kRotateZXY,
  kRotateZYX,
  kOrient,
  kTransform
};

// An entry of xformOpOrder.
struct XformOpName {
  XformOpType type = XformOpType::kTransform;
  bool inverse = false;        // "!invert!"
  std::string_view attribute;  // "xformOp:translate:pivot"; points into the parsed text
};
// Empty if `entry` does not name a known operation.
std::optional<XformOpName> ParseXformOpName(std::string_view entry);

inline constexpr std::string_view kResetXformStack = "!resetXformStack!";

// The effective entries of an xformOpOrder. Entries before the last reset are dropped, and so are
// adjacent pairs of an operation and its inverse. Pairs that become adjacent only in this way stay,
// as in OpenUSD.
struct XformOpOrder {
  bool resets = false;
  std::vector<Token> entries;
};
XformOpOrder SimplifyXformOpOrder(std::span<const Token> order);

// Multiplies `*m` on the right by the operation's matrix. `value` may have any precision. Returns
// false and leaves `*m` unchanged if the value's type does not suit the operation. The inverse of a
// singular transform is the identity. Angles are in degrees.
bool ApplyXformOp(XformOpType type, const Value& value, bool inverse, Matrix4d* m);
// The operation's matrix; empty if the value's type does not suit the operation.
std::optional<Matrix4d> XformOpMatrix(XformOpType type, const Value& value, bool inverse);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_OP_H_
