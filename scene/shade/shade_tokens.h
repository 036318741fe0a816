#ifndef STAGEDOOR_SCENE_SHADE_SHADE_TOKENS_H_
#define STAGEDOOR_SCENE_SHADE_SHADE_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// The names of UsdShade's types, attributes and values that queries use, interned once.
// Corresponds to OpenUSD's UsdShadeTokens.
struct ShadeTokens {
  const Token Material{"Material"};
  const Token NodeGraph{"NodeGraph"};
  const Token Shader{"Shader"};
  const Token LightFilter{"LightFilter"};
  const Token LightAPI{"LightAPI"};
  const Token ColorSpaceAPI{"ColorSpaceAPI"};
  const Token ColorSpaceDefinitionAPI{"ColorSpaceDefinitionAPI"};
  const Token CoordSysAPI{"CoordSysAPI"};
  const Token apiSchemas{"apiSchemas"};
  const Token bindMaterialAs{"bindMaterialAs"};
  const Token strongerThanDescendants{"strongerThanDescendants"};
  const Token colorSpace{"colorSpace"};
  const Token colorSpace_name{"colorSpace:name"};
  const Token info_implementationSource{"info:implementationSource"};
  const Token info_id{"info:id"};
  const Token id{"id"};
  const Token sourceAsset{"sourceAsset"};
  const Token sourceCode{"sourceCode"};
};

const ShadeTokens& Shade();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_SHADE_TOKENS_H_
