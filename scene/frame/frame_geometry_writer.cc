#include "scene/frame/frame_geometry_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/frame/frame_transforms.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/extents_hint.h"
#include "scene/geom/geom_subset.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/model.h"
#include "scene/render/volume_fields.h"
#include "scene/skel/skel_extent.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr size_t kBatchRows = 256;  // whose transforms are computed together

struct RowTokens {
  const Token Xform{"Xform"};
  const Token SkelBindingAPI{"SkelBindingAPI"};
  const Token CoordSysAPI{"CoordSysAPI"};
  const Token GeomModelAPI{"GeomModelAPI"};
  const Token MaterialBindingAPI{"MaterialBindingAPI"};
  const Token binding{"material:binding"};
  // A collection that has a single prim.
  const Token CollectionAPI_frame{"CollectionAPI:frame"};
  const Token collection_binding{"material:binding:collection:frame"};
  const Token collection{"collection:frame"};
  const Token expansion_rule{"collection:frame:expansionRule"};
  const Token includes{"collection:frame:includes"};
  const Token explicit_only{"explicitOnly"};
  const Token unrestricted{"unrestricted"};
};
const RowTokens& RowNames() {
  static const auto* names = new RowTokens;
  return *names;
}

bool HasToken(const std::vector<Token>& tokens, Token token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// Whether the layer has the effect of an API schema in another form.
bool IsReplaced(Token schema, bool has_skin) {
  const std::string_view name = schema.text();
  return name.starts_with("CollectionAPI:") || name.starts_with(RowNames().CoordSysAPI.text()) ||
         schema == RowNames().MaterialBindingAPI ||
         (has_skin && schema == RowNames().SkelBindingAPI);
}

}  // namespace

absl::Status FrameGeometryWriter::Write() {
  SD_RETURN_IF_ERROR(CountUses());
  SD_RETURN_IF_ERROR(FindExclusiveBindings());
  SD_RETURN_IF_ERROR(WriteShared());
  for (size_t first = 0; first < plan_.prims.size(); first += kBatchRows) {
    SD_RETURN_IF_ERROR(WriteBatch(first, std::min(first + kBatchRows, plan_.prims.size())));
  }
  return own_xforms_.WritePlaces();
}

absl::Status FrameGeometryWriter::CountUses() {
  SD_RETURN_IF_ERROR(reserved_.Grow(plan_.geometry.size() * sizeof(Use) + plan_.prims.size() / 8,
                                    "geometry of a frame"));
  uses_.resize(plan_.geometry.size());
  Pacer pacer(context_);
  for (const FramePrim& row : plan_.prims) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (row.geometry == kNoIndex) continue;
    Use& use = uses_[row.geometry];
    ++use.rows;
    use.has_skin |= row.rigid_skin != kNoIndex || plan_.geometry[row.geometry].skin != nullptr;
  }
  return absl::OkStatus();
}

// A direct binding reaches the prims below, where another one takes its place. Below a row there
// may be one without a material, because a collection binds the row alone; the binding of the row
// must not reach that.
absl::Status FrameGeometryWriter::FindExclusiveBindings() {
  has_exclusive_binding_.resize(plan_.prims.size());
  const bool all_bound = std::all_of(plan_.prims.begin(), plan_.prims.end(),
                                     [](const FramePrim& row) { return row.material != 0; });
  if (all_bound) return absl::OkStatus();
  PrimMap<size_t> bound;
  Pacer pacer(context_);
  constexpr size_t kEntryBytes = 4 * (sizeof(Prim) + sizeof(size_t));
  Reservation reserved(context_);
  for (size_t i = 0; i < plan_.prims.size(); ++i) {
    const FramePrim& row = plan_.prims[i];
    SD_RETURN_IF_ERROR(pacer.Step());
    if (row.material == 0 || bound.Find(row.prim)) continue;
    SD_RETURN_IF_ERROR(reserved.Grow(kEntryBytes, "bindings of materials"));
    bound.Add(row.prim, i);
  }
  if (bound.size() == 0) return absl::OkStatus();
  for (const FramePrim& row : plan_.prims) {
    if (row.material != 0) continue;
    for (Prim at = row.prim.parent(); at.valid(); at = at.parent()) {
      SD_RETURN_IF_ERROR(pacer.Step());
      if (const size_t* above = bound.Find(at)) has_exclusive_binding_[*above] = true;
    }
  }
  return absl::OkStatus();
}

// Writes what several rows have in common, in classes whose names no prim of the stage has.
absl::Status FrameGeometryWriter::WriteShared() {
  size_t number = 0;
  for (size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].rows < 2) continue;
    const FrameGeometry& geometry = plan_.geometry[i];
    Path path;
    do {
      SD_RETURN_IF_ERROR(context_.Spend(1));
      path = Path::AbsoluteRoot().AppendChild(Token(Concat("Frame_Geometry_", ++number)));
    } while (work_.source.stage.FindPrim(path).valid());
    uses_[i].shared = path;
    const SpecId spec = work_.specs.AddClass(path.name(), geometry.prim.type_name());
    SD_RETURN_IF_ERROR(attributes_.WriteGeometry(spec, geometry, uses_[i].has_skin));
    SD_RETURN_IF_ERROR(WriteContent(spec, geometry));
  }
  return absl::OkStatus();
}

absl::Status FrameGeometryWriter::WriteBatch(size_t first, size_t last) {
  std::vector<uint32_t> rows, in_world;
  for (size_t i = first; i < last; ++i) {
    const FramePrim& row = plan_.prims[i];
    // A prim that is drawn by instancers and where it is, is written as a part of its prototype.
    if (row.prototype == kNoIndex && own_xforms_.Has(row.prim)) continue;
    if (work_.source.without_invisible && !IsVisible(row)) continue;
    rows.push_back(static_cast<uint32_t>(i));
    if (row.prototype == kNoIndex) in_world.push_back(rows.back());
  }
  SD_ASSIGN_OR_RETURN(RowXforms xforms,
                      SampleRowXforms(context_, plan_, in_world, work_.sampler, work_.executor));
  size_t next = 0;
  for (const uint32_t row : rows) {
    const bool has_xform = plan_.prims[row].prototype == kNoIndex;
    SD_RETURN_IF_ERROR(WriteRow(row, has_xform ? std::move(xforms.rows[next++]) : SampledXform()));
  }
  return context_.Check();
}

bool FrameGeometryWriter::IsVisible(const FramePrim& row) {
  if (!row.blinks) return row.visible;
  return IsVisibleAt(context_, plan_, row, work_.sampler.frame());
}

absl::Status FrameGeometryWriter::WriteRow(size_t index, SampledXform xform) {
  const FramePrim& row = plan_.prims[index];
  if (work_.specs.IsDefined(row.prim)) return absl::OkStatus();  // of several prototypes
  if (row.prototype != kNoIndex) SD_RETURN_IF_ERROR(own_xforms_.WriteAncestors(row));
  const SpecId spec = work_.specs.Define(row.prim, PrimOf(index));
  if (row.prototype != kNoIndex) {
    SD_RETURN_IF_ERROR(own_xforms_.WriteRow(spec, row));
  } else {
    work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), /*resets=*/true);
  }
  WriteImageable(spec, row);
  WriteBinding(spec, index);
  if (!row.draw_mode.empty()) SD_RETURN_IF_ERROR(WriteStandIn(spec, row));
  if (row.geometry != kNoIndex && uses_[row.geometry].shared.empty()) {
    const FrameGeometry& geometry = plan_.geometry[row.geometry];
    SD_RETURN_IF_ERROR(attributes_.WriteGeometry(spec, geometry, uses_[row.geometry].has_skin));
    SD_RETURN_IF_ERROR(WriteContent(spec, geometry));
  }
  return WriteSubsets(spec, index);
}

FlatPrim FrameGeometryWriter::PrimOf(size_t index) {
  const FramePrim& row = plan_.prims[index];
  FlatPrim flat{.type_name = row.prim.type_name()};
  if (!row.prim.IsA(Geom().Xformable)) flat.type_name = RowNames().Xform;
  const bool has_geometry = row.geometry != kNoIndex;
  const bool has_skin = has_geometry && uses_[row.geometry].has_skin;
  for (const Token schema : AuthoredApiSchemas(context_, row.prim)) {
    if (!IsReplaced(schema, has_skin)) flat.api_schemas.push_back(schema);
  }
  if (row.material != 0) flat.api_schemas.push_back(RowNames().MaterialBindingAPI);
  if (has_exclusive_binding_[index]) flat.api_schemas.push_back(RowNames().CollectionAPI_frame);
  if (!row.draw_mode.empty() && !HasToken(flat.api_schemas, RowNames().GeomModelAPI)) {
    flat.api_schemas.push_back(RowNames().GeomModelAPI);
  }
  if (has_geometry) flat.reference = uses_[row.geometry].shared;
  flat.inactive_ids = row.prim.Metadata(context_, Geom().inactiveIds);
  return flat;
}

void FrameGeometryWriter::WriteImageable(SpecId spec, const FramePrim& row) {
  if (!IsVisible(row)) {
    work_.specs.AddValue(spec, Geom().visibility, "token", Value(Geom().invisible));
  }
  // An authored purpose keeps that of a prim above away.
  const bool is_plain = row.purpose.empty() || row.purpose == Geom().default_;
  if (!is_plain || HasAuthoredValue(context_, row.prim, Geom().purpose)) {
    work_.specs.AddValue(spec, Geom().purpose, "token",
                         Value(is_plain ? Geom().default_ : row.purpose), /*uniform=*/true);
  }
}

void FrameGeometryWriter::WriteBinding(SpecId spec, size_t index) {
  const FramePrim& row = plan_.prims[index];
  const Path material = work_.MaterialPath(row.material);
  if (material.empty()) return;
  if (!has_exclusive_binding_[index]) {
    return work_.specs.AddRelationship(spec, RowNames().binding, {material});
  }
  const Path path = row.prim.path();
  work_.specs.AddValue(spec, RowNames().expansion_rule, "token", Value(RowNames().explicit_only),
                       /*uniform=*/true);
  work_.specs.AddRelationship(spec, RowNames().includes, {path});
  work_.specs.AddRelationship(spec, RowNames().collection_binding,
                              {path.AppendProperty(RowNames().collection), material});
}

absl::Status FrameGeometryWriter::WriteSubsets(SpecId spec, size_t index) {
  // Subsets and rows are in the same order, but rows may be left out.
  while (next_subset_ < plan_.subsets.size() && plan_.subsets[next_subset_].prim < index) {
    ++next_subset_;
  }
  std::vector<Token> families;
  for (; next_subset_ < plan_.subsets.size() && plan_.subsets[next_subset_].prim == index;
       ++next_subset_) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    const FrameSubset& subset = plan_.subsets[next_subset_];
    WriteSubset(subset);
    const Token family = subset.subset.family_name;
    if (family.empty() || HasToken(families, family)) continue;
    families.push_back(family);
    const Token type = SubsetFamilyType(context_, plan_.prims[index].prim, family);
    if (type == RowNames().unrestricted) continue;
    work_.specs.AddValue(spec, Token(Concat("subsetFamily:", family.text(), ":familyType")),
                         "token", Value(type), /*uniform=*/true);
  }
  return context_.Check();
}

void FrameGeometryWriter::WriteSubset(const FrameSubset& subset) {
  const Prim& prim = subset.subset.prim;
  if (work_.specs.IsDefined(prim)) return;
  const Path material = work_.MaterialPath(subset.material);
  FlatPrim flat{.type_name = Geom().GeomSubset};
  if (!material.empty()) flat.api_schemas.push_back(RowNames().MaterialBindingAPI);
  const SpecId spec = work_.specs.Define(prim, flat);
  work_.specs.AddValue(spec, Geom().elementType, "token", Value(subset.subset.element_type),
                       /*uniform=*/true);
  if (!subset.subset.family_name.empty()) {
    work_.specs.AddValue(spec, Geom().familyName, "token", Value(subset.subset.family_name),
                         /*uniform=*/true);
  }
  auto indices = AttributeArray<int>(context_, prim, Geom().indices, work_.sampler.frame());
  work_.specs.AddValue(spec, Geom().indices, "int[]", Value(std::move(indices)));
  if (!material.empty()) work_.specs.AddRelationship(spec, RowNames().binding, {material});
}

// Writes what is not in attributes of their own.
absl::Status FrameGeometryWriter::WriteContent(SpecId spec, const FrameGeometry& geometry) {
  if (geometry.is_instancer) SD_RETURN_IF_ERROR(instances_.Write(spec, geometry));
  if (geometry.is_volume) SD_RETURN_IF_ERROR(WriteFields(spec, geometry.prim));
  return context_.Check();
}

// Writes how a model is drawn in place of what is below it, which the layer does not have: so its
// bounds are a hint, unless it has one already.
absl::Status FrameGeometryWriter::WriteStandIn(SpecId spec, const FramePrim& row) {
  work_.specs.AddValue(spec, GeomModel().draw_mode, "token", Value(row.draw_mode),
                       /*uniform=*/true);
  work_.specs.AddValue(spec, GeomModel().apply_draw_mode, "bool", Value(true), /*uniform=*/true);
  auto hint =
      AttributeValueAs<Array<Vec3f>>(context_, row.prim, Geom().extentsHint, work_.sampler.frame());
  if (!hint || hint->empty()) {
    BBoxCache cache(work_.sampler.frame(),
                    {.other_extents = ComputeSkelExtent, .executor = work_.executor});
    hint = Array<Vec3f>::FromVector(ComputeExtentsHint(context_, row.prim, cache));
  }
  work_.specs.AddValue(spec, Geom().extentsHint, "float3[]", Value(*std::move(hint)));
  return context_.Check();
}

absl::Status FrameGeometryWriter::WriteFields(SpecId spec, const Prim& volume) {
  for (const VolumeField& field : VolumeFieldsOf(context_, volume)) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    work_.specs.AddRelationship(spec, Token(Concat("field:", field.name.text())), {field.path});
    const Prim prim = volume.stage().FindPrim(field.path);
    if (!prim.valid() || work_.specs.IsDefined(prim)) continue;
    const SpecId target = work_.specs.Define(prim, {.type_name = prim.type_name()});
    for (const Token name : prim.AuthoredPropertyNames()) {
      SD_RETURN_IF_ERROR(context_.Spend(1));
      const Attribute attribute = prim.GetAttribute(name);
      if (!attribute.valid() || name.text().starts_with("xformOp")) continue;
      SD_RETURN_IF_ERROR(attributes_.Write(target, attribute, FrameAttributeWriter::Times::kFrame));
    }
    const Matrix4d world =
        work_.sampler.XformsAt(work_.sampler.frame()).LocalToWorld(context_, prim);
    work_.specs.AddTransform(target, {work_.sampler.frame()}, {world}, /*resets=*/true);
  }
  return context_.Check();
}

}  // namespace stagedoor
