#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/command_table.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/layer_export.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

std::string PlaceText(const v1::Diagnostic& d) {
  std::string place = d.file();
  if (d.line() != 0) place.append(Concat(":", d.line(), ":", d.column()));
  if (d.has_offset()) place.append(Concat(" at byte ", d.offset()));
  if (!d.path().empty()) place.append(Concat(" <", d.path(), ">"));
  return place;
}

// Prints what is wrong with layers and stages, one record each, and counts it.
class Findings {
 public:
  Findings(Client& client, RecordFormat format, Output& output)
      : client_(client),
        output_(output),
        records_(format,
                 {{"severity"},
                  {"file"},
                  {"line", true},
                  {"column", true},
                  {"offset", true},
                  {"path"},
                  {"message"}},
                 output) {}

  void Finish() { records_.Finish(); }

  // Reports what is wrong with the content of a layer.
  absl::Status CheckLayer(const std::string& identifier) {
    v1::ValidateLayerRequest request;
    request.set_identifier(identifier);
    SD_ASSIGN_OR_RETURN(const v1::ValidateLayerResponse response, client_.ValidateLayer(request));
    for (const v1::Diagnostic& diagnostic : response.diagnostics()) Add(diagnostic);
    return output_.status();
  }

  absl::Status CheckLayers(const v1::Stage& stage) {
    for (const std::string& layer : stage.used_layers()) {
      const absl::Status checked = CheckLayer(layer);
      if (checked.ok()) continue;
      if (!absl::IsNotFound(checked)) return checked;
      // A layer of the session or of the resolver context, which is not a file.
      AddWarning(layer, Concat("cannot be examined by itself: ", Message(checked)));
    }
    return absl::OkStatus();
  }

  void AddCompositionErrors(const v1::Stage& stage) {
    for (const v1::CompositionError& error : stage.composition_errors()) {
      v1::Diagnostic diagnostic;
      diagnostic.set_severity(v1::Diagnostic::SEVERITY_ERROR);
      diagnostic.set_file(stage.root_layer());
      diagnostic.set_path(error.prim_path());
      diagnostic.set_message(Concat(error.type(), ": ", error.message()));
      Add(diagnostic);
    }
  }

  // Reports the dependencies that do not exist, also those of variants that are not selected.
  absl::Status CheckDependencies(v1::StageSource source) {
    v1::ListDependenciesRequest request;
    *request.mutable_source() = std::move(source);
    return client_.ListDependencies(request, [&](const v1::ListDependenciesResponse& response) {
      for (const v1::Dependency& dependency : response.dependencies()) {
        if (dependency.resolved_path().empty()) AddMissing(dependency);
      }
      return output_.status();
    });
  }

 private:
  void Add(const v1::Diagnostic& d) {
    const bool is_error = d.severity() == v1::Diagnostic::SEVERITY_ERROR;
    ++(is_error ? output_.problems().errors : output_.problems().warnings);
    const std::string_view severity = is_error ? "error" : "warning";
    const bool has_line = d.line() != 0;
    records_.Add(SafeText(Concat(PlaceText(d), ": ", severity, ": ", d.message())),
                 {severity, d.file(), has_line ? Cell(d.line()) : Cell(),
                  has_line ? Cell(d.column()) : Cell(), d.has_offset() ? Cell(d.offset()) : Cell(),
                  Cell::TextIfAny(d.path()), d.message()});
  }

  void AddWarning(const std::string& layer, std::string message) {
    v1::Diagnostic diagnostic;
    diagnostic.set_severity(v1::Diagnostic::SEVERITY_WARNING);
    diagnostic.set_file(layer);
    diagnostic.set_message(std::move(message));
    Add(diagnostic);
  }

  void AddMissing(const v1::Dependency& dependency) {
    ++output_.problems().missing;
    const std::string message = Concat(Quoted(dependency.authored_path()), " does not exist");
    records_.Add(SafeText(Concat(dependency.layer(), ": missing: ", message)),
                 {"missing", dependency.layer(), Cell(), Cell(), Cell(), Cell(), message});
  }

  Client& client_;
  Output& output_;
  RecordPrinter records_;
};

// The stage, with its layers and composition errors.
absl::StatusOr<v1::Stage> Composed(Client& client, const v1::StageRef& stage) {
  v1::GetStageRequest request;
  *request.mutable_stage() = stage;
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  SD_ASSIGN_OR_RETURN(v1::GetStageResponse response, client.GetStage(request));
  return std::move(*response.mutable_stage());
}

absl::Status ValidateStage(Client& client, const CommandLine& line, Output& output,
                           Findings& findings) {
  const std::string& root = line.arguments().front();
  SD_ASSIGN_OR_RETURN(v1::StageSource source, SourceOf(line, root));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  SD_ASSIGN_OR_RETURN(const v1::Stage composed, Composed(client, stage.ref()));
  SD_RETURN_IF_ERROR(findings.CheckLayers(composed));
  const size_t layer_errors = output.problems().errors;
  findings.AddCompositionErrors(composed);
  SD_RETURN_IF_ERROR(findings.CheckDependencies(std::move(source)));
  findings.Finish();
  const ProblemCounts& problems = output.problems();
  if (layer_errors != 0) {
    return DataLossError("layers of ", Quoted(root), " are invalid: ", problems.Text());
  }
  if (problems.errors == 0 && problems.missing == 0) return absl::OkStatus();
  return IncompleteError(Concat("stage ", Quoted(root)), output);
}

// The flags of a stage have no meaning for a single layer.
absl::Status CheckLayerFlags(const CommandLine& line) {
  const CommandSpec* const open = FindCommand("open");
  for (const std::string& name : line.OptionNames()) {
    const auto& of_stages = open->options;
    if (std::find(of_stages.begin(), of_stages.end(), name) != of_stages.end()) {
      return UsageError(Concat("validate takes --", name, " only with --stage"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunValidate(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  Findings findings(client, format, output);
  if (line.Flag("stage")) return ValidateStage(client, line, output, findings);
  SD_RETURN_IF_ERROR(CheckLayerFlags(line));
  const std::string identifier = AbsoluteIdentifier(line.arguments().front());
  SD_RETURN_IF_ERROR(findings.CheckLayer(identifier));
  findings.Finish();
  const size_t errors = output.problems().errors;
  if (errors != 0) return DataLossError(identifier, " is invalid: ", errors, " error(s)");
  return absl::OkStatus();
}

}  // namespace stagedoor
