#ifndef STAGEDOOR_SCENE_SHADE_COLOR_SPACES_H_
#define STAGEDOOR_SCENE_SHADE_COLOR_SPACES_H_

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/values/vec.h"

namespace stagedoor {

// The color spaces of values. Correspond to OpenUSD's UsdColorSpaceAPI and
// UsdColorSpaceDefinitionAPI.

// A color space that an instance of ColorSpaceDefinitionAPI defines for a prim and what is below.
struct ColorSpaceDefinition {
  Token name;
  Path prim;                                              // that the schema is applied to
  Vec2f red{0, 0}, green{0, 0}, blue{0, 0}, white{0, 0};  // chromaticities
  float gamma = 0;
  float linear_bias = 0;
};

// Whether it is a name that GfColorSpace knows, such as "lin_ap1_scene" or "ACEScg".
bool IsStandardColorSpace(Token name);

// Finds the color spaces of many prims and attributes of a stage. Valid as long as the stage. Not
// thread-safe.
class ColorSpaces {
 public:
  explicit ColorSpaces(RequestContext& context)
      : context_(context), pacer_(context), reserved_(context) {}

  // The color space that the closest ColorSpaceAPI, of the prim or above it, names. Empty if there
  // is none, or if it is neither a standard one nor defined there or above. Corresponds to
  // UsdColorSpaceAPI::ComputeColorSpaceName.
  Token NameOf(const Prim& prim);
  // The name of the color space of an attribute: its metadata colorSpace, or else that of its prim.
  Token NameOf(const Attribute& attribute);

  // The definition of a name for a prim, of itself or above it. Null for standard names and those
  // that are not defined. The pointer is valid as long as this object.
  const ColorSpaceDefinition* FindDefinition(const Prim& prim, Token name);

  // The attributes that name an unknown color space: the first kMaxUnknown, each once.
  static constexpr size_t kMaxUnknown = 1000;
  const std::vector<Path>& unknown() const { return unknown_; }

 private:
  // The color space that a prim names itself; nothing if it names none.
  std::optional<Token> OwnName(const Prim& prim);
  ColorSpaceDefinition ReadDefinition(const Prim& prim, Token instance, Token name);

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };
  std::unordered_map<Prim, Token, PrimHash> names_;
  std::map<std::pair<Path, Token>, ColorSpaceDefinition> definitions_;  // by prim and instance
  std::vector<Path> unknown_;
  std::vector<Prim> chain_;  // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_COLOR_SPACES_H_
