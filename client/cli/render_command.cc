#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cli/commands.h"
#include "client/cli/float_cell.h"
#include "client/cli/json_writer.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

using Strings = google::protobuf::RepeatedPtrField<std::string>;

std::string WordList(const Strings& words) {
  std::string text;
  for (const std::string& word : words) {
    text += Concat(text.empty() ? "" : ", ", word.empty() ? "all purposes" : word);
  }
  return text;
}

std::string_view ProblemWords(v1::RenderProblem::Reason reason) {
  switch (reason) {
    case v1::RenderProblem::REASON_NO_PRODUCT:
      return " is not a RenderProduct";
    case v1::RenderProblem::REASON_NO_CAMERA:
      return " is not a Camera; the product is left out";
    default:
      return " is not a RenderVar";
  }
}

// Prints the products of settings.
class SettingsPrinter {
 public:
  SettingsPrinter(const v1::RenderSettings& settings, RecordFormat format, JsonWriter& json,
                  Output& output)
      : settings_(settings),
        json_(json),
        output_(output),
        records_(format,
                 {{"product"},
                  {"type"},
                  {"name"},
                  {"camera"},
                  {"width", true},
                  {"height", true},
                  {"pixel_aspect_ratio", true},
                  {"conform_policy", false, false},
                  {"horizontal_aperture", true, false},
                  {"vertical_aperture", true, false},
                  {"data_window", false, false},
                  {"disable_motion_blur", false, false},
                  {"disable_depth_of_field", false, false},
                  {"vars"}},
                 output) {}

  void Print() {
    if (records_.is_text()) PrintHead();
    for (const v1::RenderProduct& product : settings_.products()) PrintProduct(product);
    records_.Finish();
    for (const v1::RenderProblem& problem : settings_.problems()) PrintProblem(problem);
  }

 private:
  void Line(const std::string& text) { output_.Line(SafeText(text)); }

  void PrintHead() {
    Line(settings_.path());
    Line(Concat("  purposes: ", WordList(settings_.included_purposes())));
    Line(Concat("  material purposes: ", WordList(settings_.material_binding_purposes())));
    if (!settings_.rendering_color_space().empty()) {
      Line(Concat("  color space: ", settings_.rendering_color_space()));
    }
    PrintSettings(settings_.settings(), "  ");
    if (settings_.products().empty()) PrintImage(settings_.defaults(), "  ");
  }

  void PrintSettings(const google::protobuf::RepeatedPtrField<v1::Field>& settings,
                     std::string_view indent) {
    for (const v1::Field& setting : settings) {
      Line(Concat(indent, setting.name(), " = ", ValueText(setting.value(), json_)));
    }
  }

  void PrintImage(const v1::RenderProduct& product, std::string_view indent) {
    Line(Concat(indent, "camera: ", product.camera().empty() ? "none" : product.camera(),
                ", aperture ", FormatNumber(product.horizontal_aperture()), " x ",
                FormatNumber(product.vertical_aperture()), " (",
                product.aspect_ratio_conform_policy(), ")"));
    std::string window;
    for (const float number : product.data_window()) {
      window += Concat(window.empty() ? "" : ", ", FormatNumber(number));
    }
    Line(Concat(indent, "image: ", product.width(), " x ", product.height(), " pixels of ",
                FormatNumber(product.pixel_aspect_ratio()), ", window ", window));
    if (product.disable_motion_blur()) Line(Concat(indent, "without motion blur"));
    if (product.disable_depth_of_field()) Line(Concat(indent, "without depth of field"));
  }

  void PrintProduct(const v1::RenderProduct& product) {
    if (records_.is_text()) return PrintProductText(product);
    std::vector<std::string> vars;
    for (const uint32_t var : product.vars()) {
      if (const v1::RenderVar* found = FindVar(var)) vars.push_back(found->path());
    }
    records_.Add(
        "", {product.path(), product.type(), Cell::TextIfAny(product.name()), product.camera(),
             product.width(), product.height(), FloatCell(product.pixel_aspect_ratio()),
             product.aspect_ratio_conform_policy(), FloatCell(product.horizontal_aperture()),
             FloatCell(product.vertical_aperture()), FloatsCell(product.data_window()),
             product.disable_motion_blur(), product.disable_depth_of_field(), Cell::List(vars)});
  }

  void PrintProductText(const v1::RenderProduct& product) {
    Line(Concat("  ", product.path(), ": ", product.type(), product.name().empty() ? "" : " ",
                product.name()));
    PrintImage(product, "    ");
    for (const uint32_t index : product.vars()) {
      const v1::RenderVar* var = FindVar(index);
      if (var == nullptr) continue;
      Line(Concat("    ", var->path(), ": ", var->data_type(), " ", var->source_type(), " ",
                  var->source_name()));
      PrintSettings(var->settings(), "      ");
    }
    PrintSettings(product.settings(), "    ");
  }

  // Null if the reply is inconsistent.
  const v1::RenderVar* FindVar(uint32_t index) const {
    const bool known = index < static_cast<uint32_t>(settings_.vars_size());
    return known ? &settings_.vars(static_cast<int>(index)) : nullptr;
  }

  void PrintProblem(const v1::RenderProblem& problem) {
    ++output_.problems().warnings;
    const std::string target = problem.target().empty() ? "the camera" : problem.target();
    std::fprintf(stderr, "stagedoor: warning: %s: %s%s\n", SafeText(problem.prim()).c_str(),
                 SafeText(target).c_str(), std::string(ProblemWords(problem.reason())).c_str());
  }

  const v1::RenderSettings& settings_;
  JsonWriter& json_;
  Output& output_;
  RecordPrinter records_;
};

// "/Beauty prman: prman {fileName}, from /Render, after /First".
std::string PassText(const v1::RenderPass& pass) {
  std::string text = pass.path();
  if (!pass.type().empty()) text += Concat(" ", pass.type());
  if (!pass.command().empty()) text += ':';
  for (const std::string& word : pass.command()) text += Concat(" ", word);
  for (const std::string& source : pass.sources()) text += Concat(", from ", source);
  if (pass.has_file_name()) text += Concat(" in ", pass.file_name().authored());
  for (const std::string& input : pass.input_passes()) text += Concat(", after ", input);
  return text;
}

absl::Status PrintPasses(Client& client, const CommandLine& line, const StageLease& stage,
                         RecordFormat format, Output& output) {
  v1::ComputeRenderPassesRequest request;
  *request.mutable_stage() = stage.ref();
  if (line.arguments().size() > 1) request.add_passes(line.arguments()[1]);
  for (const std::string& name : line.Options("namespace")) request.add_namespaces(name);
  SD_ASSIGN_OR_RETURN(const v1::ComputeRenderPassesResponse response,
                      client.ComputeRenderPasses(request));
  RecordPrinter records(
      format, {{"pass"}, {"type"}, {"command"}, {"sources"}, {"file"}, {"input_passes"}}, output);
  for (const v1::RenderPass& pass : response.passes()) {
    records.Add(PassText(pass),
                {pass.path(), Cell::TextIfAny(pass.type()), Cell::List(pass.command()),
                 Cell::List(pass.sources()), Cell::TextIfAny(pass.file_name().authored()),
                 Cell::List(pass.input_passes())});
  }
  records.Finish();
  return absl::OkStatus();
}

}  // namespace

absl::Status RunRender(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(JsonWriter json, MakeValueWriter(line));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  if (line.Flag("passes")) return PrintPasses(client, line, stage, format, output);
  v1::ComputeRenderSettingsRequest request;
  *request.mutable_stage() = stage.ref();
  if (line.arguments().size() > 1) request.add_paths(line.arguments()[1]);
  for (const std::string& name : line.Options("namespace")) request.add_namespaces(name);
  SD_ASSIGN_OR_RETURN(const v1::ComputeRenderSettingsResponse response,
                      client.ComputeRenderSettings(request));
  if (!response.path_errors().empty()) return ItemError(response.path_errors(0));
  if (response.settings().empty()) {
    return NotFoundError(
        "the stage has no render settings: its metadata renderSettingsPrimPath names no "
        "RenderSettings; pass the path of one");
  }
  SettingsPrinter(response.settings(0), format, json, output).Print();
  return absl::OkStatus();
}

}  // namespace stagedoor
