#include "scene/frame/frame_settings_writer.h"

#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/frame/frame_place_xforms.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_motion.h"
#include "scene/layer/field_keys.h"
#include "scene/render/render_spec.h"
#include "scene/render/render_tokens.h"
#include "scene/shade/connections.h"
#include "scene/stage/collection.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// The metadata that the meaning of values depends on, with or without opinions.
std::vector<Token> UnitFields() {
  const FieldKeys& fields = Fields();
  return {fields.upAxis, fields.metersPerUnit, fields.kilogramsPerUnit, fields.framesPerSecond};
}

}  // namespace

absl::Status FrameSettingsWriter::WriteMetadata() {
  const Stage& stage = work_.source.stage;
  SpecFields fields;
  for (const Token field : UnitFields()) fields.Set(field, stage.Metadata(field));
  for (const Token field : {Fields().colorConfiguration, Fields().colorManagementSystem}) {
    fields.Set(field, stage.PseudoRoot().Metadata(work_.context, field));  // has no fallbacks
  }
  fields.Set(Fields().timeCodesPerSecond, Value(stage.time_codes_per_second()));
  const TimeCode frame = work_.sampler.frame();
  if (!frame.is_default()) {
    fields.Set(Fields().startTimeCode, Value(frame.value()));
    fields.Set(Fields().endTimeCode, Value(frame.value()));
  }
  const Prim default_prim = stage.DefaultPrim();
  if (default_prim.valid() && work_.specs.IsPlaced(default_prim)) {
    fields.Set(Fields().defaultPrim, stage.Metadata(Fields().defaultPrim));
  }
  if (work_.source.settings.valid()) {
    fields.Set(Fields().renderSettingsPrimPath, Value(work_.source.settings.PathText()));
  }
  work_.specs.PutRoot(&fields);
  return work_.context.Check();
}

absl::Status FrameSettingsWriter::WriteCameras() {
  if (work_.source.camera.valid()) SD_RETURN_IF_ERROR(WriteCamera(work_.source.camera));
  if (!work_.source.settings.valid()) return absl::OkStatus();
  const RenderSpec spec = ComputeRenderSpec(work_.context, work_.source.settings, {});
  SD_RETURN_IF_ERROR(WriteCameraAt(spec.defaults.camera));
  for (const RenderProduct& product : spec.products) {
    SD_RETURN_IF_ERROR(WriteCameraAt(product.camera));
  }
  return absl::OkStatus();
}

absl::Status FrameSettingsWriter::WriteCameraAt(Path path) {
  SD_RETURN_IF_ERROR(work_.context.Spend(1));
  const Prim camera = work_.source.stage.FindPrim(path);
  return camera.valid() && camera.IsA(Geom().Camera) ? WriteCamera(camera) : absl::OkStatus();
}

absl::Status FrameSettingsWriter::WriteCamera(const Prim& camera) {
  if (work_.specs.IsDefined(camera)) return absl::OkStatus();
  const SpecId spec = work_.specs.Define(
      camera,
      {.type_name = camera.type_name(), .api_schemas = AuthoredApiSchemas(work_.context, camera)});
  if (!work_.of_prototypes.contains(spec)) SD_RETURN_IF_ERROR(WritePlace(spec, camera));
  Pacer pacer(work_.context);
  for (const Token name : camera.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Attribute attribute = camera.GetAttribute(name);
    if (!attribute.valid() || IsLeftOut(name)) continue;
    SD_RETURN_IF_ERROR(attributes_.Write(spec, attribute, FrameAttributeWriter::Times::kShutter));
  }
  return work_.context.Check();
}

absl::Status FrameSettingsWriter::WritePlace(SpecId spec, const Prim& camera) {
  SampledXform xform;
  SD_ASSIGN_OR_RETURN(xform.times, work_.sampler.SamplesOf([&](MotionTimes* found) {
    return AddXformMotion(work_.context, camera, found);
  }));
  for (const TimeCode time : xform.times) {
    xform.matrices.push_back(work_.sampler.XformsAt(time).LocalToWorld(work_.context, camera));
  }
  work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), /*resets=*/true);
  return work_.context.Check();
}

absl::Status FrameSettingsWriter::WriteSettings() {
  const Prim& settings = work_.source.settings;
  if (work_.source.selection.render_pass.valid()) {
    SD_RETURN_IF_ERROR(Copy(work_.source.selection.render_pass));
  }
  if (!settings.valid()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(Copy(settings));
  const RenderSpec spec = ComputeRenderSpec(work_.context, settings, {});
  const Stage& stage = work_.source.stage;
  for (const RenderProduct& product : spec.products) {
    SD_RETURN_IF_ERROR(Copy(stage.FindPrim(product.path)));
  }
  for (const RenderVar& var : spec.vars) SD_RETURN_IF_ERROR(Copy(stage.FindPrim(var.path)));
  return work_.context.Check();
}

absl::Status FrameSettingsWriter::Copy(const Prim& prim) {
  if (!prim.valid() || work_.specs.IsDefined(prim)) return work_.context.Check();
  const SpecId spec = work_.specs.Define(
      prim,
      {.type_name = prim.type_name(), .api_schemas = AuthoredApiSchemas(work_.context, prim)});
  Pacer pacer(work_.context);
  for (const Token name : prim.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Property property = prim.GetProperty(name);
    if (property.valid() && !IsBaked(name)) SD_RETURN_IF_ERROR(CopyProperty(spec, property));
  }
  return work_.context.Check();
}

absl::Status FrameSettingsWriter::CopyProperty(SpecId spec, const Property& property) {
  constexpr auto kTimes = FrameAttributeWriter::Times::kDefault;
  if (!property.is_attribute()) {
    std::vector<Path> targets = Relationship(property).Targets(work_.context);
    links_.Follow(targets);
    work_.specs.AddRelationship(spec, property.name(), std::move(targets), property.IsCustom());
    return work_.context.Check();
  }
  const Attribute attribute(property);
  if (!IsOutput(property.name())) return attributes_.Write(spec, attribute, kTimes);
  links_.Follow(attribute.Connections(work_.context));
  return attributes_.WritePort(spec, attribute);
}

absl::Status FrameSettingsWriter::WriteCollections() {
  const Prim& pass = work_.source.selection.render_pass;
  if (!pass.valid()) return absl::OkStatus();
  for (const Collection& collection : Collection::AllOf(pass)) {
    SD_RETURN_IF_ERROR(collections_.Write(collection));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
