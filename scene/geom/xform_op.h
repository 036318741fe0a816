// The transform operations of xformOpOrder (UsdGeomXformable): names and matrices. Pure functions.
#ifndef STAGEDOOR_SCENE_GEOM_XFORM_OP_H_
#define STAGEDOOR_SCENE_GEOM_XFORM_OP_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scene/paths/token.h"
#include "scene/values/linear.h"
#include "scene/values/value.h"

namespace stagedoor {

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
// None for what is no operation ("xformOp:foo", other attributes).
std::optional<XformOpName> ParseXformOpName(std::string_view entry);

inline constexpr std::string_view kResetXformStack = "!resetXformStack!";

// The entries that count: what stands before the last reset is dropped, and neighbours that undo
// each other are left out; but not what only becomes neighbours by that, as in OpenUSD.
struct XformOpOrder {
  bool resets = false;
  std::vector<Token> entries;
};
XformOpOrder SimplifyXformOpOrder(std::span<const Token> order);

// Multiplies `*m` by the operation's matrix, on the right, for a value of any precision. False,
// with
// `*m` as it was, for values of another kind. The inverse of a singular transform is the identity.
bool ApplyXformOp(XformOpType type, const Value& value, bool inverse, Matrix4d* m);
// The operation's matrix alone.
std::optional<Matrix4d> XformOpMatrix(XformOpType type, const Value& value, bool inverse);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_XFORM_OP_H_
