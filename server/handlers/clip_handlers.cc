#include "server/handlers/clip_handlers.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/clips/clip_environment.h"
#include "scene/clips/clip_manifest_builder.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/clips/stitch_clips.h"
#include "scene/layer/layer.h"
#include "server/error_info.h"
#include "server/sessions/layer_files.h"
#include "server/sessions/source_state.h"
#include "server/sessions/stage_source.h"
#include "server/stages/stage_lookup.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

// The path of a prim in clips, which cannot be the pseudo-root.
absl::StatusOr<Path> ParseClipPath(const std::string& text) {
  SD_ASSIGN_OR_RETURN(const Path path, ParsePrimPath(text));
  if (path.IsPrim()) return path;
  return WithReason(InvalidArgumentError("the clip path must be that of a prim, not ", text),
                    v1::ERROR_REASON_INVALID_PATH, {{"path", text}});
}

absl::StatusOr<StitchClipsOptions> ParseStitchOptions(const v1::StitchClipsRequest& request) {
  StitchClipsOptions options;
  options.clips.assign(request.clips().begin(), request.clips().end());
  options.output = request.output();
  SD_ASSIGN_OR_RETURN(options.clip_path, ParseClipPath(request.clip_path()));
  if (!request.clip_set().empty()) options.clip_set = request.clip_set();
  if (request.has_start_time_code()) options.start_time_code = request.start_time_code();
  if (request.has_end_time_code()) options.end_time_code = request.end_time_code();
  options.interpolate_missing_clip_values = request.interpolate_missing_clip_values();
  if (request.has_clip_template()) {
    StitchClipsOptions::Template pattern;
    pattern.path = request.clip_template().path();
    pattern.stride = request.clip_template().stride();
    if (request.clip_template().has_active_offset()) {
      pattern.active_offset = request.clip_template().active_offset();
    }
    options.clip_template = std::move(pattern);
  }
  return options;
}

using LayerPointer = std::shared_ptr<const Layer>;

struct Manifest {
  LayerPointer layer;
  std::string snapshot;  // the fingerprint of the snapshot it was made from; empty if from layers
};

absl::StatusOr<Manifest> ManifestOfSet(const SourceState& state, RequestContext& context,
                                       const v1::ClipSetSource& source) {
  ClipEnvironment* clips = state.assets.stages.environment().clips;
  if (clips == nullptr) return UnimplementedError("this daemon does not support value clips");
  SD_ASSIGN_OR_RETURN(const auto snapshot, AcquireSnapshot(state, context, source.stage()));
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(snapshot->stage(), source.prim_path()));
  const std::string name = source.clip_set().empty() ? "default" : source.clip_set();
  for (const ClipSetDefinition& definition : ComputeClipSetDefinitions(context, prim.index())) {
    if (definition.name != name) continue;
    SD_ASSIGN_OR_RETURN(
        const auto set,
        clips->MakeSet(context, snapshot->stage().options().resolver_context, definition));
    if (set == nullptr) {
      return FailedPreconditionError("clip set ", Quoted(name), " on ", source.prim_path(),
                                     " has no clips");
    }
    Manifest manifest{set->GenerateManifest(context, source.write_blocks()),
                      snapshot->fingerprint()};
    SD_RETURN_IF_ERROR(context.Check());
    return manifest;
  }
  SD_RETURN_IF_ERROR(context.Check());
  return NotFoundError("cannot find clip set ", Quoted(name), " on ", source.prim_path());
}

absl::StatusOr<Manifest> ManifestOfLayers(const SourceState& state, RequestContext& context,
                                          const v1::ClipLayersSource& source) {
  WorkInOwnScope();
  SD_ASSIGN_OR_RETURN(const Path prim, ParseClipPath(source.clip_path()));
  std::vector<LayerPointer> layers;
  for (const std::string& clip : source.clips()) {
    SD_ASSIGN_OR_RETURN(LayerPointer layer, OpenNamedLayer(state.assets, context, "clips", clip));
    layers.push_back(std::move(layer));
  }
  SD_ASSIGN_OR_RETURN(LayerBuilder manifest,
                      stagedoor::GenerateClipManifest(context, layers, prim));
  Layer::Info info{.identifier = "anon:manifest", .format = "usda", .anonymous = true};
  return Manifest{std::move(manifest).Build(std::move(info)), {}};
}

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::StitchClipsResponse>> StitchClips(
    const SourceState& state, RequestContext& context, const v1::StitchClipsRequest& request) {
  WorkInOwnScope();
  SD_ASSIGN_OR_RETURN(StitchClipsOptions options, ParseStitchOptions(request));
  const LayerFormat* const format = state.assets.layers.formats().FindForWriting(options.output);
  if (format == nullptr || format->write == nullptr) {
    return InvalidFieldError("output", options.output,
                             "the extension must be .usda, .usdc or .usd");
  }
  const auto open = [&](const std::string& clip) {
    return OpenNamedLayerUncached(state.assets, context, "clips", clip);
  };
  SD_ASSIGN_OR_RETURN(const StitchedClips stitched, stagedoor::StitchClips(context, open, options));
  const std::filesystem::path output(options.output);
  const std::string stem = output.stem().string(), extension = output.extension().string();
  std::vector<GeneratedFile> files;
  size_t bytes = 0;
  const auto add = [&](const std::string& name, const LayerPointer& layer) {
    if (layer == nullptr) return;
    bytes += layer->byte_size();
    files.push_back({name, [layer, format](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
                       return format->write(layer);
                     }});
  };
  add(output.filename().string(), stitched.result);
  add(stem + ".topology" + extension, stitched.topology);
  add(stem + ".manifest" + extension, stitched.manifest);
  SD_RETURN_IF_ERROR(context.Reserve(bytes, "stitched layers"));
  return std::make_unique<MultiFileStream<v1::StitchClipsResponse>>(
      std::move(files), ChunkBytes(request, state.assets.limits));
}

absl::StatusOr<ResponseStreamPtr<v1::GenerateClipManifestResponse>> GenerateClipManifest(
    const SourceState& state, RequestContext& context,
    const v1::GenerateClipManifestRequest& request) {
  Manifest manifest;
  if (request.has_clip_set()) {
    SD_ASSIGN_OR_RETURN(manifest, ManifestOfSet(state, context, request.clip_set()));
  } else if (request.has_clip_layers()) {
    SD_ASSIGN_OR_RETURN(manifest, ManifestOfLayers(state, context, request.clip_layers()));
  } else {
    return InvalidFieldError("source", "", "the request must set clip_set or clip_layers");
  }
  SD_RETURN_IF_ERROR(context.Reserve(manifest.layer->byte_size(), "a manifest"));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes,
                      MakeLayerByteSource(state.assets.layers.formats(), std::move(manifest.layer),
                                          request.format()));
  using Stream = DataStream<v1::GenerateClipManifestResponse>;
  return std::make_unique<Stream>(std::move(bytes), ChunkBytes(request, state.assets.limits),
                                  Stream::Origin{std::move(manifest.snapshot), nullptr});
}

}  // namespace stagedoor::server
