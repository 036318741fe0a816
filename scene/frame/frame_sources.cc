#include "scene/frame/frame_sources.h"

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_motion.h"
#include "scene/geom/primvar.h"
#include "scene/geom/xform_motion.h"
#include "scene/render/volume_fields.h"
#include "scene/shade/material_network.h"
#include "scene/skel/skin_motion.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/values/interpolation.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
namespace {

// Whether values of the attribute are held between samples.
bool IsHeldBetweenSamples(const Prim& prim, Token name) {
  if (prim.stage().interpolation() == Interpolation::kHeld) return true;
  const Attribute attribute = prim.GetAttribute(name);
  const ValueTypeName* type = attribute.valid() ? FindValueTypeName(attribute.TypeName()) : nullptr;
  return type != nullptr && !InterpolatesLinearly(type->type);
}

bool HasSampledAttribute(RequestContext& context, const Prim& prim, Token name) {
  const AttributeQuery query(context, prim.GetAttribute(name));
  if (!query.valid()) return false;
  const AttributeSource& source = query.numeric();
  // Clips are not opened.
  return source.kind() == ResolveInfoSource::kValueClips || source.SampleCount(context) != 0;
}

// Whether an array may be advanced from a sample by its rate of change (MovingArrayReader).
bool MayAdvance(RequestContext& context, const Prim& prim, Token values, Token rates) {
  return HasSampledAttribute(context, prim, rates) && HasSampledAttribute(context, prim, values);
}

bool IsSkinned(const FrameGeometry& geometry, const FrameAttribute& attribute) {
  return geometry.skin && (attribute.kind == FrameAttribute::Kind::kPoints ||
                           attribute.kind == FrameAttribute::Kind::kNormals);
}

absl::Status AddNamed(RequestContext& context, const Prim& prim, Token name, SourceSink* sink) {
  return sink->Add(context, AttributeQuery(context, prim.GetAttribute(name)));
}

}  // namespace

absl::Status VaryingSources::Add(RequestContext& context, const AttributeSource& source,
                                 const Prim&, Token) {
  any_ = any_ || !source.IsSteady(context);
  return absl::OkStatus();
}

absl::Status SteadySources::Add(RequestContext& context, const AttributeSource& source,
                                const Prim& prim, Token name) {
  if (!all_ || source.IsConstantIn(context, first_, last_, /*held=*/false)) return absl::OkStatus();
  all_ = IsHeldBetweenSamples(prim, name) &&
         source.IsConstantIn(context, first_, last_, /*held=*/true);
  return context.Check();
}

absl::Status AddAttributeSources(RequestContext& context, const FrameGeometry& geometry,
                                 const FrameAttribute& attribute, SourceSink* sink) {
  if (IsSkinned(geometry, attribute)) return AddSkinMotion(context, *geometry.skin, {}, sink);
  SD_RETURN_IF_ERROR(sink->Add(context, attribute.query));
  if (!attribute.primvar) return context.Check();
  const Attribute indices = attribute.primvar->IndicesAttribute();
  if (indices.valid()) SD_RETURN_IF_ERROR(sink->Add(context, AttributeQuery(context, indices)));
  return context.Check();
}

absl::Status AddExactSources(RequestContext& context, const FrameGeometry& geometry,
                             const FrameAttribute& attribute, SourceSink* sink) {
  SD_RETURN_IF_ERROR(AddAttributeSources(context, geometry, attribute, sink));
  // Skins are computed in world space. What moves the skeleton alone is among the sources already.
  return IsSkinned(geometry, attribute) ? AddXformMotion(context, geometry.skin->prim, sink)
                                        : absl::OkStatus();
}

bool IsAdvanced(RequestContext& context, const FrameGeometry& geometry,
                const FrameAttribute& attribute) {
  return attribute.kind == FrameAttribute::Kind::kPoints &&
         MayAdvance(context, geometry.prim, Geom().points, Geom().velocities);
}

absl::Status AddInstanceSources(RequestContext& context, const Prim& instancer, SourceSink* sink) {
  for (const Token name : {Geom().protoIndices, Geom().ids, Geom().invisibleIds, Geom().positions,
                           Geom().orientations, Geom().orientationsf, Geom().scales}) {
    SD_RETURN_IF_ERROR(AddNamed(context, instancer, name, sink));
  }
  return AddPrototypeMotion(context, instancer, sink);
}

bool AreInstancesAdvanced(RequestContext& context, const Prim& instancer) {
  return MayAdvance(context, instancer, Geom().positions, Geom().velocities) ||
         MayAdvance(context, instancer, Geom().orientations, Geom().angularVelocities) ||
         MayAdvance(context, instancer, Geom().orientationsf, Geom().angularVelocities);
}

absl::Status AddFieldSources(RequestContext& context, const Prim& volume, SourceSink* sink) {
  Pacer pacer(context);
  for (const VolumeField& field : VolumeFieldsOf(context, volume)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Prim prim = volume.stage().FindPrim(field.path);
    if (!prim.valid()) continue;
    SD_RETURN_IF_ERROR(VolumeFieldQuery(context, prim).AddSources(context, sink));
  }
  return context.Check();
}

absl::Status AddMaterialSources(RequestContext& context, const Prim& material,
                                const std::vector<std::string>& render_contexts, SourceSink* sink) {
  ConnectionProblems problems(context);
  // With the material and its graphs, whose values the inputs of shaders may have.
  const MaterialNetwork network = ComputeMaterialNetwork(
      context, material, {.render_contexts = render_contexts, .flatten = false}, problems);
  Pacer pacer(context);
  for (const NetworkNode& node : network.nodes) {
    for (const NetworkPort& port : node.ports) {
      SD_RETURN_IF_ERROR(pacer.Step());
      if (!port.value.valid()) continue;
      SD_RETURN_IF_ERROR(sink->Add(context, AttributeQuery(context, port.value)));
    }
  }
  return context.Check();
}

absl::Status AddXformSources(RequestContext& context, const FramePlan& plan,
                             const FramePlace& place, SourceSink* sink) {
  const Prim root = place.prototype == kNoIndex ? Prim() : plan.prototypes[place.prototype].prim;
  SD_RETURN_IF_ERROR(AddXformMotion(context, place.prim, sink, root));
  if (place.rigid_skin == kNoIndex) return absl::OkStatus();
  return AddSkinMotion(context, plan.rigid_skins[place.rigid_skin],
                       {.points = false, .normals = false}, sink);
}

}  // namespace stagedoor
