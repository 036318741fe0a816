#include "client/cli/layer_export.h"

#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/stage_options.h"

namespace stagedoor {

absl::StatusOr<v1::LayerFormat> FormatOf(const CommandLine& line, std::string_view file) {
  const std::string wanted = line.Option("usdFormat").value_or("");
  if (!wanted.empty() && wanted != "usda" && wanted != "usdc") {
    return UsageError(Concat("--usdFormat must be usda or usdc, not ", Quoted(wanted)));
  }
  if (!wanted.empty() && !file.ends_with(".usd") && !file.ends_with(Concat(".", wanted))) {
    return UsageError(Concat("--usdFormat is for a FILE with the extension .usd, not for ",
                             file == "-" ? "standard output" : Quoted(file)));
  }
  if (file == "-" || file.ends_with(".usda")) return v1::LAYER_FORMAT_USDA;
  if (file.ends_with(".usdz")) return v1::LAYER_FORMAT_USDZ;
  if (file.ends_with(".usdc")) return v1::LAYER_FORMAT_USDC;
  if (file.ends_with(".usd")) {
    return wanted == "usda" ? v1::LAYER_FORMAT_USDA : v1::LAYER_FORMAT_USDC;
  }
  return UsageError(Concat("cannot determine the format of ", Quoted(file),
                           ": its extension must be .usda, .usdc, .usd or .usdz"));
}

absl::StatusOr<ExportTarget> ExportTarget::Open(const std::string& name, Output& output) {
  ExportTarget target(output);
  if (name != "-") {
    SD_ASSIGN_OR_RETURN(target.file_, OutputFile::Create(name));
  }
  return target;
}

absl::Status ExportTarget::Write(std::string_view data) {
  if (file_ != nullptr) {
    if (file_->direct()) output_->MarkStarted();  // a device or a pipe
    return file_->Write(data);
  }
  output_->Write(data);
  return output_->status();
}

absl::Status ExportTarget::Commit() {
  return file_ != nullptr ? file_->Commit() : output_->Flush();
}

absl::StatusOr<v1::StageSource> SourceOf(const CommandLine& line, std::string_view root) {
  v1::StageSource source;
  SD_ASSIGN_OR_RETURN(*source.mutable_open(), MakeOpenStageRequest(line, root));
  return source;
}

absl::Status ExportStage(Client& client, const CommandLine& line, std::string_view root,
                         v1::LayerFormat format, ExportTarget& target) {
  v1::FlattenStageRequest request;
  SD_ASSIGN_OR_RETURN(*request.mutable_source(), SourceOf(line, root));
  request.set_format(format);
  request.set_layer_stack_only(line.Flag("layer-stack"));
  return client.FlattenStage(request, target.Sink<v1::FlattenStageResponse>());
}

absl::Status ExportLayer(Client& client, std::string_view file, v1::LayerFormat format,
                         ExportTarget& target) {
  v1::ConvertLayerRequest request;
  request.set_identifier(AbsoluteIdentifier(file));
  request.set_format(format);
  return client.ConvertLayer(request, target.Sink<v1::ConvertLayerResponse>());
}

}  // namespace stagedoor
