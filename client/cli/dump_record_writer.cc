#include "client/cli/dump_record_writer.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "client/cc/packed_numbers.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

void PutText(std::string_view key, std::string_view text, JsonWriter& json) {
  if (text.empty()) return;
  json.Key(key);
  json.String(text);
}

// Writes nothing if the value is the usual one, `plain`.
void PutBool(std::string_view key, bool value, bool plain, JsonWriter& json) {
  if (value == plain) return;
  json.Key(key);
  json.Bool(value);
}

template <typename Strings>
void PutStrings(std::string_view key, const Strings& strings, JsonWriter& json) {
  if (strings.empty()) return;
  json.Key(key);
  json.BeginArray();
  for (const auto& text : strings) json.String(text);
  json.EndArray();
}

void PutNumber(std::string_view key, double value, JsonWriter& json) {
  json.Key(key);
  json.Number(value);
}

void PutFields(std::string_view key, const google::protobuf::RepeatedPtrField<v1::Field>& fields,
               JsonWriter& json) {
  if (fields.empty()) return;
  json.Key(key);
  WriteFields(fields, json);
}

std::string_view SourceKey(v1::ValueSource source) {
  switch (source) {
    case v1::VALUE_SOURCE_FALLBACK:
      return "fallback";
    case v1::VALUE_SOURCE_DEFAULT:
      return "default";
    case v1::VALUE_SOURCE_TIME_SAMPLES:
      return "timeSamples";
    case v1::VALUE_SOURCE_VALUE_CLIPS:
      return "valueClips";
    case v1::VALUE_SOURCE_SPLINE:
      return "spline";
    default:
      return {};
  }
}

// OpenUSD's Get() returns no value for a block, too.
void WriteOrNull(const v1::Value& value, JsonWriter& json) {
  value.has_block() ? json.Null() : WriteValue(value, json);
}

// "https://host" of a URL; empty for the path of a file.
std::string_view OriginOf(std::string_view path) {
  const size_t scheme = path.find("://");
  if (scheme == std::string_view::npos || path.front() == '/') return {};
  return path.substr(0, std::min(path.find('/', scheme + 3), path.size()));
}

bool IsAnonymous(std::string_view layer) { return layer.substr(0, 5) == "anon:"; }

}  // namespace

std::string DumpRecordWriter::LayerName(std::string_view identifier) const {
  const size_t bracket = identifier.back() == ']' ? identifier.find('[') : std::string_view::npos;
  const std::string_view file = identifier.substr(0, bracket);
  const std::string_view inner =
      bracket == std::string_view::npos ? std::string_view() : identifier.substr(bracket);
  const std::string_view origin = OriginOf(file);
  const bool absolute = !file.empty() && (file.front() == '/' || !origin.empty());
  if (!absolute || origin != OriginOf(folder_)) return std::string(identifier);
  const std::filesystem::path folder = "/" + folder_.substr(origin.size());
  return std::filesystem::path("/" + std::string(file.substr(origin.size())))
             .lexically_relative(folder)
             .string() +
         std::string(inner);
}

void DumpRecordWriter::WriteStage(const v1::Stage& stage, JsonWriter& json) {
  json.BeginObject();
  json.Key("record");
  json.String("stage");
  PutText("defaultPrim", stage.default_prim(), json);
  PutNumber("startTimeCode", stage.start_time_code(), json);
  PutNumber("endTimeCode", stage.end_time_code(), json);
  PutNumber("timeCodesPerSecond", stage.time_codes_per_second(), json);
  PutNumber("framesPerSecond", stage.frames_per_second(), json);
  PutFields("metadata", stage.metadata(), json);
  std::set<std::string> layers;
  for (const std::string& layer : stage.used_layers()) {
    if (!IsAnonymous(layer)) layers.insert(LayerName(layer));
  }
  PutStrings("layers", layers, json);
  std::set<std::string> errors;
  for (const v1::CompositionError& error : stage.composition_errors()) errors.insert(error.type());
  PutStrings("errors", errors, json);
  json.EndObject();
}

void DumpRecordWriter::WriteFlags(const v1::Prim& prim, JsonWriter& json) {
  PutBool("active", !prim.inactive(), true, json);
  PutBool("loaded", !prim.unloaded(), true, json);
  PutBool("model", prim.model(), false, json);
  PutBool("group", prim.group(), false, json);
  PutBool("abstract", prim.abstract(), false, json);
  PutBool("defined", !prim.undefined(), true, json);
  PutBool("instance", prim.instance(), false, json);
  PutBool("instanceable", prim.instanceable(), false, json);
  PutBool("instanceProxy", prim.instance_proxy(), false, json);
  if (prim.prototype() != 0) {
    PutText("sharesWith", first_instances_.emplace(prim.prototype(), prim.path()).first->second,
            json);
  }
  PutBool("hasPayload", prim.has_payload(), false, json);
}

void DumpRecordWriter::WriteVariantSets(const v1::Prim& prim, JsonWriter& json) {
  if (prim.variant_sets().empty()) return;
  json.Key("variantSets");
  json.BeginObject();
  for (const v1::VariantSet& set : prim.variant_sets()) {
    json.Key(set.name());
    json.BeginObject();
    json.Key("selection");
    json.String(set.selection());
    json.Key("choices");
    json.BeginArray();
    for (const std::string& choice : set.choices()) json.String(choice);
    json.EndArray();
    json.EndObject();
  }
  json.EndObject();
}

void DumpRecordWriter::WritePrim(const v1::Prim& prim, JsonWriter& json) {
  json.BeginObject();
  json.Key("record");
  json.String("prim");
  PutText("path", prim.path(), json);
  PutText("specifier", SpecifierKeyword(prim.specifier()), json);
  PutText("typeName", prim.type_name(), json);
  WriteFlags(prim, json);
  PutText("kind", prim.kind(), json);
  PutStrings("apiSchemas", prim.api_schemas(), json);
  PutStrings("children", prim.children(), json);
  WriteVariantSets(prim, json);
  PutFields("metadata", prim.metadata(), json);
  if (with_stack_ && !prim.prim_stack().empty()) {
    json.Key("primStack");
    WriteSites(prim.prim_stack(), json);
  }
  if (!prim.properties().empty()) {
    json.Key("properties");
    json.BeginArray();
    for (const v1::Property& property : prim.properties()) WriteProperty(property, json);
    json.EndArray();
  }
  json.EndObject();
}

void DumpRecordWriter::WriteProperty(const v1::Property& property, JsonWriter& json) {
  const bool attribute = property.kind() == v1::Property::KIND_ATTRIBUTE;
  json.BeginObject();
  PutText("name", property.name(), json);
  PutText("kind", attribute ? "attribute" : "relationship", json);
  if (attribute) {
    PutText("typeName", property.type_name(), json);
    if (property.variability() == v1::VARIABILITY_UNIFORM) PutText("variability", "uniform", json);
  }
  PutBool("custom", property.custom(), false, json);
  PutBool("authored", property.authored(), false, json);
  PutFields("metadata", property.metadata(), json);
  if (attribute) {
    WriteAttribute(property, json);
  } else {
    PutStrings("targets", property.targets(), json);
    PutStrings("forwardedTargets", property.forwarded_targets(), json);
  }
  if (with_stack_) WriteStacks(property, json);
  json.EndObject();
}

void DumpRecordWriter::WriteAttribute(const v1::Property& property, JsonWriter& json) {
  PutText("source", SourceKey(property.source()), json);
  PutBool("blocked", property.blocked(), false, json);
  const std::span<const double> times = PackedNumbers<double>(property.time_samples());
  if (!times.empty()) {
    json.Key("timeSamples");
    json.BeginArray();
    for (const double time : times) json.Number(time);
    json.EndArray();
  }
  PutBool("mightVary", property.might_be_time_varying(), false, json);
  WriteValues(property, json);
  PutStrings("connections", property.connections(), json);
}

void DumpRecordWriter::WriteValues(const v1::Property& property, JsonWriter& json) {
  if (property.values().empty() && !property.has_uniform_value()) return;
  json.Key("values");
  json.BeginObject();
  for (size_t i = 0; i < times_.size(); ++i) {
    json.Key(times_[i].word);
    if (property.has_uniform_value()) {
      WriteOrNull(property.uniform_value(), json);
    } else if (i < static_cast<size_t>(property.values_size())) {
      WriteOrNull(property.values(static_cast<int>(i)), json);
    } else {
      json.Null();
    }
  }
  json.EndObject();
}

void DumpRecordWriter::WriteSites(const google::protobuf::RepeatedPtrField<v1::Site>& sites,
                                  JsonWriter& json) {
  json.BeginArray();
  for (const v1::Site& site : sites) {
    if (IsAnonymous(site.layer())) continue;
    json.BeginObject();
    json.Key("layer");
    json.String(LayerName(site.layer()));
    json.Key("path");
    json.String(site.path());
    json.EndObject();
  }
  json.EndArray();
}

void DumpRecordWriter::WriteStacks(const v1::Property& property, JsonWriter& json) {
  const bool empty = std::all_of(property.stacks().begin(), property.stacks().end(),
                                 [](const v1::PropertyStack& s) { return s.sites().empty(); });
  if (empty) return;
  json.Key("stack");
  json.BeginObject();
  for (size_t i = 0; i < times_.size(); ++i) {
    const int last = property.stacks_size() - 1;
    json.Key(times_[i].word);
    WriteSites(property.stacks(std::min(static_cast<int>(i), last)).sites(), json);
  }
  json.EndObject();
}

void DumpRecordWriter::WriteCollection(const v1::Collection& collection, JsonWriter& json) {
  json.BeginObject();
  json.Key("record");
  json.String("collection");
  PutText("path", collection.path(), json);
  PutText("mode", collection.mode() == v1::Collection::MODE_EXPRESSION ? "expression" : "rules",
          json);
  PutStrings("members", collection.members(), json);
  json.EndObject();
}

}  // namespace stagedoor
