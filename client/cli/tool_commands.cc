#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/commands.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

v1::LayerFormat FormatOf(std::string_view file) {
  if (EndsWith(file, ".usda")) return v1::LAYER_FORMAT_USDA;
  if (EndsWith(file, ".usdz")) return v1::LAYER_FORMAT_USDZ;
  if (EndsWith(file, ".usdc") || EndsWith(file, ".usd")) return v1::LAYER_FORMAT_USDC;
  return v1::LAYER_FORMAT_UNSPECIFIED;
}

// Collects a streamed file.
template <typename Response>
Client::Sink<Response> Into(std::string* content) {
  return [content](const Response& response) {
    content->append(response.data());
    return absl::OkStatus();
  };
}

// Collects several streamed files by name.
class FileSet {
 public:
  void Add(const v1::FileChunk& chunk) {
    if (!chunk.name().empty()) current_ = chunk.name();
    files_[current_].append(chunk.data());
  }
  // Relative names are below `folder`.
  absl::Status Write(const std::filesystem::path& folder) const {
    for (const auto& [name, content] : files_) {
      const std::filesystem::path file = folder / name;
      std::error_code ignored;
      std::filesystem::create_directories(file.parent_path(), ignored);
      SD_RETURN_IF_ERROR(WriteFile(file.string(), content));
    }
    return absl::OkStatus();
  }
  // The one file there should be.
  std::string Single() const { return files_.empty() ? std::string() : files_.begin()->second; }

 private:
  std::map<std::string, std::string> files_;
  std::string current_;
};

absl::StatusOr<std::string> OutOption(const CommandLine& line, std::string_view usage) {
  const auto out = line.Option("out");
  if (!out.has_value()) return UsageError(Concat("usage: stagedoor ", usage));
  return AbsoluteIdentifier(*out);
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

absl::StatusOr<v1::StageSource> SourceOf(const CommandLine& line) {
  v1::StageSource source;
  SD_ASSIGN_OR_RETURN(*source.mutable_open(), StageRequest(line, line.arguments().front()));
  return source;
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

// A path as OpenUSD's list of unresolved ones has it: anchored to the layer, or to its place in a
// package, where it is relative to that.
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

std::string Place(const v1::Diagnostic& d) {
  std::string place = d.file();
  if (d.line() != 0) place.append(Concat(":", d.line(), ":", d.column()));
  if (d.offset() != 0) place.append(Concat(" at byte ", d.offset()));
  if (!d.path().empty()) place.append(Concat(" <", d.path(), ">"));
  return place;
}

}  // namespace

absl::Status RunConvert(Client& client, const CommandLine& line, Output&) {
  SD_RETURN_IF_ERROR(line.CheckArguments(2, 2, "convert IN OUT"));
  const std::string out = AbsoluteIdentifier(line.arguments()[1]);
  v1::ConvertLayerRequest request;
  request.set_identifier(AbsoluteIdentifier(line.arguments()[0]));
  request.set_format(FormatOf(out));
  std::string content;
  SD_RETURN_IF_ERROR(client.ConvertLayer(request, Into<v1::ConvertLayerResponse>(&content)));
  return WriteFile(out, content);
}

absl::Status RunValidate(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(line.CheckArguments(1, 1, "validate FILE"));
  v1::ValidateLayerRequest request;
  request.set_identifier(AbsoluteIdentifier(line.arguments().front()));
  SD_ASSIGN_OR_RETURN(const v1::ValidateLayerResponse response, client.ValidateLayer(request));
  size_t errors = 0;
  for (const v1::Diagnostic& d : response.diagnostics()) {
    const bool is_error = d.severity() == v1::Diagnostic::SEVERITY_ERROR;
    errors += is_error;
    output.Line(Concat(Place(d), is_error ? ": error: " : ": warning: ", d.message()));
  }
  if (errors != 0) return DataLossError(request.identifier(), " has ", errors, " errors");
  return absl::OkStatus();
}

absl::Status RunFlatten(Client& client, const CommandLine& line, Output&) {
  constexpr std::string_view kUsage = "flatten ROOT -o OUT [--layer-stack]";
  SD_RETURN_IF_ERROR(line.CheckArguments(1, 1, kUsage));
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, kUsage));
  v1::FlattenStageRequest request;
  SD_ASSIGN_OR_RETURN(*request.mutable_source(), SourceOf(line));
  request.set_format(FormatOf(out));
  request.set_layer_stack_only(line.Flag("layer-stack"));
  std::string content;
  SD_RETURN_IF_ERROR(client.FlattenStage(request, Into<v1::FlattenStageResponse>(&content)));
  return WriteFile(out, content);
}

absl::Status RunStitchClips(Client& client, const CommandLine& line, Output&) {
  constexpr std::string_view kUsage = "stitch-clips --out OUT --clipPath PATH CLIP…";
  SD_RETURN_IF_ERROR(line.CheckArguments(1, SIZE_MAX, kUsage));
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, kUsage));
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
  FileSet files;
  SD_RETURN_IF_ERROR(client.StitchClips(request, [&](const v1::StitchClipsResponse& response) {
    files.Add(response.chunk());
    return absl::OkStatus();
  }));
  return files.Write(std::filesystem::path(out).parent_path());
}

absl::Status RunClipManifest(Client& client, const CommandLine& line, Output&) {
  constexpr std::string_view kUsage =
      "clip-manifest (ROOT --prim PATH | --clipPath PATH CLIP…) --out OUT";
  SD_RETURN_IF_ERROR(line.CheckArguments(1, SIZE_MAX, kUsage));
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, kUsage));
  v1::GenerateClipManifestRequest request;
  request.set_format(FormatOf(out));
  if (const auto clip_path = line.Option("clipPath")) {
    v1::ClipLayersSource* source = request.mutable_clip_layers();
    for (const std::string& clip : line.arguments()) source->add_clips(AbsoluteIdentifier(clip));
    source->set_clip_path(*clip_path);
  } else {
    SD_RETURN_IF_ERROR(line.CheckArguments(1, 1, kUsage));
    v1::ClipSetSource* source = request.mutable_clip_set();
    SD_ASSIGN_OR_RETURN(*source->mutable_stage(), SourceOf(line));
    source->set_prim_path(line.Option("prim").value_or(""));
    source->set_clip_set(line.Option("clipSet").value_or(""));
    source->set_write_blocks(line.Flag("writeBlocks"));
  }
  std::string content;
  SD_RETURN_IF_ERROR(
      client.GenerateClipManifest(request, Into<v1::GenerateClipManifestResponse>(&content)));
  return WriteFile(out, content);
}

absl::Status RunDeps(Client& client, const CommandLine& line, Output& output) {
  SD_RETURN_IF_ERROR(line.CheckArguments(1, 1, "deps ROOT"));
  v1::ListDependenciesRequest request;
  SD_ASSIGN_OR_RETURN(*request.mutable_source(), SourceOf(line));
  return client.ListDependencies(request, [&](const v1::ListDependenciesResponse& response) {
    for (const v1::Dependency& d : response.dependencies()) {
      const std::string_view kind = DependencyWord(d.kind());
      if (d.resolved_path().empty()) {
        output.Line(Concat("missing\t", kind, '\t', Anchored(d.authored_path(), d.layer()), '\t',
                           d.layer(), '\t', d.authored_path()));
      } else {
        output.Line(Concat("found\t", kind, '\t', d.resolved_path(), '\t', d.layer()));
      }
    }
    return absl::OkStatus();
  });
}

absl::Status RunLocalize(Client& client, const CommandLine& line, Output&) {
  constexpr std::string_view kUsage = "localize ROOT -o DIR|FILE.usdz";
  SD_RETURN_IF_ERROR(line.CheckArguments(1, 1, kUsage));
  SD_ASSIGN_OR_RETURN(const std::string out, OutOption(line, kUsage));
  v1::LocalizeStageRequest request;
  SD_ASSIGN_OR_RETURN(*request.mutable_source(), SourceOf(line));
  request.set_package(EndsWith(out, ".usdz"));
  FileSet files;
  SD_RETURN_IF_ERROR(client.LocalizeStage(request, [&](const v1::LocalizeStageResponse& response) {
    files.Add(response.chunk());
    return absl::OkStatus();
  }));
  if (request.package()) return WriteFile(out, files.Single());
  return files.Write(out);
}

}  // namespace stagedoor
