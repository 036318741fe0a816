#include "scene/render/render_spec.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/render/render_tokens.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerPrim = 64;     // which has about ten properties
constexpr size_t kBytesPerSetting = 128;  // with its part of the vector

std::vector<Path> ForwardedTargetsOf(RequestContext& context, const Prim& prim, Token name) {
  const Relationship relationship = prim.GetRelationship(name);
  return relationship.valid() ? relationship.ForwardedTargets(context) : std::vector<Path>();
}

// Reads the attributes of a prim at default time.
class AttributeReader {
 public:
  AttributeReader(RequestContext& context, const Prim& prim, bool authored_only)
      : context_(context), prim_(prim), authored_only_(authored_only) {}

  // Sets *out if the attribute has a value of this type and, where only those are wanted, an
  // authored one.
  template <typename T>
  void Read(Token name, T* out) const {
    const Attribute attribute = prim_.GetAttribute(name);
    if (!attribute.valid() || (authored_only_ && !attribute.HasAuthoredValue(context_))) return;
    auto value = TypedValue<T>(context_, attribute, TimeCode::Default());
    if (value) *out = *std::move(value);
  }

 private:
  RequestContext& context_;
  const Prim& prim_;
  const bool authored_only_;
};

class SpecBuilder {
 public:
  SpecBuilder(RequestContext& context, const Prim& settings,
              const std::vector<std::string>& namespaces)
      : context_(context),
        pacer_(context),
        settings_(settings),
        namespaces_(namespaces),
        spec_(context) {}

  RenderSpec Build() {
    RenderProduct base;
    ReadBase(settings_, /*authored_only=*/false, &base);
    for (const Path path : ForwardedTargetsOf(context_, settings_, Render().products)) {
      if (!pacer_.Go(kStepsPerPrim)) break;
      AddProduct(path, base);
    }
    ReadAperture(&base);
    spec_.defaults = std::move(base);
    const AttributeReader reader(context_, settings_, /*authored_only=*/false);
    reader.Read(Render().includedPurposes, &spec_.included_purposes);
    reader.Read(Render().materialBindingPurposes, &spec_.material_binding_purposes);
    reader.Read(Render().renderingColorSpace, &spec_.rendering_color_space);
    spec_.settings = NamespacedSettings(settings_);
    return std::move(spec_);
  }

 private:
  // Reads the properties that settings and products share.
  void ReadBase(const Prim& prim, bool authored_only, RenderProduct* out) {
    const std::vector<Path> cameras = ForwardedTargetsOf(context_, prim, Render().camera);
    if (!cameras.empty()) out->camera = cameras.front();
    const AttributeReader reader(context_, prim, authored_only);
    reader.Read(Render().resolution, &out->resolution);
    reader.Read(Render().pixelAspectRatio, &out->pixel_aspect_ratio);
    reader.Read(Render().aspectRatioConformPolicy, &out->aspect_ratio_conform_policy);
    reader.Read(Render().dataWindowNDC, &out->data_window);
    reader.Read(Render().disableMotionBlur, &out->disable_motion_blur);
    reader.Read(Render().instantaneousShutter, &out->instantaneous_shutter);
    reader.Read(Render().disableDepthOfField, &out->disable_depth_of_field);
  }

  // Reads and fits the aperture. False if there is no camera.
  bool ReadAperture(RenderProduct* product) {
    const Prim camera = settings_.stage().FindPrim(product->camera);
    if (!camera.valid() || !camera.IsA(Render().Camera)) return false;
    const AttributeReader reader(context_, camera, /*authored_only=*/false);
    reader.Read(Render().horizontalAperture, &product->aperture[0]);
    reader.Read(Render().verticalAperture, &product->aperture[1]);
    ApplyAspectRatioPolicy(product);
    return true;
  }

  void AddProduct(Path path, const RenderProduct& base) {
    const Prim prim = settings_.stage().FindPrim(path);
    if (!prim.valid() || !prim.IsA(Render().RenderProduct)) {
      return AddProblem(RenderProblem::Reason::kNoProduct, settings_.path(), path);
    }
    if (!spec_.reserved.Grow(sizeof(RenderProduct), "render products").ok()) return;
    RenderProduct product = base;
    product.path = path;
    ReadBase(prim, /*authored_only=*/true, &product);
    if (!ReadAperture(&product)) {
      return AddProblem(RenderProblem::Reason::kNoCamera, path, product.camera);
    }
    const AttributeReader reader(context_, prim, /*authored_only=*/false);
    reader.Read(Render().productType, &product.type);
    reader.Read(Render().productName, &product.name);
    AddVars(prim, &product);
    product.settings = NamespacedSettings(prim);
    spec_.products.push_back(std::move(product));
  }

  void AddVars(const Prim& prim, RenderProduct* product) {
    const std::vector<Path> paths = ForwardedTargetsOf(context_, prim, Render().orderedVars);
    if (!spec_.reserved.Grow(paths.size() * sizeof(uint32_t), "render vars").ok()) return;
    for (const Path path : paths) {
      if (!pacer_.Go()) return;
      if (const auto index = IndexOfVar(path)) {
        product->vars.push_back(*index);
      } else {
        AddProblem(RenderProblem::Reason::kNoVar, product->path, path);
      }
    }
  }

  // Nothing if there is no RenderVar.
  std::optional<uint32_t> IndexOfVar(Path path) {
    const auto known = var_indices_.find(path);
    if (known != var_indices_.end()) return known->second;
    const Prim prim = settings_.stage().FindPrim(path);
    if (!prim.valid() || !prim.IsA(Render().RenderVar)) return std::nullopt;
    constexpr size_t kBytes = sizeof(RenderVar) + 64;  // with the entry of the map
    if (!pacer_.Go(kStepsPerPrim) || !spec_.reserved.Grow(kBytes, "render vars").ok()) {
      return std::nullopt;
    }
    RenderVar var{.path = path, .settings = NamespacedSettings(prim)};
    const AttributeReader reader(context_, prim, /*authored_only=*/false);
    reader.Read(Render().dataType, &var.data_type);
    reader.Read(Render().sourceName, &var.source_name);
    reader.Read(Render().sourceType, &var.source_type);
    const auto index = static_cast<uint32_t>(spec_.vars.size());
    spec_.vars.push_back(std::move(var));
    var_indices_.emplace(path, index);
    return index;
  }

  std::vector<NamespacedSetting> NamespacedSettings(const Prim& prim) {
    std::vector<NamespacedSetting> found = ComputeNamespacedSettings(context_, prim, namespaces_);
    const size_t bytes = found.size() * kBytesPerSetting;
    if (!spec_.reserved.Grow(bytes, "namespaced settings").ok()) found.clear();
    return found;
  }

  void AddProblem(RenderProblem::Reason reason, Path prim, Path target) {
    if (spec_.problems.size() == RenderSpec::kMaxProblems) return;
    spec_.problems.push_back({.reason = reason, .prim = prim, .target = target});
  }

  RequestContext& context_;
  Pacer pacer_;
  const Prim settings_;
  const std::vector<std::string>& namespaces_;
  RenderSpec spec_;
  std::unordered_map<Path, uint32_t> var_indices_;
};

}  // namespace

void ApplyAspectRatioPolicy(RenderProduct* product) {
  const Vec2i resolution = product->resolution;
  Vec2f& aperture = product->aperture;
  if (resolution[0] <= 0 || resolution[1] <= 0 || aperture[0] <= 0 || aperture[1] <= 0) return;
  const float of_pixels = static_cast<float>(resolution[0]) / static_cast<float>(resolution[1]);
  const float of_image = product->pixel_aspect_ratio * of_pixels;
  if (of_image <= 0) return;
  const float of_aperture = aperture[0] / aperture[1];
  const Token policy = product->aspect_ratio_conform_policy;
  if (policy == Render().adjustPixelAspectRatio) {
    product->pixel_aspect_ratio = of_aperture / of_pixels;
    return;
  }
  const bool is_wider = of_aperture > of_image;
  if (policy == Render().adjustApertureHeight || (policy == Render().expandAperture && is_wider) ||
      (policy == Render().cropAperture && !is_wider)) {
    aperture[1] = aperture[0] / of_image;
  } else if (policy == Render().adjustApertureWidth || policy == Render().expandAperture ||
             policy == Render().cropAperture) {
    aperture[0] = aperture[1] * of_image;
  }
}

Prim StageRenderSettings(RequestContext& context, const Stage& stage) {
  const Value value = stage.PseudoRoot().Metadata(context, Render().renderSettingsPrimPath);
  const std::string* path = value.Get<std::string>();
  const Prim prim = path == nullptr ? Prim() : stage.FindPrim(*path);
  return prim.valid() && prim.IsA(Render().RenderSettings) ? prim : Prim();
}

RenderSpec ComputeRenderSpec(RequestContext& context, const Prim& settings,
                             const std::vector<std::string>& namespaces) {
  return SpecBuilder(context, settings, namespaces).Build();
}

}  // namespace stagedoor
