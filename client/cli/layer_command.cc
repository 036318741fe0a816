#include <string_view>

#include "base/status_macros.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

std::string_view SpecTypeWord(v1::Spec::Type type) {
  switch (type) {
    case v1::Spec::TYPE_ATTRIBUTE:
      return "attribute";
    case v1::Spec::TYPE_RELATIONSHIP:
      return "relationship";
    case v1::Spec::TYPE_VARIANT_SET:
      return "variantSet";
    case v1::Spec::TYPE_VARIANT:
      return "variant";
    default:
      return "prim";
  }
}

void PrintHeader(const v1::LayerHeader& layer, JsonWriter& json, Output& output) {
  json.BeginObject();
  json.Key("record");
  json.String("layer");
  json.Key("error");
  json.Bool(false);
  json.Key("metadata");
  WriteFields(layer.fields(), json);
  json.EndObject();
  output.Line(json);
}

void PrintSpec(const v1::Spec& spec, JsonWriter& json, Output& output) {
  json.BeginObject();
  json.Key("record");
  json.String("spec");
  json.Key("path");
  json.String(spec.path());
  json.Key("specType");
  json.String(SpecTypeWord(spec.type()));
  json.Key("fields");
  WriteFields(spec.fields(), json);
  json.EndObject();
  output.Line(json);
}

}  // namespace

absl::Status RunLayer(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  v1::ReadLayerRequest request;
  request.set_identifier(AbsoluteIdentifier(line.arguments().front()));
  bool opened = false;
  absl::Status status = client.ReadLayer(request, [&](const v1::ReadLayerResponse& response) {
    opened = true;
    if (response.has_layer()) PrintHeader(response.layer(), json, output);
    for (const v1::Spec& spec : response.specs()) {
      if (spec.has_error()) return ItemErrorAt(spec.path(), spec.error());
      PrintSpec(spec, json, output);
    }
    return output.status();
  });
  if (!status.ok() && !opened) output.Line("{\"record\":\"layer\",\"error\":true}");
  return status;
}

}  // namespace stagedoor
