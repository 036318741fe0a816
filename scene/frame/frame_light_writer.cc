#include "scene/frame/frame_light_writer.h"

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/frame/frame_place_xforms.h"
#include "scene/frame/frame_transforms.h"
#include "scene/geom/geom_tokens.h"
#include "scene/lux/light_list.h"
#include "scene/shade/connections.h"
#include "scene/stage/collection.h"

namespace stagedoor {
namespace {

struct LightTokens {
  const Token Gprim{"Gprim"};
  const Token Xform{"Xform"};
  const Token MaterialBindingAPI{"MaterialBindingAPI"};
  const Token filters{"light:filters"};
  const Token portals{"portals"};
  const Token link_names[3] = {Token("lightLink"), Token("shadowLink"), Token("filterLink")};
};
const LightTokens& LightNames() {
  static const auto* names = new LightTokens;
  return *names;
}

// Whether an attribute of a gprim makes it the light that it is.
bool IsAboutLight(Token name) {
  return IsInput(name) || name.text().find("light:") != std::string_view::npos;
}

}  // namespace

FrameLightWriter::FrameLightWriter(FrameLayerWork& work, FrameLinkWriter& links)
    : work_(work), links_(links), attributes_(work), collections_(work) {
  for (const FrameLight& light : work.source.plan.lights) {
    if (light.geometry != 0) rows_.emplace(light.geometry, kNoIndex);
  }
  if (rows_.empty()) return;
  const std::vector<FramePrim>& prims = work.source.plan.prims;
  for (size_t i = 0; i < prims.size(); ++i) {
    const auto row = rows_.find(prims[i].id);
    if (row != rows_.end()) row->second = static_cast<uint32_t>(i);
  }
}

absl::Status FrameLightWriter::Write() {
  for (const FrameLight& light : work_.source.plan.lights) {
    SD_RETURN_IF_ERROR(work_.specs.IsDefined(light.prim) ? WriteGeometryLight(light)
                                                         : WriteLight(light));
  }
  return work_.context.Check();
}

absl::Status FrameLightWriter::WriteLight(const FrameLight& light) {
  // A gprim that is not drawn is a light without its geometry.
  const bool is_gprim = light.prim.IsA(LightNames().Gprim);
  FlatPrim flat{.type_name = is_gprim ? LightNames().Xform : light.prim.type_name()};
  for (const Token schema : AuthoredApiSchemas(work_.context, light.prim)) {
    const bool binds = schema == LightNames().MaterialBindingAPI;
    if (!binds && !schema.text().starts_with("CollectionAPI:")) flat.api_schemas.push_back(schema);
  }
  const SpecId spec = work_.specs.Define(light.prim, flat);
  SD_RETURN_IF_ERROR(WritePlace(spec, light));
  return WriteAttributes(spec, light, [&](Token name) { return is_gprim && !IsAboutLight(name); });
}

// Writes what makes a prim that is drawn a light, too.
absl::Status FrameLightWriter::WriteGeometryLight(const FrameLight& light) {
  std::unordered_set<Token> written;
  const auto row = rows_.find(light.geometry);
  const FramePlan& plan = work_.source.plan;
  if (row != rows_.end() && row->second != kNoIndex &&
      plan.prims[row->second].geometry != kNoIndex) {
    for (const FrameAttribute& attribute :
         FrameAttributesOf(work_.context, work_.source.selection,
                           plan.geometry[plan.prims[row->second].geometry])) {
      written.insert(attribute.name);
    }
  }
  return WriteAttributes(work_.specs.Place(light.prim), light,
                         [&](Token name) { return !IsAboutLight(name) || written.contains(name); });
}

// Writes the authored attributes, without those that `skips` is true for.
template <typename Skips>
absl::Status FrameLightWriter::WriteAttributes(SpecId spec, const FrameLight& light,
                                               const Skips& skips) {
  Pacer pacer(work_.context);
  for (const Token name : light.prim.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Attribute attribute = light.prim.GetAttribute(name);
    if (!attribute.valid() || IsLeftOut(name) || skips(name)) continue;
    SD_RETURN_IF_ERROR(WriteAttribute(spec, attribute));
  }
  if (auto filters = LightFilters(work_.context, light.prim); !filters.empty()) {
    work_.specs.AddRelationship(spec, LightNames().filters, std::move(filters));
  }
  if (auto portals = LightPortals(work_.context, light.prim); !portals.empty()) {
    work_.specs.AddRelationship(spec, LightNames().portals, std::move(portals));
  }
  return work_.context.Check();
}

absl::Status FrameLightWriter::WriteAttribute(SpecId spec, const Attribute& attribute) {
  constexpr auto kTimes = FrameAttributeWriter::Times::kShutter;
  const Token name = attribute.name();
  if (!IsInput(name) && !IsOutput(name)) return attributes_.Write(spec, attribute, kTimes);
  links_.Follow(attribute.Connections(work_.context));
  return attributes_.WritePort(spec, attribute, kTimes);
}

absl::Status FrameLightWriter::WritePlace(SpecId spec, const FrameLight& light) {
  if (work_.of_prototypes.contains(spec)) return absl::OkStatus();
  const FramePlan& plan = work_.source.plan;
  const FramePlace* const place = &light;
  SD_ASSIGN_OR_RETURN(PlaceXforms xforms, SampleXforms(work_.context, plan, {&place, 1},
                                                       work_.sampler, work_.executor));
  SampledXform& xform = xforms.places.front();
  work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), /*resets=*/true);
  const bool is_visible =
      light.blinks ? IsVisibleAt(work_.context, plan, light, work_.sampler.frame()) : light.visible;
  if (!is_visible) {
    work_.specs.AddValue(spec, Geom().visibility, "token", Value(Geom().invisible));
  }
  return work_.context.Check();
}

absl::Status FrameLightWriter::WriteLinks() {
  for (const FrameLight& light : work_.source.plan.lights) {
    for (const Token name : LightNames().link_names) {
      SD_RETURN_IF_ERROR(collections_.Write(Collection(light.prim, name)));
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
