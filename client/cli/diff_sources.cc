#include "client/cli/diff_sources.h"

#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

using Fields = google::protobuf::RepeatedPtrField<v1::Field>;
using Strings = google::protobuf::RepeatedPtrField<std::string>;

// The fields of prims that are compared.
constexpr const char* kComparedFields[] = {
    "specifier",          "type_name",
    "inactive",           "unloaded",
    "instance",           "abstract",
    "undefined",          "kind",
    "api_schemas",        "variant_sets",
    "metadata",           "properties.metadata",
    "properties.values",  "properties.connections",
    "properties.targets",
};

// Arrays are compared by their digests.
JsonWriter MakeWriter() {
  JsonWriter json;
  json.set_summarizes_arrays(true);
  return json;
}

// Collects the facts about what is at one path.
class Facts {
 public:
  Facts(std::string path, bool implied, std::vector<DiffFact>& facts)
      : path_(std::move(path)), implied_(implied), facts_(facts) {}

  void Add(std::string_view name, std::string_view text) {
    facts_.emplace_back(Concat(path_, " ", name), text, implied_);
  }
  void AddIfAny(std::string_view name, std::string_view text) {
    if (!text.empty()) Add(name, text);
  }
  void AddFields(const Fields& fields) {
    JsonWriter json = MakeWriter();
    for (const v1::Field& field : fields) Add(field.name(), ValueText(field.value(), json));
  }
  void AddStrings(std::string_view name, const Strings& strings) {
    if (strings.empty()) return;
    JsonWriter json;
    json.BeginArray();
    for (const std::string& text : strings) json.String(text);
    json.EndArray();
    Add(name, json.text());
  }

 private:
  const std::string path_;
  const bool implied_;
  std::vector<DiffFact>& facts_;
};

std::string DeclarationOf(const v1::Property& property) {
  std::string text = property.custom() ? "custom " : "";
  if (property.kind() == v1::Property::KIND_RELATIONSHIP) return text + "rel";
  if (property.variability() == v1::VARIABILITY_UNIFORM) text += "uniform ";
  return text + property.type_name();
}

// The value at time `i` of the request, or why there is none.
std::string ValueAt(const v1::Property& property, int i, JsonWriter& json) {
  const bool uniform = property.has_uniform_value() || property.values().empty();
  const int at = uniform ? 0 : i;
  if (at < property.value_states_size() && property.value_states(at) == v1::ITEM_STATE_BLOCKED) {
    return "blocked";
  }
  if (uniform) return ValueText(property.uniform_value(), json);
  return at < property.values_size() ? ValueText(property.values(at), json) : "none";
}

void AddProperty(const std::string& prim, const v1::Property& property,
                 const std::vector<TimeArgument>& times, std::vector<DiffFact>& all) {
  Facts facts(Concat(prim, ".", property.name()), !property.authored(), all);
  facts.Add("declaration", DeclarationOf(property));
  facts.AddFields(property.metadata());
  facts.AddStrings("connections", property.connections());
  facts.AddStrings("targets", property.targets());
  if (property.kind() == v1::Property::KIND_RELATIONSHIP) return;
  JsonWriter json = MakeWriter();
  for (size_t i = 0; i < times.size(); ++i) {
    facts.Add(Concat("at ", times[i].word), ValueAt(property, static_cast<int>(i), json));
  }
}

DiffEntry EntryOf(const v1::Prim& prim, const std::vector<TimeArgument>& times) {
  DiffEntry entry{.path = prim.path(), .title = prim.type_name()};
  Facts facts(prim.path(), false, entry.facts);
  facts.Add("specifier", SpecifierKeyword(prim.specifier()));
  facts.AddIfAny("type", prim.type_name());
  facts.AddIfAny("flags", PrimFlagWords(prim));
  facts.AddIfAny("kind", prim.kind());
  facts.AddStrings("apiSchemas", prim.api_schemas());
  for (const v1::VariantSet& set : prim.variant_sets()) {
    facts.Add(Concat("variant ", set.name()), set.selection());
  }
  facts.AddFields(prim.metadata());
  for (const v1::Property& property : prim.properties()) {
    AddProperty(prim.path(), property, times, entry.facts);
  }
  return entry;
}

DiffEntry EntryOf(const v1::Stage& stage) {
  DiffEntry entry{.path = "/"};
  Facts facts("/", false, entry.facts);
  facts.AddIfAny("defaultPrim", stage.default_prim());
  if (stage.has_start_time_code()) {
    facts.Add("startTimeCode", FormatNumber(stage.start_time_code()));
  }
  if (stage.has_end_time_code()) facts.Add("endTimeCode", FormatNumber(stage.end_time_code()));
  facts.Add("timeCodesPerSecond", FormatNumber(stage.time_codes_per_second()));
  facts.Add("framesPerSecond", FormatNumber(stage.frames_per_second()));
  facts.Add("metersPerUnit", FormatNumber(stage.meters_per_unit()));
  facts.AddIfAny("upAxis", stage.up_axis());
  JsonWriter json = MakeWriter();
  for (const v1::Field& field : stage.metadata()) {
    // Added above, with what holds if nothing is authored.
    if (field.name() == "upAxis" || field.name() == "metersPerUnit") continue;
    facts.Add(field.name(), ValueText(field.value(), json));
  }
  return entry;
}

std::string_view SpecWord(v1::Spec::Type type) {
  switch (type) {
    case v1::Spec::TYPE_ATTRIBUTE:
      return "attribute";
    case v1::Spec::TYPE_RELATIONSHIP:
      return "relationship";
    case v1::Spec::TYPE_VARIANT_SET:
      return "variant set";
    case v1::Spec::TYPE_VARIANT:
      return "variant";
    default:
      return "prim";
  }
}

DiffEntry EntryOf(const v1::Spec& spec) {
  DiffEntry entry{.path = spec.path(), .title = std::string(SpecWord(spec.type()))};
  entry.shows_facts =
      spec.type() == v1::Spec::TYPE_ATTRIBUTE || spec.type() == v1::Spec::TYPE_RELATIONSHIP;
  Facts(spec.path(), false, entry.facts).AddFields(spec.fields());
  return entry;
}

}  // namespace

DiffSource StageSide(Client& client, const v1::StageRef& stage, std::vector<TimeArgument> times) {
  return [&client, stage, times = std::move(times)](const DiffSink& sink) -> absl::Status {
    v1::GetStageRequest about;
    *about.mutable_stage() = stage;
    about.add_details(v1::STAGE_DETAIL_METADATA);
    SD_ASSIGN_OR_RETURN(const v1::GetStageResponse response, client.GetStage(about));
    SD_RETURN_IF_ERROR(sink(EntryOf(response.stage())));
    v1::TraverseRequest request;
    *request.mutable_stage() = stage;
    for (const char* field : kComparedFields) request.mutable_read_mask()->add_paths(field);
    for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
    request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
    request.mutable_predicate()->set_instance_proxies(true);
    return client.Traverse(request, [&](const v1::TraverseResponse& part) {
      for (const v1::Prim& prim : part.prims()) {
        if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
        SD_RETURN_IF_ERROR(sink(EntryOf(prim, times)));
      }
      return absl::OkStatus();
    });
  };
}

DiffSource LayerSide(Client& client, const std::string& identifier) {
  return [&client, identifier](const DiffSink& sink) {
    v1::ReadLayerRequest request;
    request.set_identifier(identifier);
    return client.ReadLayer(request, [&](const v1::ReadLayerResponse& part) {
      if (part.has_layer()) {
        DiffEntry entry{.path = "/"};
        Facts("/", false, entry.facts).AddFields(part.layer().fields());
        SD_RETURN_IF_ERROR(sink(std::move(entry)));
      }
      for (const v1::Spec& spec : part.specs()) {
        if (spec.has_error()) return ItemErrorAt(spec.path(), spec.error());
        SD_RETURN_IF_ERROR(sink(EntryOf(spec)));
      }
      return absl::OkStatus();
    });
  };
}

}  // namespace stagedoor
