#ifndef STAGEDOOR_SCENE_RENDER_RENDER_SPEC_H_
#define STAGEDOOR_SCENE_RENDER_RENDER_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/render/namespaced_settings.h"
#include "scene/stage/prim.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

class Stage;

// An image or other file that a render makes. What it does not author, its settings determine.
struct RenderProduct {
  Path path;
  Token type;   // "raster", "deepRaster"
  Token name;   // productName
  Path camera;  // empty if there is none
  bool disable_motion_blur = false;
  bool instantaneous_shutter = false;
  bool disable_depth_of_field = false;
  Vec2i resolution{0, 0};
  float pixel_aspect_ratio = 0;  // as the policy adjusts it
  Token aspect_ratio_conform_policy;
  Vec2f aperture{0, 0};           // of the camera, as the policy adjusts it
  Vec4f data_window{0, 0, 0, 0};  // minimum x and y, maximum x and y; the aperture is 0 to 1
  std::vector<uint32_t> vars;     // indices into the vars of the spec, in order
  std::vector<NamespacedSetting> settings;
};

// Data that a product contains, such as the color.
struct RenderVar {
  Path path;
  Token data_type;
  std::string source_name;
  Token source_type;
  std::vector<NamespacedSetting> settings;
};

// A part of the settings that is left out.
struct RenderProblem {
  enum class Reason {
    kNoProduct,  // the target of `products` is not a RenderProduct
    kNoCamera,   // the product has no camera, so it is left out
    kNoVar,      // the target of the product's `orderedVars` is not a RenderVar
  };
  Reason reason;
  Path prim;    // the settings or the product
  Path target;  // the path of what is missing; empty if no camera is named
};

// The settings and products of a rendering. Corresponds to OpenUSD's UsdRenderSpec and
// UsdRenderComputeSpec.
struct RenderSpec {
  explicit RenderSpec(RequestContext& context) : reserved(context) {}

  // The values of products without opinions; for renderers that need no products. Without a path,
  // type, name, vars and settings; its aperture is 0 if the settings have no camera.
  RenderProduct defaults;
  std::vector<RenderProduct> products;
  std::vector<RenderVar> vars;  // each once, in the order in which products name them
  Array<Token> included_purposes;
  Array<Token> material_binding_purposes;
  Token rendering_color_space;
  std::vector<NamespacedSetting> settings;
  std::vector<RenderProblem> problems;  // the first kMaxProblems
  Reservation reserved;

  static constexpr size_t kMaxProblems = 1000;
};

// The prim that the stage's metadata renderSettingsPrimPath names; invalid if it is not a
// RenderSettings. Corresponds to UsdRenderSettings::GetStageRenderSettings.
Prim StageRenderSettings(RequestContext& context, const Stage& stage);

// `settings` must be a RenderSettings (Prim::IsA). Values are those at default time; `namespaces`
// are those of ComputeNamespacedSettings. Incomplete once the request is over.
RenderSpec ComputeRenderSpec(RequestContext& context, const Prim& settings,
                             const std::vector<std::string>& namespaces);

// Fits the aperture or the pixels to the image, as the policy of the product says.
void ApplyAspectRatioPolicy(RenderProduct* product);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_RENDER_RENDER_SPEC_H_
