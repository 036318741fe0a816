#include "client/cli/frame_contents.h"

#include <map>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/frame_columns.h"
#include "client/cli/purpose_words.h"
#include "client/cli/safe_text.h"
#include "client/cli/shown_units.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

constexpr size_t kMostTypes = 5;  // in the summary

// "1 light", "3 lights".
std::string Counted(size_t count, std::string_view one) {
  return Concat(count, " ", one, count == 1 ? "" : "s");
}

}  // namespace

absl::Status FrameContents::Add(const v1::ExtractFrameResponse& message) {
  SD_RETURN_IF_ERROR(CheckFrameColumns(message));
  if (message.has_header()) header_ = message.header();
  if (!message.token().empty()) token_ = message.token();
  for (int i = 0; i < message.materials().ids_size(); ++i) {
    materials_[message.materials().ids(i)] = message.materials().paths(i);
  }
  for (const v1::FrameLight& light : message.lights()) {
    for (const v1::FrameValue& value : light.values()) AddValue(value, nullptr);
  }
  AddPrims(message.prims());
  for (int i = 0; i < message.visibility().ids_size(); ++i) {
    visible_[message.visibility().ids(i)] =
        message.visibility().visible()[static_cast<size_t>(i)] != 0;
  }
  for (int i = 0; i < message.transforms().ids_size(); ++i) {
    xform_samples_[message.transforms().ids(i)] = message.transforms().counts(i);
  }
  array_bytes_ += message.transforms().matrices().data().size();
  for (const v1::FrameGeometry& geometry : message.geometry()) AddGeometry(geometry);
  for (const v1::FrameSubset& subset : message.subsets()) {
    array_bytes_ += subset.indices().data().size();
  }
  lights_ += static_cast<size_t>(message.lights_size());
  light_sets_ += static_cast<size_t>(message.light_sets_size());
  subsets_ += static_cast<size_t>(message.subsets_size());
  removed_ += static_cast<size_t>(message.removed_size());
  errors_ += static_cast<size_t>(message.path_errors_size());
  return absl::OkStatus();
}

void FrameContents::AddPrims(const v1::FramePrims& prims) {
  for (int i = 0; i < prims.ids_size(); ++i) {
    rows_.push_back({.id = prims.ids(i),
                     .geometry = prims.geometry(i),
                     .material = prims.materials(i),
                     .light_set = prims.light_sets(i),
                     .shadow_set = prims.shadow_sets(i),
                     .prototype = prims.prototypes(i),
                     .path = prims.paths(i),
                     .type = prims.type_names(static_cast<int>(prims.types(i))),
                     .draw_mode = prims.draw_modes().empty() ? "" : prims.draw_modes(i),
                     .purpose = prims.purposes(i)});
  }
}

void FrameContents::AddGeometry(const v1::FrameGeometry& geometry) {
  Geometry& to = geometry_[geometry.id()];
  for (const v1::FrameValue& value : geometry.values()) AddValue(value, &to);
  for (const v1::FrameSharedValues& shared : geometry.shared()) AddShared(shared, &to);
  if (!geometry.has_instances()) return;
  to.has_instances = true;
  to.instances = PackedElementCount(geometry.instances().prototype_indices());
  const auto samples = static_cast<size_t>(geometry.instances().transforms_size());
  to.samples = std::max(to.samples, samples);
  for (const v1::PackedValues& matrices : geometry.instances().transforms()) {
    array_bytes_ += matrices.data().size();
  }
}

void FrameContents::AddValue(const v1::FrameValue& value, Geometry* to) {
  for (const v1::Value& sample : value.values()) CountBytes(sample);
  for (const v1::Value& sample : value.indices()) CountBytes(sample);
  if (to == nullptr) return;
  const auto samples = static_cast<size_t>(value.values_size());
  to->samples = std::max(to->samples, samples);
  if (samples > 1) to->samples_of[value.name()] = samples;
  if (value.name() != "points" || value.values().empty()) return;
  to->has_points = true;
  to->points = PackedElementCount(value.values(0).array_value());
}

// All that is known of the values of the other geometry is the number of points, and that of
// samples where there are several.
void FrameContents::AddShared(const v1::FrameSharedValues& shared, Geometry* to) {
  const auto found = geometry_.find(shared.geometry());
  if (found == geometry_.end()) return;
  const Geometry& other = found->second;
  for (const std::string& name : shared.names()) {
    const auto samples = other.samples_of.find(name);
    if (samples != other.samples_of.end()) to->samples = std::max(to->samples, samples->second);
    if (name != "points" || !other.has_points) continue;
    to->has_points = true;
    to->points = other.points;
  }
}

void FrameContents::CountBytes(const v1::Value& value) {
  array_bytes_ += value.array_value().data().size();
}

size_t FrameContents::SamplesOf(const Row& row) const {
  const auto xform = xform_samples_.find(row.id);
  const auto geometry = geometry_.find(row.geometry);
  const size_t moving = xform == xform_samples_.end() ? 1 : xform->second;
  return std::max(moving, geometry == geometry_.end() ? size_t{1} : geometry->second.samples);
}

void FrameContents::PrintSummary(Output& output) const {
  const auto line = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) output.Line(Concat("  ", name, ": ", SafeText(text)));
  };
  line("snapshot", header_.snapshot());
  line("camera", header_.camera_path());
  line("settings", header_.settings_path());
  std::map<std::string, size_t> by_type;
  for (const Row& row : rows_) ++by_type[row.type];
  std::vector<std::string> types;
  for (const auto& [type, count] : by_type) types.push_back(Concat(count, " ", type));
  line("prims", Concat(rows_.size(), types.empty() ? "" : " (", JoinFirst(types, kMostTypes),
                       types.empty() ? "" : ")"));
  line("objects", Concat(Counted(materials_.size(), "material"), ", ", Counted(lights_, "light"),
                         ", ", Counted(light_sets_, "light set"), ", ", Counted(subsets_, "subset"),
                         ", geometry of ", geometry_.size()));
  if (!header_.complete()) {
    line("changes", Concat(Counted(xform_samples_.size(), "transform"), ", visibility of ",
                           visible_.size(), ", ", Counted(removed_, "object"), " removed"));
  }
  if (errors_ != 0) line("errors", Concat(errors_));
  line("arrays", ShownBytes(static_cast<double>(array_bytes_)));
}

std::vector<Cell> FrameContents::CellsOf(const Row& row) const {
  const auto visible = visible_.find(row.id);
  const auto geometry = geometry_.find(row.geometry);
  const auto material = materials_.find(row.material);
  const bool has_geometry = geometry != geometry_.end();
  return {
      row.path,
      row.type,
      PurposeWord(row.purpose),
      visible == visible_.end() ? Cell() : Cell(visible->second),
      SamplesOf(row),
      has_geometry && geometry->second.has_points ? Cell(geometry->second.points) : Cell(),
      has_geometry && geometry->second.has_instances ? Cell(geometry->second.instances) : Cell(),
      material == materials_.end() ? Cell() : Cell::TextIfAny(material->second),
      Cell::TextIfAny(row.draw_mode),
      FrameIdText(row.id),
      Cell::TextIfAny(FrameIdText(row.geometry)),
      Cell::TextIfAny(FrameIdText(row.prototype)),
      Cell::TextIfAny(FrameIdText(row.light_set)),
      Cell::TextIfAny(FrameIdText(row.shadow_set))};
}

void FrameContents::PrintPrims(RecordFormat format, Output& output) const {
  RecordPrinter records(format,
                        {{"path"},
                         {"type"},
                         {"purpose"},
                         {"visible"},
                         {"samples", true},
                         {"points", true},
                         {"instances", true},
                         {"material"},
                         {"draw_mode", false, false},
                         {"id", false, false},
                         {"geometry", false, false},
                         {"prototype", false, false},
                         {"light_set", false, false},
                         {"shadow_set", false, false}},
                        output);
  for (const Row& row : rows_) {
    if (!output.status().ok()) return;
    records.Add("", CellsOf(row));
  }
  records.Finish();
}

}  // namespace stagedoor
