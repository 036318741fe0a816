#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

// "/L SphereLight PxrLight, filters: /F".
std::string LightText(const v1::Light& light) {
  std::string text = light.path();
  if (!light.type_name().empty()) text += Concat(" ", light.type_name());
  if (!light.shader_id().empty() && light.shader_id() != light.type_name()) {
    text += Concat(" ", light.shader_id());
  }
  const std::pair<const char*, const google::protobuf::RepeatedPtrField<std::string>&> kLists[] = {
      {", filters:", light.filters()}, {", portals:", light.portals()}};
  for (const auto& [name, paths] : kLists) {
    if (!paths.empty()) text += name;
    for (const std::string& path : paths) text += Concat(" ", path);
  }
  return text;
}

}  // namespace

absl::Status RunLights(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  v1::ListLightsRequest request;
  *request.mutable_stage() = stage.ref();
  if (line.arguments().size() > 1) request.set_root(line.arguments()[1]);
  if (line.Flag("consult-cache")) {
    request.set_mode(v1::LIGHT_LIST_MODE_CONSULT_MODEL_HIERARCHY_CACHE);
  }
  for (const std::string& context : line.Options("context")) request.add_render_contexts(context);
  SD_ASSIGN_OR_RETURN(const v1::ListLightsResponse response, client.ListLights(request));
  RecordPrinter records(format,
                        {{"path"},
                         {"type"},
                         {"shader"},
                         {"filter", false, false},
                         {"filters"},
                         {"portals", false, false}},
                        output);
  for (const v1::Light& light : response.lights()) {
    records.Add(LightText(light), {light.path(), Cell::TextIfAny(light.type_name()),
                                   Cell::TextIfAny(light.shader_id()), light.is_filter(),
                                   Cell::List(light.filters()), Cell::List(light.portals())});
  }
  records.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
