#include "tests/tools/imaging_dump_render.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene/render/render_pass.h"
#include "scene/render/render_spec.h"
#include "scene/render/render_tokens.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

Json JsonOf(const Value& value) {
  if (const auto* paths = value.Get<std::vector<Path>>()) {
    Json texts = Json::array();
    for (const Path path : *paths) texts.push_back(path.ToString());
    return texts;
  }
  std::string text;
  AppendValueJson(value, &text);
  return Json::parse(text);
}

Json JsonOf(const std::vector<NamespacedSetting>& settings) {
  Json list = Json::array();
  for (const NamespacedSetting& setting : settings) {
    list.push_back({std::string(setting.name.text()), JsonOf(setting.value)});
  }
  return list;
}

std::string TextOf(Path path) { return path.empty() ? "" : path.ToString(); }

Json JsonOf(const RenderProduct& product) {
  return {TextOf(product.path),
          std::string(product.type.text()),
          std::string(product.name.text()),
          TextOf(product.camera),
          product.disable_motion_blur,
          product.disable_depth_of_field,
          product.instantaneous_shutter,
          JsonOf(Value(product.resolution)),
          JsonOf(Value(product.pixel_aspect_ratio)),
          std::string(product.aspect_ratio_conform_policy.text()),
          JsonOf(Value(product.aperture)),
          JsonOf(Value(product.data_window)),
          product.vars,
          JsonOf(product.settings)};
}

Json JsonOf(const RenderVar& var) {
  return {TextOf(var.path), std::string(var.data_type.text()), var.source_name,
          std::string(var.source_type.text()), JsonOf(var.settings)};
}

template <typename T>
Json ListOf(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(JsonOf(item));
  return list;
}

void PrintSettings(RequestContext& context, const Prim& prim,
                   const std::vector<std::string>& namespaces, const std::string& key) {
  const RenderSpec spec = ComputeRenderSpec(context, prim, namespaces);
  const Json record = {{"record", "settings"},
                       {"path", prim.PathText()},
                       {"key", key},
                       {"of stage", StageRenderSettings(context, prim.stage()) == prim},
                       {"defaults", JsonOf(spec.defaults)},
                       {"products", ListOf(spec.products)},
                       {"vars", ListOf(spec.vars)},
                       {"included", JsonOf(Value(spec.included_purposes))},
                       {"material purposes", JsonOf(Value(spec.material_binding_purposes))},
                       {"space", std::string(spec.rendering_color_space.text())},
                       {"settings", JsonOf(spec.settings)}};
  std::cout << record.dump() << "\n";
}

void PrintPass(RequestContext& context, const Prim& prim) {
  const RenderPass pass = ReadRenderPass(context, prim);
  const std::vector<Prim> listed = ListRenderPasses(context, prim.stage());
  RenderPassMembership membership(context, prim);
  Json members = Json::array();
  for (const Prim& any : prim.stage().Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    members.push_back(membership.Find(any.path()));
  }
  const Json record = {{"record", "pass"},
                       {"path", prim.PathText()},
                       {"listed", std::find(listed.begin(), listed.end(), prim) != listed.end()},
                       {"type", std::string(pass.type.text())},
                       {"command", JsonOf(Value(pass.command))},
                       {"file", pass.file_name.authored},
                       {"sources", JsonOf(Value(pass.sources))},
                       {"inputs", JsonOf(Value(pass.inputs))},
                       {"settings", JsonOf(ComputeNamespacedSettings(context, prim, {}))},
                       {"members", members}};
  std::cout << record.dump() << "\n";
}

}  // namespace

void PrintRender(RequestContext& context, const Prim& prim) {
  if (prim.IsA(Render().RenderSettings)) {
    PrintSettings(context, prim, {}, "all");
    PrintSettings(context, prim, {"ri", "odd"}, "ri");
  }
  if (prim.IsA(Render().RenderPass)) PrintPass(context, prim);
}

}  // namespace stagedoor
