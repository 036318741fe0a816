#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/layer_export.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

absl::Status CheckFlags(const CommandLine& line) {
  if (line.Flag("uncomposed") && (line.Flag("layer-stack") || line.Flag("flatten"))) {
    return UsageError("--uncomposed prints the layer itself, without --flatten and --layer-stack");
  }
  if (line.Flag("uncomposed") && line.Flag("mask")) {
    return UsageError("--mask selects prims of a composed stage; it does not go with --uncomposed");
  }
  if (line.Flag("loadOnly") && line.Flag("out")) {
    return UsageError("--loadOnly writes nothing, so it does not go with -o");
  }
  if (line.Flag("out") && line.arguments().size() > 1) {
    return UsageError("cat -o FILE writes a single ROOT");
  }
  return absl::OkStatus();
}

// Whether a stage can be opened, or a layer be read.
absl::Status Load(Client& client, const CommandLine& line, const std::string& root) {
  if (!line.Flag("uncomposed")) {
    SD_ASSIGN_OR_RETURN(const v1::OpenStageRequest request, MakeOpenStageRequest(line, root));
    return StageLease::Open(client, request).status();
  }
  v1::ReadLayerRequest request;
  request.set_identifier(AbsoluteIdentifier(root));
  request.set_without_values(true);
  return client.ReadLayer(request, [](const v1::ReadLayerResponse&) { return absl::OkStatus(); });
}

// Prints a line for each file, and returns the first error.
absl::Status LoadAll(Client& client, const CommandLine& line, Output& output) {
  absl::Status first;
  for (const std::string& root : line.arguments()) {
    absl::Status status = Load(client, line, root);
    if (IsUsageError(status)) return status;
    output.Line(Concat(status.ok() ? "OK" : "ERR", '\t', SafeText(root)));
    if (first.ok()) first = status;
  }
  return first;
}

}  // namespace

absl::Status RunCat(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(CheckFlags(line));
  if (line.Flag("loadOnly")) return LoadAll(client, line, output);
  const std::string out = line.Option("out").value_or("-");
  SD_ASSIGN_OR_RETURN(const v1::LayerFormat format, FormatOf(line, out));
  for (const std::string& root : line.arguments()) {
    SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(out, output));
    SD_RETURN_IF_ERROR(line.Flag("uncomposed") ? ExportLayer(client, root, format, target)
                                               : ExportStage(client, line, root, format, target));
    SD_RETURN_IF_ERROR(target.Commit());
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
