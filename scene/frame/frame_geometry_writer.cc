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
#include "scene/geom/imageable.h"
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
  SD_RETURN_IF_ERROR(bindings_.Prepare());
  SD_RETURN_IF_ERROR(WriteShared());
  for (size_t first = 0; first < plan_.prims.size(); first += kBatchRows) {
    SD_RETURN_IF_ERROR(WriteBatch(first, std::min(first + kBatchRows, plan_.prims.size())));
  }
  SD_RETURN_IF_ERROR(own_xforms_.WritePrototypes());
  for (const Prim& field : fields_) SD_RETURN_IF_ERROR(WriteField(field));
  return context_.Check();
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
  std::vector<uint32_t> rows;
  std::vector<const FramePlace*> in_world;
  for (size_t i = first; i < last; ++i) {
    const FramePrim& row = plan_.prims[i];
    if (row.prototype != kNoIndex && !prototypes_.IsUsed(row.prototype)) continue;
    if (!work_.IsKept(row)) continue;
    rows.push_back(static_cast<uint32_t>(i));
    if (HasWorldXform(row)) in_world.push_back(&row);
  }
  SD_ASSIGN_OR_RETURN(PlaceXforms xforms,
                      SampleXforms(context_, plan_, in_world, work_.sampler, work_.executor));
  size_t next = 0;
  for (const uint32_t index : rows) {
    const FramePrim& row = plan_.prims[index];
    if (HasWorldXform(row)) {
      SD_RETURN_IF_ERROR(WriteRow(index, std::move(xforms.places[next++])));
    } else if (row.prototype != kNoIndex) {
      SD_RETURN_IF_ERROR(WriteRow(index, {}));
    } else {
      work_.specs.Place(row.prim);  // in stage order; as a part of its prototype, it comes later
    }
  }
  return context_.Check();
}

// Whether a row is written where it is. One that instancers draw as well is a part of its
// prototype.
bool FrameGeometryWriter::HasWorldXform(const FramePrim& row) const {
  return row.prototype == kNoIndex && !prototypes_.Has(row.prim);
}

absl::Status FrameGeometryWriter::WriteRow(size_t index, SampledXform xform) {
  const FramePrim& row = plan_.prims[index];
  if (work_.specs.IsDefined(row.prim)) return absl::OkStatus();  // of several prototypes
  if (row.prototype != kNoIndex) SD_RETURN_IF_ERROR(own_xforms_.WriteAncestors(row));
  const SpecId spec = work_.specs.Define(row.prim, PrimOf(row));
  if (row.prototype != kNoIndex) {
    SD_RETURN_IF_ERROR(own_xforms_.WriteRow(spec, row));
  } else {
    work_.specs.AddTransform(spec, xform.times, std::move(xform.matrices), /*resets=*/true);
  }
  const Prim above = work_.specs.DefinedAbove(row.prim);
  WriteImageable(spec, row, above);
  bindings_.Write(spec, row);
  if (!row.draw_mode.empty()) {
    work_.specs.MakeModel(row.prim);
    SD_RETURN_IF_ERROR(WriteStandIn(spec, row));
  }
  if (above.valid()) hidden_primvars_.WriteBetween(above, row.prim);
  if (row.geometry != kNoIndex && SharedBy(row).empty()) {
    const FrameGeometry& geometry = plan_.geometry[row.geometry];
    SD_RETURN_IF_ERROR(attributes_.WriteGeometry(spec, geometry, uses_[row.geometry].has_skin));
    SD_RETURN_IF_ERROR(WriteContent(spec, geometry));
  }
  return WriteSubsets(spec, index);
}

// The class that a row references; empty if it has its geometry itself.
Path FrameGeometryWriter::SharedBy(const FramePrim& row) const {
  if (row.geometry == kNoIndex) return {};
  // An over would become a class, and all below it with it.
  const bool is_over = row.prototype != kNoIndex && prototypes_.IsOver(row.prototype) &&
                       row.prim == plan_.prototypes[row.prototype].prim;
  return is_over ? Path() : uses_[row.geometry].shared;
}

FlatPrim FrameGeometryWriter::PrimOf(const FramePrim& row) {
  FlatPrim flat{.type_name = row.prim.type_name()};
  if (!row.prim.IsA(Geom().Xformable)) flat.type_name = RowNames().Xform;
  const bool has_geometry = row.geometry != kNoIndex;
  const bool has_skin = has_geometry && uses_[row.geometry].has_skin;
  for (const Token schema : AuthoredApiSchemas(context_, row.prim)) {
    if (!IsReplaced(schema, has_skin)) flat.api_schemas.push_back(schema);
  }
  bindings_.AddSchemas(row, &flat.api_schemas);
  if (!row.draw_mode.empty() && !HasToken(flat.api_schemas, RowNames().GeomModelAPI)) {
    flat.api_schemas.push_back(RowNames().GeomModelAPI);
  }
  flat.reference = SharedBy(row);
  flat.inactive_ids = row.prim.Metadata(context_, Geom().inactiveIds);
  return flat;
}

// `above`: the closest prim above that is drawn, whose purpose the row inherits.
void FrameGeometryWriter::WriteImageable(SpecId spec, const FramePrim& row, const Prim& above) {
  if (!work_.IsVisible(row)) {
    work_.specs.AddValue(spec, Geom().visibility, "token", Value(Geom().invisible));
  }
  const Token purpose = row.purpose.empty() ? Geom().default_ : row.purpose;
  const Token inherited =
      above.valid() ? ComputePurposeInfo(context_, above).purpose : Geom().default_;
  if (purpose != inherited) {
    work_.specs.AddValue(spec, Geom().purpose, "token", Value(purpose), /*uniform=*/true);
  }
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
  FlatPrim flat{.type_name = Geom().GeomSubset};
  if (subset.material != 0) flat.api_schemas.push_back(RowNames().MaterialBindingAPI);
  const SpecId spec = work_.specs.Define(prim, flat);
  work_.specs.AddValue(spec, Geom().elementType, "token", Value(subset.subset.element_type),
                       /*uniform=*/true);
  if (!subset.subset.family_name.empty()) {
    work_.specs.AddValue(spec, Geom().familyName, "token", Value(subset.subset.family_name),
                         /*uniform=*/true);
  }
  auto indices = AttributeArray<int>(context_, prim, Geom().indices, work_.sampler.frame());
  work_.specs.AddValue(spec, Geom().indices, "int[]", Value(std::move(indices)));
  bindings_.Write(spec, subset);
}

// Writes what is not in attributes of their own.
absl::Status FrameGeometryWriter::WriteContent(SpecId spec, const FrameGeometry& geometry) {
  if (geometry.is_instancer) SD_RETURN_IF_ERROR(instances_.Write(spec, geometry));
  if (geometry.is_volume) SD_RETURN_IF_ERROR(AddFields(spec, geometry.prim));
  return context_.Check();
}

// Writes how a model is drawn in place of what is below it, which the layer does not have: so its
// bounds are a hint, unless it has one already.
absl::Status FrameGeometryWriter::WriteStandIn(SpecId spec, const FramePrim& row) {
  work_.specs.AddValue(spec, GeomModel().draw_mode, "token", Value(row.draw_mode),
                       /*uniform=*/true);
  work_.specs.AddValue(spec, GeomModel().apply_draw_mode, "bool", Value(true), /*uniform=*/true);
  const TimeCode frame = work_.sampler.frame();
  if (HasExtentsHint(context_, row.prim, frame)) return context_.Check();
  BBoxCache cache(
      frame,
      {.use_extents_hint = true, .other_extents = ComputeSkelExtent, .executor = work_.executor});
  auto hint = Array<Vec3f>::FromVector(ComputeExtentsHint(context_, row.prim, cache));
  work_.specs.AddValue(spec, Geom().extentsHint, "float3[]", Value(std::move(hint)));
  return context_.Check();
}

// Notes the fields of a volume, which are written once all that is drawn is.
absl::Status FrameGeometryWriter::AddFields(SpecId spec, const Prim& volume) {
  for (const VolumeField& field : VolumeFieldsOf(context_, volume)) {
    SD_RETURN_IF_ERROR(reserved_.Grow(sizeof(Prim), "fields of volumes"));
    work_.specs.AddRelationship(spec, Token(Concat("field:", field.name.text())), {field.path});
    const Prim prim = volume.stage().FindPrim(field.path);
    if (prim.valid()) fields_.push_back(prim);
  }
  return context_.Check();
}

absl::Status FrameGeometryWriter::WriteField(const Prim& field) {
  if (work_.specs.IsDefined(field)) return absl::OkStatus();
  // A field that is a prim to draw, but is left out of the frame, is not drawn.
  const SpecId spec = work_.specs.Define(field, {.type_name = TypeWithoutDrawing(field)});
  for (const Token name : field.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(context_.Spend(1));
    const Attribute attribute = field.GetAttribute(name);
    if (!attribute.valid() || name.text().starts_with("xformOp")) continue;
    SD_RETURN_IF_ERROR(attributes_.Write(spec, attribute, FrameAttributeWriter::Times::kFrame));
  }
  if (work_.of_prototypes.contains(spec)) return context_.Check();
  const TimeCode frame = work_.sampler.frame();
  const Matrix4d world = work_.sampler.XformsAt(frame).LocalToWorld(context_, field);
  work_.specs.AddTransform(spec, {frame}, {world}, /*resets=*/true);
  return context_.Check();
}

}  // namespace stagedoor
