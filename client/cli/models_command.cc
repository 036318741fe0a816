#include <string>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

std::string ModelColor(const v1::Model& model) {
  JsonWriter json;
  json.BeginArray();
  for (const float part : model.draw_mode_color()) json.Number(part);
  json.EndArray();
  return json.Take();
}

// {"XPos":"./front.png"}
std::string CardTextures(const v1::Model& model) {
  JsonWriter json;
  json.BeginObject();
  for (const v1::CardTexture& card : model.card_textures()) {
    WriteField(card.face(), card.texture(), json);
  }
  json.EndObject();
  return json.Take();
}

// The names, identifiers and matrices of the constraint targets.
std::string ConstraintTargets(const v1::Model& model) {
  JsonWriter json;
  json.BeginArray();
  for (const v1::ConstraintTarget& target : model.constraint_targets()) {
    json.BeginObject();
    json.Key("name");
    json.String(target.name());
    json.Key("identifier");
    json.String(target.identifier());
    json.Key("local_to_world");
    WritePackedArray(target.local_to_world(), json);
    json.EndObject();
  }
  json.EndArray();
  return json.Take();
}

void PrintModelText(const std::string& path, const v1::Model& model, Output& output) {
  std::string text = Concat(path, ": ", model.is_model() ? "model" : "not a model", ", draw mode ",
                            model.draw_mode());
  if (model.apply_draw_mode()) text += ", applied";
  if (!model.card_geometry().empty()) text += Concat(", cards ", model.card_geometry());
  if (!model.draw_mode_color().empty()) text += Concat(", color ", ModelColor(model));
  output.Line(SafeText(text));
  for (const v1::CardTexture& card : model.card_textures()) {
    JsonWriter json;
    output.Line(SafeText(Concat("  ", card.face(), ": ", ValueText(card.texture(), json))));
  }
  for (const v1::ConstraintTarget& target : model.constraint_targets()) {
    const bool named = !target.identifier().empty();
    output.Line(SafeText(Concat("  constraint target ", target.name(),
                                named ? Concat(" (", target.identifier(), ")") : "")));
  }
}

}  // namespace

absl::Status RunModels(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeModelsRequest>(line));
  request.set_with_constraint_targets(true);
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SD_ASSIGN_OR_RETURN(const v1::ComputeModelsResponse reply, client.ComputeModels(request));
  if (!reply.path_errors().empty()) return ItemError(reply.path_errors(0));
  if (reply.models_size() != request.paths_size()) {
    return DataLossError("the daemon's reply is inconsistent");
  }
  RecordPrinter records(format,
                        {{"path"},
                         {"model"},
                         {"draw_mode"},
                         {"applied"},
                         {"card_geometry"},
                         {"color", false, false},
                         {"card_textures", false, false},
                         {"constraint_targets", false, false}},
                        output);
  for (int i = 0; i < request.paths_size(); ++i) {
    const v1::Model& model = reply.models(i);
    if (records.is_text()) {
      PrintModelText(request.paths(i), model, output);
      continue;
    }
    records.Add("", {request.paths(i), model.is_model(), Cell::TextIfAny(model.draw_mode()),
                     model.apply_draw_mode(), Cell::TextIfAny(model.card_geometry()),
                     Cell::Json(ModelColor(model)), Cell::Json(CardTextures(model)),
                     Cell::Json(ConstraintTargets(model))});
  }
  records.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
