#ifndef STAGEDOOR_SCENE_RENDER_RENDER_TOKENS_H_
#define STAGEDOOR_SCENE_RENDER_RENDER_TOKENS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// The names of UsdRender's types and properties that queries use, interned once. Corresponds to
// OpenUSD's UsdRenderTokens.
struct RenderTokens {
  const Token Camera{"Camera"};
  const Token RenderPass{"RenderPass"};
  const Token RenderProduct{"RenderProduct"};
  const Token RenderSettings{"RenderSettings"};
  const Token RenderVar{"RenderVar"};
  const Token Volume{"Volume"};
  const Token adjustApertureHeight{"adjustApertureHeight"};
  const Token adjustApertureWidth{"adjustApertureWidth"};
  const Token adjustPixelAspectRatio{"adjustPixelAspectRatio"};
  const Token aspectRatioConformPolicy{"aspectRatioConformPolicy"};
  const Token camera{"camera"};
  const Token command{"command"};
  const Token cropAperture{"cropAperture"};
  const Token dataType{"dataType"};
  const Token dataWindowNDC{"dataWindowNDC"};
  const Token disableDepthOfField{"disableDepthOfField"};
  const Token disableMotionBlur{"disableMotionBlur"};
  const Token expandAperture{"expandAperture"};
  const Token fileName{"fileName"};
  const Token horizontalAperture{"horizontalAperture"};
  const Token includedPurposes{"includedPurposes"};
  const Token inputPasses{"inputPasses"};
  const Token instantaneousShutter{"instantaneousShutter"};
  const Token materialBindingPurposes{"materialBindingPurposes"};
  const Token orderedVars{"orderedVars"};
  const Token passType{"passType"};
  const Token pixelAspectRatio{"pixelAspectRatio"};
  const Token productName{"productName"};
  const Token productType{"productType"};
  const Token products{"products"};
  const Token renderSettingsPrimPath{"renderSettingsPrimPath"};
  const Token renderSource{"renderSource"};
  const Token renderingColorSpace{"renderingColorSpace"};
  const Token resolution{"resolution"};
  const Token sourceName{"sourceName"};
  const Token sourceType{"sourceType"};
  const Token verticalAperture{"verticalAperture"};
};

const RenderTokens& Render();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_RENDER_RENDER_TOKENS_H_
