#include "scene/frame/frame_attribute_writer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/frame/frame_values.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/extents.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/model.h"
#include "scene/geom/moving_array_reader.h"
#include "scene/layer/field_keys.h"
#include "scene/stage/anchored_value.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

constexpr std::string_view kBakedNamespaces[] = {"xformOp", "collection:", "skel:"};
constexpr std::string_view kSkinPrimvars = "primvars:skel:";

// The arrays of instances, which are written together.
bool IsOfInstances(Token name) {
  const GeomTokens& geom = Geom();
  for (const Token known : {geom.protoIndices, geom.ids, geom.invisibleIds, geom.positions,
                            geom.orientations, geom.orientationsf, geom.scales, geom.velocities,
                            geom.accelerations, geom.angularVelocities}) {
    if (name == known) return true;
  }
  return false;
}

// Whether an attribute says how a model is drawn in place of its geometry, which is the same at all
// times.
bool IsOfStandIn(Token name) {
  return name == GeomModel().draw_mode || name == GeomModel().apply_draw_mode;
}

// Adds the samples around the frame to those of an attribute, if it is the points of a prim that
// its velocities do not advance, or these. They have other samples there, by which a reader knows
// it.
void AddSamplesAtFrame(RequestContext& context, const FrameGeometry& geometry,
                       const FrameAttribute& attribute, TimeCode frame,
                       std::vector<TimeCode>* times) {
  const Token name = attribute.name;
  // A single sample is at no time.
  if (times->size() < 2 || (name != Geom().points && name != Geom().velocities)) return;
  if (geometry.skin || !geometry.prim.IsA(Geom().PointBased)) return;
  MovingArrayReader reader(context, geometry.prim, frame, MovingArrayReader::kAnyCount);
  Array<Vec3f> points, velocities;
  double sample;
  if (reader.ReadMoving(Geom().points, Geom().velocities, &points, &velocities, &sample)) return;
  const auto around = attribute.query.numeric().Bracketing(context, reader.JustAfterBase());
  if (!around || !geometry.prim.GetAttribute(Geom().velocities).HasAuthoredValue(context)) return;
  for (const double time : {around->first, around->second}) {
    const auto place =
        std::lower_bound(times->begin(), times->end(), time,
                         [](const TimeCode& at, double wanted) { return at.value() < wanted; });
    if (place == times->end() || place->value() != time) times->insert(place, TimeCode::At(time));
  }
}

// The schemas of the prim supply fallbacks again, unless there is no value at default time.
bool HasOpinion(RequestContext& context, const AttributeQuery& query, TimeCode frame) {
  return query.attribute().HasAuthoredValue(context) ||
         (frame.is_default() && query.SourceFor(frame).blocked());
}

bool IsWritten(RequestContext& context, const FrameGeometry& geometry,
               const FrameAttribute& attribute, TimeCode frame, bool has_skin) {
  const Token name = attribute.name;
  if (IsBaked(name) || !HasOpinion(context, attribute.query, frame)) return false;
  if (geometry.is_instancer && IsOfInstances(name)) return false;
  if (geometry.is_stand_in && IsOfStandIn(name)) return false;
  if (name == Geom().extentsHint) return HasExtentsHint(context, geometry.prim, frame);
  if (has_skin && name.text().starts_with(kSkinPrimvars)) return false;
  return !(geometry.skin && name == Geom().extent);
}

}  // namespace

bool HasExtentsHint(RequestContext& context, const Prim& prim, TimeCode time) {
  const auto hint = AttributeValueAs<Array<Vec3f>>(context, prim, Geom().extentsHint, time);
  return hint && !hint->empty();
}

bool IsLeftOut(Token name) { return IsBaked(name) || name.text().starts_with("primvars:"); }

bool IsBaked(Token name) {
  if (name == Geom().visibility || name == Geom().purpose) return true;
  for (const std::string_view prefix : kBakedNamespaces) {
    if (name.text().starts_with(prefix)) return true;
  }
  return false;
}

std::vector<std::pair<Token, Value>> ValueMetadata(RequestContext& context,
                                                   const Attribute& attribute) {
  std::vector<std::pair<Token, Value>> metadata;
  for (const Token field : {Fields().colorSpace, Fields().unauthoredValuesIndex,
                            Fields().renderType, Fields().connectability}) {
    if (!attribute.HasAuthoredMetadata(field)) continue;
    metadata.emplace_back(field, attribute.Metadata(context, field));
  }
  return metadata;
}

absl::Status FrameAttributeWriter::WriteGeometry(SpecId spec, const FrameGeometry& geometry,
                                                 bool has_skin) {
  Pacer pacer(work_.context);
  for (const FrameAttribute& attribute :
       FrameAttributesOf(work_.context, work_.source.selection, geometry)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!IsWritten(work_.context, geometry, attribute, work_.sampler.frame(), has_skin)) continue;
    SD_RETURN_IF_ERROR(work_.Report(geometry.prim, WriteAttribute(spec, geometry, attribute)));
  }
  return work_.context.Check();
}

FlatAttribute FrameAttributeWriter::HeaderOf(const FrameAttribute& attribute) {
  const Attribute& of_stage = attribute.query.attribute();
  const FrameLayout layout = FrameLayoutOf(work_.context, attribute);
  FlatAttribute flat{.name = attribute.name,
                     .type_name = layout.type_name,
                     .element_size = layout.element_size,
                     .metadata = ValueMetadata(work_.context, of_stage),
                     .uniform = of_stage.GetVariability() == Variability::kUniform,
                     .custom = of_stage.IsCustom()};
  if (attribute.primvar || of_stage.HasAuthoredMetadata(Fields().interpolation)) {
    flat.interpolation = layout.interpolation;
  }
  return flat;
}

absl::Status FrameAttributeWriter::WriteAttribute(SpecId spec, const FrameGeometry& geometry,
                                                  const FrameAttribute& attribute) {
  RequestContext& context = work_.context;
  FrameSampler& sampler = work_.sampler;
  std::vector<TimeCode> times = sampler.Selected(nullptr);
  if (attribute.varies && sampler.times().policy) {
    SD_ASSIGN_OR_RETURN(times, sampler.SamplesOf([&](MotionTimes* found) {
      return AddFrameMotion(context, geometry, attribute, sampler.frame().value(), found);
    }));
    AddSamplesAtFrame(context, geometry, attribute, sampler.frame(), &times);
  }
  FlatAttribute flat = HeaderOf(attribute);
  FlatAttribute indices{.name = Token(Concat(attribute.name.text(), ":indices")),
                        .type_name = Token("int[]")};
  flat.computed = geometry.skin != nullptr;
  bool is_indexed = false;
  for (const TimeCode time : times) {
    SD_ASSIGN_OR_RETURN(FrameSample sample,
                        FrameValueAt(context, geometry, attribute, sampler.frame(),
                                     sampler.PosesAt(time), sampler.skinned()));
    if (sample.value.type() == ValueType::kAssetPath) {
      sample.value = AnchoredValue(context, attribute.query.attribute(),
                                   attribute.query.SourceFor(time), time);
    }
    is_indexed = is_indexed || sample.indices;
    Value of_indices = sample.indices ? Value(*std::move(sample.indices)) : Value();
    SD_RETURN_IF_ERROR(flat.Add(context, time, std::move(sample.value)));
    SD_RETURN_IF_ERROR(indices.Add(context, time, std::move(of_indices)));
  }
  if (geometry.skin && attribute.kind == FrameAttribute::Kind::kPoints) {
    SD_RETURN_IF_ERROR(WriteExtent(spec, geometry, flat.samples));
  }
  work_.specs.AddAttribute(spec, std::move(flat));
  if (is_indexed) work_.specs.AddAttribute(spec, std::move(indices));
  return context.Check();
}

// Writes the extent of deformed points, as UsdGeom computes it. What is authored is about the
// points at rest.
absl::Status FrameAttributeWriter::WriteExtent(SpecId spec, const FrameGeometry& geometry,
                                               const std::vector<FlatSample>& points) {
  RequestContext& context = work_.context;
  const bool has_widths = geometry.prim.IsA(Geom().Points) || geometry.prim.IsA(Geom().Curves);
  FlatAttribute extent{.name = Geom().extent, .type_name = Token("float3[]")};
  for (const FlatSample& sample : points) {
    const auto* array = sample.value.Get<Array<Vec3f>>();
    if (array == nullptr) continue;
    SD_RETURN_IF_ERROR(context.Spend(array->size()));
    Array<float> widths;
    if (has_widths) {
      widths = AttributeArray<float>(context, geometry.prim, Geom().widths, sample.time);
    }
    std::optional<Range3d> range;
    if (geometry.prim.IsA(Geom().Points)) range = PointsExtent(array->span(), widths.span());
    if (!range) range = CurvesExtent(array->span(), widths.span());
    const Range3d rounded = RoundedExtent(*range);
    extent.samples.push_back({.time = sample.time,
                              .value = Value(Array<Vec3f>::FromVector(
                                  {VecCast<float>(rounded.min), VecCast<float>(rounded.max)}))});
  }
  if (!extent.samples.empty()) work_.specs.AddAttribute(spec, std::move(extent));
  return context.Check();
}

absl::Status FrameAttributeWriter::Write(SpecId spec, const Attribute& attribute, Times times) {
  SD_ASSIGN_OR_RETURN(FlatAttribute flat, Read(attribute, times));
  if (!flat.samples.empty()) work_.specs.AddAttribute(spec, std::move(flat));
  return work_.context.Check();
}

absl::Status FrameAttributeWriter::WritePort(SpecId spec, const Attribute& attribute, Times times) {
  SD_ASSIGN_OR_RETURN(FlatAttribute flat, Read(attribute, times));
  flat.connections = attribute.Connections(work_.context);
  work_.specs.AddAttribute(spec, std::move(flat));
  return work_.context.Check();
}

// Without samples if nothing is authored.
absl::StatusOr<FlatAttribute> FrameAttributeWriter::Read(const Attribute& attribute, Times times) {
  RequestContext& context = work_.context;
  const AttributeQuery query(context, attribute);
  FlatAttribute flat{.name = attribute.name(),
                     .type_name = query.type_name(),
                     .metadata = ValueMetadata(context, attribute),
                     .uniform = attribute.GetVariability() == Variability::kUniform,
                     .custom = attribute.IsCustom()};
  for (const Token field : {Fields().interpolation, Fields().elementSize}) {
    if (!attribute.HasAuthoredMetadata(field)) continue;
    flat.metadata.emplace_back(field, attribute.Metadata(context, field));
  }
  if (!query.HasAuthoredValue() && times != Times::kDefault) return flat;
  std::vector<TimeCode> codes = {TimeCode::Default()};
  if (times == Times::kFrame) codes = {work_.sampler.frame()};
  if (times == Times::kShutter) {
    SD_ASSIGN_OR_RETURN(codes, work_.sampler.SamplesOf(
                                   [&](MotionTimes* found) { return found->Add(context, query); }));
  }
  // No value is a block, since a schema's fallback would be one.
  for (const TimeCode time : codes) {
    SD_RETURN_IF_ERROR(context.Spend(1));
    Value value = AnchoredValue(context, attribute, query.SourceFor(time), time);
    SD_RETURN_IF_ERROR(flat.Add(context, time, std::move(value)));
  }
  return flat;
}

}  // namespace stagedoor
