#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "client/cli/layer_export.h"
#include "client/cli/output_file.h"
#include "client/cli/package_names.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_folder.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

// Writes the files that a command receives as a stream, one after another, into one directory.
class FileSet {
 public:
  // `allowed` decides which file names are accepted.
  FileSet(SafeFolder folder, std::function<bool(std::string_view)> allowed)
      : folder_(std::move(folder)), allowed_(std::move(allowed)) {}

  absl::Status Add(const v1::FileChunk& chunk) {
    if (!chunk.name().empty()) SD_RETURN_IF_ERROR(Begin(chunk.name()));
    if (file_ == nullptr) return CheckFileName("");
    return file_->Write(chunk.data());
  }
  // Commits the last file if the stream ended with an OK `status`. An error states how many files
  // had been written before.
  absl::Status Finish(absl::Status status) {
    if (status.ok()) status = CommitLast();
    if (status.ok() || done_ == 0) return status;
    return Annotate(status, Concat("after ", done_, " files were written"));
  }

 private:
  absl::Status Begin(const std::string& name) {
    SD_RETURN_IF_ERROR(CommitLast());
    SD_RETURN_IF_ERROR(CheckFileName(name));
    if (!allowed_(name)) {
      return PermissionDeniedError("refusing to write ", Quoted(name),
                                   ", a name sent by the daemon: this command writes no such file");
    }
    SD_ASSIGN_OR_RETURN(file_, folder_.Create(name));
    return absl::OkStatus();
  }
  absl::Status CommitLast() {
    if (file_ == nullptr) return absl::OkStatus();
    SD_RETURN_IF_ERROR(file_->Commit());
    file_ = nullptr;
    ++done_;
    return absl::OkStatus();
  }

  SafeFolder folder_;
  const std::function<bool(std::string_view)> allowed_;
  std::unique_ptr<OutputFile> file_;
  size_t done_ = 0;
};

// The value of --out. "-", standard output, is accepted only by commands that write one file.
absl::StatusOr<std::string> OutOption(const CommandLine& line, bool one_file = true) {
  const auto out = line.Option("out");
  if (!out.has_value() || out->empty()) {
    return UsageError(Concat(line.command(), " needs -o FILE"));
  }
  if (*out != "-") return AbsoluteIdentifier(*out);
  if (one_file) return *out;
  return UsageError(Concat(line.command(), " writes several files; -o cannot be -"));
}

absl::Status SetTemplate(const CommandLine& line, v1::StitchClipsRequest& request) {
  if (!line.Flag("templateMetadata")) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(const auto stride, line.NumberOption("stride"));
  SD_ASSIGN_OR_RETURN(const auto active_offset, line.NumberOption("activeOffset"));
  v1::ClipTemplate* clip_template = request.mutable_clip_template();
  clip_template->set_path(line.Option("templatePath").value_or(""));
  clip_template->set_stride(stride.value_or(1));
  if (active_offset.has_value()) clip_template->set_active_offset(*active_offset);
  return absl::OkStatus();
}

// The user names the package, the daemon its members: the names of the members are checked before
// the package is kept.
absl::Status LocalizeIntoPackage(Client& client, const v1::LocalizeStageRequest& request,
                                 const std::string& out) {
  SD_ASSIGN_OR_RETURN(const auto file, OutputFile::Create(out));
  SD_RETURN_IF_ERROR(client.LocalizeStage(request, [&](const v1::LocalizeStageResponse& response) {
    return file->Write(response.chunk().data());
  }));
  SD_RETURN_IF_ERROR(CheckPackageNames(file->fd()));
  return file->Commit();
}

std::string_view DependencyWord(v1::Dependency::Kind kind) {
  switch (kind) {
    case v1::Dependency::KIND_LAYER:
      return "layer";
    case v1::Dependency::KIND_CLIP:
      return "clip";
    default:
      return "asset";
  }
}

// Returns an asset path as OpenUSD lists unresolved ones: a relative path is anchored to the layer,
// or to the layer's place in its package.
std::string Anchored(const std::string& path, const std::string& layer) {
  if (!path.starts_with("./") && !path.starts_with("../")) return path;
  const size_t open = layer.rfind('[');
  const bool packaged = open != std::string::npos && layer.back() == ']';
  const size_t start = packaged ? open + 1 : 0;
  const size_t end = packaged ? layer.find(']', start) : layer.size();
  const std::filesystem::path folder =
      std::filesystem::path(layer.substr(start, end - start)).parent_path();
  return Concat(layer.substr(0, start), (folder / path).lexically_normal().generic_string(),
                layer.substr(end));
}

std::vector<RecordPrinter::Column> DependencyColumns() {
  return {{"state"}, {"kind"}, {"path"}, {"layer"}, {"authored"}};
}

void PrintDependency(const v1::Dependency& d, RecordPrinter& records) {
  const std::string_view kind = DependencyWord(d.kind());
  const std::string layer = SafeText(d.layer());
  if (d.resolved_path().empty()) {
    const std::string path = Anchored(d.authored_path(), d.layer());
    records.Add(Concat("missing\t", kind, '\t', SafeText(path), '\t', layer, '\t',
                       SafeText(d.authored_path())),
                {"missing", kind, path, d.layer(), d.authored_path()});
  } else {
    records.Add(Concat("found\t", kind, '\t', SafeText(d.resolved_path()), '\t', layer),
                {"found", kind, d.resolved_path(), d.layer(), d.authored_path()});
  }
}

// Prints what ROOT depends on, or only what is missing, which is counted in any case.
absl::Status PrintDependencies(Client& client, const v1::StageSource& source, bool only_missing,
                               RecordPrinter& records, Output& output) {
  v1::ListDependenciesRequest request;
  *request.mutable_source() = source;
  return client.ListDependencies(request, [&](const v1::ListDependenciesResponse& response) {
    for (const v1::Dependency& d : response.dependencies()) {
      const bool missing = d.resolved_path().empty();
      output.problems().missing += missing;
      if (missing || !only_missing) PrintDependency(d, records);
    }
    return output.status();
  });
}

// The error of --strict.
absl::Status CheckComplete(const CommandLine& line, Output& output) {
  if (output.problems().missing == 0 || !line.Flag("strict")) return absl::OkStatus();
  return IncompleteError(Quoted(line.arguments().front()), output);
}

absl::Status WriteLocalized(Client& client, const v1::LocalizeStageRequest& request,
                            const std::string& out) {
  if (request.package()) return LocalizeIntoPackage(client, request, out);
  SD_ASSIGN_OR_RETURN(SafeFolder folder, SafeFolder::Open(out));
  FileSet files(std::move(folder), [](std::string_view) { return true; });
  return files.Finish(client.LocalizeStage(request, [&](const v1::LocalizeStageResponse& response) {
    return files.Add(response.chunk());
  }));
}

}  // namespace

absl::Status RunConvert(Client& client, const CommandLine& line, Output& output) {
  const std::string& out = line.arguments()[1];
  SD_ASSIGN_OR_RETURN(const v1::LayerFormat format, FormatOf(line, out));
  SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(out, output));
  SD_RETURN_IF_ERROR(ExportLayer(client, line.arguments()[0], format, target));
  return target.Commit();
}

absl::Status RunFetch(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(line.arguments()[1], output));
  v1::ReadAssetRequest request;
  request.set_asset_path(AbsoluteIdentifier(line.arguments()[0]));
  SD_RETURN_IF_ERROR(client.ReadAsset(request, target.Sink<v1::ReadAssetResponse>()));
  return target.Commit();
}

absl::Status RunFlatten(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line));
  SD_ASSIGN_OR_RETURN(const v1::LayerFormat format, FormatOf(line, out));
  SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(out, output));
  SD_RETURN_IF_ERROR(ExportStage(client, line, line.arguments().front(), format, target));
  return target.Commit();
}

absl::Status RunStitchClips(Client& client, const CommandLine& line, Output&) {
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, /*one_file=*/false));
  SD_RETURN_IF_ERROR(FormatOf(line, out).status());
  SD_ASSIGN_OR_RETURN(const auto start, line.NumberOption("startTimeCode"));
  SD_ASSIGN_OR_RETURN(const auto end, line.NumberOption("endTimeCode"));
  v1::StitchClipsRequest request;
  for (const std::string& clip : line.arguments()) request.add_clips(AbsoluteIdentifier(clip));
  request.set_output(out);
  request.set_clip_path(line.Option("clipPath").value_or(""));
  if (start.has_value()) request.set_start_time_code(*start);
  if (end.has_value()) request.set_end_time_code(*end);
  request.set_clip_set(line.Option("clipSet").value_or(""));
  request.set_interpolate_missing_clip_values(line.Flag("interpolateMissingClipValues"));
  SD_RETURN_IF_ERROR(SetTemplate(line, request));
  const std::filesystem::path path(out);
  const std::string own = path.filename().string(), stem = path.stem().string() + ".";
  SD_ASSIGN_OR_RETURN(SafeFolder folder, SafeFolder::Open(path.parent_path().string()));
  // Only OUT, STEM.topology.EXT and STEM.manifest.EXT are accepted.
  FileSet files(std::move(folder), [&](std::string_view name) {
    return name == own || name == Concat(stem, "topology", path.extension().string()) ||
           name == Concat(stem, "manifest", path.extension().string());
  });
  return files.Finish(client.StitchClips(request, [&](const v1::StitchClipsResponse& response) {
    return files.Add(response.chunk());
  }));
}

absl::Status RunClipManifest(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line));
  v1::GenerateClipManifestRequest request;
  SD_ASSIGN_OR_RETURN(const v1::LayerFormat format, FormatOf(line, out));
  request.set_format(format);
  if (const auto clip_path = line.Option("clipPath")) {
    v1::ClipLayersSource* source = request.mutable_clip_layers();
    for (const std::string& clip : line.arguments()) source->add_clips(AbsoluteIdentifier(clip));
    source->set_clip_path(*clip_path);
  } else {
    if (line.arguments().size() != 1 || !line.Option("prim").has_value()) {
      return UsageError("clip-manifest needs ROOT and --prim PATH, or CLIP… and --clipPath PATH");
    }
    v1::ClipSetSource* source = request.mutable_clip_set();
    SD_ASSIGN_OR_RETURN(*source->mutable_stage(), SourceOf(line, line.arguments().front()));
    source->set_prim_path(line.Option("prim").value_or(""));
    source->set_clip_set(line.Option("clipSet").value_or(""));
    source->set_write_blocks(line.Flag("writeBlocks"));
  }
  SD_ASSIGN_OR_RETURN(ExportTarget target, ExportTarget::Open(out, output));
  SD_RETURN_IF_ERROR(
      client.GenerateClipManifest(request, target.Sink<v1::GenerateClipManifestResponse>()));
  return target.Commit();
}

absl::Status RunDeps(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(const v1::StageSource source, SourceOf(line, line.arguments().front()));
  RecordPrinter records(format, DependencyColumns(), output);
  SD_RETURN_IF_ERROR(PrintDependencies(client, source, /*only_missing=*/false, records, output));
  records.Finish();
  return CheckComplete(line, output);
}

absl::Status RunLocalize(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, /*one_file=*/false));
  v1::LocalizeStageRequest request;
  SD_ASSIGN_OR_RETURN(*request.mutable_source(), SourceOf(line, line.arguments().front()));
  request.set_package(out.ends_with(".usdz"));
  SD_RETURN_IF_ERROR(WriteLocalized(client, request, out));
  // As OpenUSD's function does, this says what the copy lacks.
  RecordPrinter records(RecordFormat::kText, DependencyColumns(), output);
  SD_RETURN_IF_ERROR(
      PrintDependencies(client, request.source(), /*only_missing=*/true, records, output));
  records.Finish();
  return CheckComplete(line, output);
}

}  // namespace stagedoor
