#include "client/cli/frame_json.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/cli/frame_columns.h"
#include "client/cli/message_json.h"
#include "client/cli/purpose_words.h"
#include "client/cli/safe_text.h"
#include "client/cli/value_json.h"

namespace stagedoor {

absl::Status FrameJsonPrinter::Print(const v1::ExtractFrameResponse& message) {
  SD_RETURN_IF_ERROR(CheckFrameColumns(message));
  if (message.has_header()) SD_RETURN_IF_ERROR(PrintHeader(message.header()));
  SD_RETURN_IF_ERROR(PrintMaterials(message.materials()));
  for (const v1::FrameLight& light : message.lights()) PrintLight(light);
  for (const v1::FrameLightSet& set : message.light_sets()) PrintLightSet(set);
  PrintPrims(message.prims());
  PrintVisibility(message.visibility());
  PrintTransforms(message.transforms());
  for (const v1::FrameGeometry& geometry : message.geometry()) {
    SD_RETURN_IF_ERROR(PrintGeometry(geometry));
  }
  for (const v1::FrameSubset& subset : message.subsets()) PrintSubset(subset);
  for (const uint64_t id : message.removed()) {
    Begin("removed");
    WriteId("id", id);
    End();
  }
  PrintErrors(message);
  if (!message.token().empty()) {
    Begin("token");
    WriteText("token", absl::BytesToHexString(message.token()));
    if (message.prim_count() != 0) WriteCount(message.prim_count());
    End();
  }
  return output_.status();
}

void FrameJsonPrinter::Begin(std::string_view object) {
  json_.BeginObject();
  WriteText("object", object);
}

void FrameJsonPrinter::WriteCount(uint64_t prims) {
  json_.Key("prim_count");
  json_.UInt(prims);
}

void FrameJsonPrinter::End() {
  json_.EndObject();
  // Control characters that are left belong to C1, whose escapes in JSON are the same.
  output_.Line(SafeText(json_.Take()));
}

void FrameJsonPrinter::WriteText(std::string_view key, std::string_view text) {
  json_.Key(key);
  json_.String(text);
}

void FrameJsonPrinter::WriteId(std::string_view key, uint64_t id) {
  if (id != 0) WriteText(key, FrameIdText(id));
}

template <typename Ids>
void FrameJsonPrinter::WriteIds(std::string_view key, const Ids& ids) {
  json_.Key(key);
  json_.BeginArray();
  for (const uint64_t id : ids) json_.String(FrameIdText(id));
  json_.EndArray();
}

template <typename Times>
void FrameJsonPrinter::WriteTimes(const Times& times) {
  if (times.empty()) return;
  json_.Key("times");
  json_.BeginArray();
  for (const double time : times) json_.Number(time);
  json_.EndArray();
}

absl::Status FrameJsonPrinter::WriteMessage(std::string_view key,
                                            const google::protobuf::Message& message) {
  SD_ASSIGN_OR_RETURN(const std::string text, MessageJson(message));
  json_.Key(key);
  json_.Json(text);
  return absl::OkStatus();
}

absl::Status FrameJsonPrinter::PrintHeader(const v1::FrameHeader& header) {
  Begin("frame");
  WriteText("snapshot", header.snapshot());
  json_.Key("complete");
  json_.Bool(header.complete());
  if (header.has_time()) {
    json_.Key("time");
    json_.Number(header.time());
  }
  if (header.prim_count() != 0) WriteCount(header.prim_count());
  json_.Key("meters_per_unit");
  json_.Number(header.meters_per_unit());
  json_.Key("time_codes_per_second");
  json_.Number(header.time_codes_per_second());
  WriteText("up_axis", header.up_axis());
  WriteText("camera_path", header.camera_path());
  WriteText("settings_path", header.settings_path());
  if (header.has_camera()) SD_RETURN_IF_ERROR(WriteMessage("camera", header.camera()));
  if (header.has_settings()) SD_RETURN_IF_ERROR(WriteMessage("settings", header.settings()));
  End();
  return absl::OkStatus();
}

absl::Status FrameJsonPrinter::PrintMaterials(const v1::FrameMaterials& materials) {
  for (int i = 0; i < materials.ids_size(); ++i) {
    Begin("material");
    WriteId("id", materials.ids(i));
    WriteText("path", materials.paths(i));
    SD_RETURN_IF_ERROR(WriteMessage("network", materials.networks(i)));
    End();
  }
  return absl::OkStatus();
}

void FrameJsonPrinter::PrintLight(const v1::FrameLight& light) {
  Begin("light");
  WriteId("id", light.id());
  WriteText("path", light.path());
  WriteText("type", light.type_name());
  WriteText("shader_id", light.shader_id());
  json_.Key("is_filter");
  json_.Bool(light.is_filter());
  WriteIds("filters", light.filters());
  WriteIds("portals", light.portals());
  WriteId("material", light.material());
  WriteId("prim", light.prim());
  json_.Key("values");
  json_.BeginArray();
  for (const v1::FrameValue& value : light.values()) WriteFrameValue(value);
  json_.EndArray();
  End();
}

void FrameJsonPrinter::PrintLightSet(const v1::FrameLightSet& set) {
  Begin("light_set");
  WriteId("id", set.id());
  WriteIds("lights", set.lights());
  End();
}

void FrameJsonPrinter::PrintPrims(const v1::FramePrims& prims) {
  for (int i = 0; i < prims.ids_size(); ++i) {
    Begin("prim");
    WriteId("id", prims.ids(i));
    WriteText("path", prims.paths(i));
    WriteText("type", prims.type_names(static_cast<int>(prims.types(i))));
    WriteText("purpose", PurposeWord(prims.purposes(i)));
    WriteId("material", prims.materials(i));
    WriteId("light_set", prims.light_sets(i));
    WriteId("shadow_set", prims.shadow_sets(i));
    WriteId("geometry", prims.geometry(i));
    WriteId("prototype", prims.prototypes(i));
    if (!prims.pass_members().empty()) {
      json_.Key("pass_members");
      json_.UInt(static_cast<unsigned char>(prims.pass_members()[static_cast<size_t>(i)]));
    }
    if (!prims.draw_modes().empty() && !prims.draw_modes(i).empty()) {
      WriteText("draw_mode", prims.draw_modes(i));
    }
    End();
  }
}

void FrameJsonPrinter::PrintVisibility(const v1::FrameVisibility& visibility) {
  for (int i = 0; i < visibility.ids_size(); ++i) {
    Begin("visibility");
    WriteId("id", visibility.ids(i));
    json_.Key("visible");
    json_.Bool(visibility.visible()[static_cast<size_t>(i)] != 0);
    End();
  }
}

void FrameJsonPrinter::PrintTransforms(const v1::FrameTransforms& transforms) {
  size_t matrix = 0;
  int time = 0;
  for (int i = 0; i < transforms.ids_size(); ++i) {
    const auto count = static_cast<int>(transforms.counts(i));
    Begin("transform");
    WriteId("id", transforms.ids(i));
    if (count > 1) {
      WriteTimes(std::span(transforms.times().data() + time, static_cast<size_t>(count)));
      time += count;
    }
    json_.Key("matrices");
    json_.BeginArray();
    for (int s = 0; s < count; ++s) WritePackedElement(transforms.matrices(), matrix++, json_);
    json_.EndArray();
    End();
  }
}

absl::Status FrameJsonPrinter::PrintGeometry(const v1::FrameGeometry& geometry) {
  Begin("geometry");
  WriteId("id", geometry.id());
  json_.Key("complete");
  json_.Bool(geometry.complete());
  json_.Key("values");
  json_.BeginArray();
  for (const v1::FrameValue& value : geometry.values()) WriteFrameValue(value);
  json_.EndArray();
  WriteShared(geometry);
  if (!geometry.fields().empty()) {
    json_.Key("fields");
    json_.BeginArray();
    for (const v1::VolumeField& field : geometry.fields()) {
      SD_ASSIGN_OR_RETURN(const std::string text, MessageJson(field));
      json_.Json(text);
    }
    json_.EndArray();
  }
  if (geometry.has_instances()) WriteInstances(geometry.instances());
  End();
  return absl::OkStatus();
}

void FrameJsonPrinter::WriteShared(const v1::FrameGeometry& geometry) {
  if (geometry.shared().empty()) return;
  json_.Key("shared");
  json_.BeginArray();
  for (const v1::FrameSharedValues& shared : geometry.shared()) {
    json_.BeginObject();
    WriteId("geometry", shared.geometry());
    json_.Key("names");
    json_.BeginArray();
    for (const std::string& name : shared.names()) json_.String(name);
    json_.EndArray();
    json_.EndObject();
  }
  json_.EndArray();
}

void FrameJsonPrinter::WriteFrameValue(const v1::FrameValue& value) {
  json_.BeginObject();
  WriteText("name", value.name());
  if (value.removed()) {
    json_.Key("removed");
    json_.Bool(true);
    return json_.EndObject();
  }
  WriteText("type", value.type_name());
  if (!value.interpolation().empty()) WriteText("interpolation", value.interpolation());
  if (value.element_size() != 0) {
    json_.Key("element_size");
    json_.Int(value.element_size());
  }
  WriteTimes(value.times());
  json_.Key("values");
  json_.BeginArray();
  for (const v1::Value& sample : value.values()) WriteValue(sample, json_);
  json_.EndArray();
  if (!value.indices().empty()) {
    json_.Key("indices");
    json_.BeginArray();
    for (const v1::Value& sample : value.indices()) WriteValue(sample, json_);
    json_.EndArray();
  }
  json_.EndObject();
}

void FrameJsonPrinter::WriteInstances(const v1::FrameInstances& instances) {
  const auto write = [&](std::string_view key, const v1::PackedValues& packed) {
    v1::Value value;
    *value.mutable_array_value() = packed;
    WriteField(key, value, json_);
  };
  json_.Key("instances");
  json_.BeginObject();
  WriteIds("prototypes", instances.prototypes());
  write("prototype_indices", instances.prototype_indices());
  write("instance_indices", instances.instance_indices());
  if (instances.has_ids()) write("ids", instances.ids());
  WriteTimes(instances.times());
  json_.Key("transforms");
  json_.BeginArray();
  for (const v1::PackedValues& matrices : instances.transforms()) {
    v1::Value value;
    *value.mutable_array_value() = matrices;
    WriteValue(value, json_);
  }
  json_.EndArray();
  json_.EndObject();
}

void FrameJsonPrinter::PrintSubset(const v1::FrameSubset& subset) {
  Begin("subset");
  WriteId("id", subset.id());
  WriteId("prim", subset.prim());
  WriteText("path", subset.path());
  WriteText("element_type", subset.element_type());
  WriteText("family_name", subset.family_name());
  WriteId("material", subset.material());
  v1::Value indices;
  *indices.mutable_array_value() = subset.indices();
  WriteField("indices", indices, json_);
  End();
}

void FrameJsonPrinter::PrintErrors(const v1::ExtractFrameResponse& message) {
  for (const v1::ItemStatus& error : message.path_errors()) {
    const absl::Status status = ItemError(error);
    Begin("error");
    WriteText("path", message.error_paths(static_cast<int>(error.item())));
    WriteText("code", absl::StatusCodeToString(status.code()));
    WriteText("message", Message(status));
    End();
  }
}

}  // namespace stagedoor
