#include "server/frames/frame_writer.h"

#include <string>

#include "base/status_macros.h"
#include "server/converters/packed_values.h"
#include "server/queries/purposes.h"

namespace stagedoor::server {
namespace {

// About the memory of a row beside its texts.
constexpr size_t kRowBytes = 6 * sizeof(FrameId) + 2 * sizeof(uint32_t) + 1;

}  // namespace

template <typename Columns, typename Fill>
absl::StatusOr<bool> FrameWriter::WantsRow(const FramePartId& id, const Fill& fill) {
  if (!filter_.reads()) return true;
  const size_t before = budget_.message_bytes();
  Columns columns;
  fill(&columns);
  SD_RETURN_IF_ERROR(budget_.status());
  SD_ASSIGN_OR_RETURN(const bool wanted, Wants(FramePart(id, columns)));
  budget_.RollBackTo(before);
  return wanted;
}

absl::Status FrameWriter::AddRow(const FramePlan& plan, const FramePrim& row) {
  budget_.StartItem();
  filter_.AddObject(row.id);
  SD_ASSIGN_OR_RETURN(
      const bool wanted,
      WantsRow<v1::FramePrims>({row.id, FramePartKind::kRow}, [&](v1::FramePrims* columns) {
        TypeNumbers types;
        FillRow(plan, row, &types, columns);
      }));
  if (wanted) FillRow(plan, row, &types_, out_.mutable_prims());
  return budget_.status();
}

void FrameWriter::FillRow(const FramePlan& plan, const FramePrim& row, TypeNumbers* types,
                          v1::FramePrims* out) {
  if (!budget_.Charge(kRowBytes)) return;
  out->add_ids(row.id);
  budget_.AddText(row.prim.PathText(), out->mutable_paths());
  const Token type = row.prim.type_name();
  const auto [number, fresh] = types->try_emplace(type, static_cast<uint32_t>(types->size()));
  if (fresh) budget_.AddText(type.text(), out->mutable_type_names());
  out->add_types(number->second);
  out->add_purposes(PurposeToProto(row.purpose));
  out->add_materials(row.material);
  out->add_light_sets(row.light_set);
  out->add_shadow_sets(row.shadow_set);
  out->add_geometry(row.geometry == kNoIndex ? 0 : plan.geometry[row.geometry].id);
  out->add_prototypes(row.prototype == kNoIndex ? 0 : plan.prototypes[row.prototype].id);
  if (options_.with_members) {
    out->mutable_pass_members()->push_back(static_cast<char>(row.pass_members));
  }
  FillDrawMode(row.draw_mode, out);
}

// The column has no elements until there is one that is not empty.
void FrameWriter::FillDrawMode(Token draw_mode, v1::FramePrims* out) {
  if (draw_mode.empty() && out->draw_modes().empty()) return;
  while (out->draw_modes_size() + 1 < out->ids_size() && budget_.ok()) {
    budget_.AddText("", out->mutable_draw_modes());
  }
  budget_.AddText(draw_mode.text(), out->mutable_draw_modes());
}

absl::Status FrameWriter::AddVisibility(FrameId object, bool visible) {
  budget_.StartItem();
  const auto fill = [&](v1::FrameVisibility* columns) {
    if (!budget_.Charge(sizeof(FrameId) + 1)) return;
    columns->add_ids(object);
    columns->mutable_visible()->push_back(visible ? '\1' : '\0');
  };
  SD_ASSIGN_OR_RETURN(const bool wanted,
                      WantsRow<v1::FrameVisibility>({object, FramePartKind::kVisibility}, fill));
  if (wanted) fill(out_.mutable_visibility());
  return budget_.status();
}

absl::Status FrameWriter::AddTransform(FrameId object, std::span<const double> times,
                                       std::span<const Matrix4d> matrices) {
  budget_.StartItem();
  const auto fill = [&](v1::FrameTransforms* columns) {
    FillTransform(object, times, matrices, columns);
  };
  SD_ASSIGN_OR_RETURN(const bool wanted,
                      WantsRow<v1::FrameTransforms>({object, FramePartKind::kTransform}, fill));
  if (wanted) fill(out_.mutable_transforms());
  return budget_.status();
}

void FrameWriter::FillTransform(FrameId object, std::span<const double> times,
                                std::span<const Matrix4d> matrices, v1::FrameTransforms* out) {
  if (!budget_.Charge(sizeof(FrameId) + sizeof(uint32_t) + matrices.size_bytes())) return;
  out->add_ids(object);
  out->add_counts(static_cast<uint32_t>(matrices.size()));
  FillTimes(times, out->mutable_times());
  v1::PackedValues* packed = out->mutable_matrices();
  FillPackedHeader(PackingOf(ValueType::kMatrix4d), packed->count() + matrices.size(), packed);
  packed->mutable_data()->append(reinterpret_cast<const char*>(matrices.data()),
                                 matrices.size_bytes());
}

absl::Status FrameWriter::AddError(std::string_view path, const absl::Status& failure) {
  SD_RETURN_IF_ERROR(context().Check());
  budget_.StartItem();
  const auto item = static_cast<uint32_t>(out_.error_paths_size());
  budget_.AddText(path, out_.mutable_error_paths());
  budget_.FillError(failure, item, budget_.Add(out_.mutable_path_errors()));
  return budget_.status();
}

void FrameWriter::FillTimes(std::span<const double> times,
                            google::protobuf::RepeatedField<double>* out) {
  if (times.size() < 2 || !budget_.Charge(times.size_bytes())) return;
  for (const double time : times) out->Add(time - options_.time_origin);
}

}  // namespace stagedoor::server
