#include <algorithm>
#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// The indentation of a prim below the requested root.
std::string Indent(std::string_view path, std::string_view root) {
  const auto depth = [](std::string_view p) {
    size_t slashes = 0;
    for (const char c : p) slashes += c == '/';
    return slashes;  // "/" has one slash, like its children, which are therefore not indented
  };
  // A broken daemon may send a path that is not below the root.
  return std::string(2 * (std::max(depth(path), depth(root)) - depth(root)), ' ');
}

std::string PrimText(const v1::Prim& prim) {
  std::string text = prim.path() == "/" ? "/" : prim.path().substr(prim.path().rfind('/') + 1);
  if (!prim.type_name().empty()) text.append(Concat(" [", prim.type_name(), "]"));
  if (!prim.kind().empty()) text.append(Concat(" ", prim.kind()));
  const std::string flags = PrimFlagWords(prim);
  return SafeText(flags.empty() ? text : Concat(text, " ", flags));
}

void PrintFact(std::string_view name, std::string_view value, Output& output) {
  if (!value.empty()) output.Line(Concat(name, ": ", value));
}

}  // namespace

absl::Status RunOpen(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const StageLease opened, OpenStage(client, line));
  v1::GetStageRequest request;
  *request.mutable_stage() = opened.ref();
  request.add_details(v1::STAGE_DETAIL_USED_LAYERS);
  request.add_details(v1::STAGE_DETAIL_COMPOSITION_ERRORS);
  SD_ASSIGN_OR_RETURN(const v1::GetStageResponse response, client.GetStage(request));
  const v1::Stage& stage = response.stage();
  PrintFact("root", stage.root_layer(), output);
  PrintFact("session", stage.session_layer(), output);
  PrintFact("defaultPrim", stage.default_prim(), output);
  PrintFact("startTimeCode", FormatNumber(stage.start_time_code()), output);
  PrintFact("endTimeCode", FormatNumber(stage.end_time_code()), output);
  PrintFact("timeCodesPerSecond", FormatNumber(stage.time_codes_per_second()), output);
  PrintFact("framesPerSecond", FormatNumber(stage.frames_per_second()), output);
  for (const std::string& layer : stage.used_layers()) PrintFact("layer", layer, output);
  for (const v1::CompositionError& error : stage.composition_errors()) {
    output.Line(
        Concat("error: ", error.type(), " at <", error.prim_path(), ">: ", error.message()));
  }
  const auto errors = static_cast<size_t>(stage.composition_errors_size());
  output.problems().errors += errors;
  if (errors == 0 || !line.Flag("strict")) return absl::OkStatus();
  return IncompleteError(Concat("stage ", Quoted(line.arguments().front())), output);
}

absl::Status RunTree(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const auto depth, line.CountOption("depth", 1000000));
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  const std::string root = line.arguments().size() > 1 ? line.arguments()[1] : "/";
  v1::TraverseRequest request;
  *request.mutable_stage() = stage.ref();
  request.add_roots(root);
  for (const char* field :
       {"type_name", "kind", "inactive", "unloaded", "instance", "abstract", "undefined"}) {
    request.mutable_read_mask()->add_paths(field);
  }
  if (depth) request.set_max_depth(*depth);
  request.mutable_predicate()->set_preset(v1::PrimPredicate::PRESET_ALL);
  request.mutable_predicate()->set_instance_proxies(line.Flag("instance-proxies"));
  RecordPrinter records(format, {{"path"}, {"type"}, {"kind"}, {"flags"}}, output);
  SD_RETURN_IF_ERROR(client.Traverse(request, [&](const v1::TraverseResponse& response) {
    for (const v1::Prim& prim : response.prims()) {
      if (prim.has_error()) return ItemErrorAt(prim.path(), prim.error());
      records.Add(Indent(prim.path(), root) + PrimText(prim),
                  {prim.path(), Cell::TextIfAny(prim.type_name()), Cell::TextIfAny(prim.kind()),
                   Cell::TextIfAny(PrimFlagWords(prim))});
    }
    return output.status();
  }));
  records.Finish();
  return absl::OkStatus();
}

absl::Status RunStages(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  RecordPrinter records(format,
                        {{"root_layer"},
                         {"session_layer"},
                         {"leases", true},
                         {"id", false, false},
                         {"snapshot", false, false}},
                        output);
  v1::ListStagesRequest request;
  do {
    SD_ASSIGN_OR_RETURN(const v1::ListStagesResponse response, client.ListStages(request));
    for (const v1::Stage& stage : response.stages()) {
      records.Add(Concat(SafeText(stage.root_layer()), '\t', stage.lease_count(), " leases"),
                  {stage.root_layer(), Cell::TextIfAny(stage.session_layer()), stage.lease_count(),
                   stage.id(), stage.snapshot()});
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  records.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
