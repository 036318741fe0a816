#include "server/handlers/dependency_handlers.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/dependencies.h"
#include "scene/stage/localize.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/usdz/usdz_writer.h"
#include "server/converters/coerce_to_utf8.h"
#include "server/converters/layer_converter.h"
#include "server/error_info.h"
#include "server/handlers/data_stream.h"
#include "server/handlers/layer_handlers.h"
#include "server/handlers/stage_handlers.h"
#include "server/stages/flattened_layer_cache.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxDiagnostics = 1000;

// Parses ":123" at the front of `text` and removes it.
bool TakeNumber(std::string_view* text, uint32_t* number) {
  if (text->empty() || text->front() != ':') return false;
  const char* begin = text->data() + 1;
  const auto [end, error] = std::from_chars(begin, text->data() + text->size(), *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

// The number in a message that ends with " at offset 123"; 0 if there is none.
uint64_t OffsetIn(std::string_view message) {
  constexpr std::string_view kAt = " at offset ";
  uint64_t offset = 0;
  const size_t at = message.rfind(kAt);
  if (at == std::string_view::npos) return offset;
  const char* end = message.data() + message.size();
  std::from_chars(message.data() + at + kAt.size(), end, offset);
  return offset;
}

// Splits the error message of a reader, "file:line:column: message", "file: message" or
// "file: message at offset N", into the fields of a diagnostic.
void FillDiagnostic(std::string_view file, std::string_view message, v1::Diagnostic* out) {
  out->set_severity(v1::Diagnostic::SEVERITY_ERROR);
  out->set_file(CoerceToUtf8(file));
  if (message.substr(0, file.size()) == file) {
    message.remove_prefix(file.size());
    uint32_t line = 0, column = 0;
    if (TakeNumber(&message, &line) && TakeNumber(&message, &column)) {
      out->set_line(line);
      out->set_column(column);
    }
    while (!message.empty() && (message.front() == ':' || message.front() == ' ')) {
      message.remove_prefix(1);
    }
  }
  out->set_offset(OffsetIn(message));
  out->set_message(CoerceToUtf8(message));
}

// Values are decoded on access, so a layer that opens may still have values that cannot be decoded.
absl::Status CheckValues(RequestContext& context, const Layer& layer,
                         v1::ValidateLayerResponse* response) {
  for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
    SD_RETURN_IF_ERROR(context.Check());
    for (const Token field : layer.FieldNames(spec)) {
      const Value value = layer.Get(spec, field);
      if (!value.is_invalid()) continue;
      if (static_cast<size_t>(response->diagnostics_size()) == kMaxDiagnostics) {
        return absl::OkStatus();
      }
      v1::Diagnostic* diagnostic = response->add_diagnostics();
      FillDiagnostic(layer.identifier(), value.invalid_reason(), diagnostic);
      diagnostic->set_path(CoerceToUtf8(layer.tree().path(spec).ToString()));
    }
  }
  return absl::OkStatus();
}

v1::Dependency::Kind KindOf(const Dependency& use) {
  if (!use.IsLayer()) return v1::Dependency::KIND_ASSET;
  return use.use == DependencyType::kClip ? v1::Dependency::KIND_CLIP : v1::Dependency::KIND_LAYER;
}

class DependencyStream final : public ResponseStream<v1::ListDependenciesResponse> {
 public:
  explicit DependencyStream(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  absl::StatusOr<bool> Next(RequestContext&, v1::ListDependenciesResponse* response) override {
    constexpr size_t kPerMessage = 1000;
    const size_t last = std::min(dependencies_.uses.size(), next_ + kPerMessage);
    for (; next_ < last; ++next_) {
      const Dependency& use = dependencies_.uses[next_];
      v1::Dependency* out = response->add_dependencies();
      out->set_kind(KindOf(use));
      out->set_authored_path(CoerceToUtf8(use.authored));
      out->set_resolved_path(CoerceToUtf8(use.resolved));
      out->set_layer(CoerceToUtf8(use.from));
    }
    return response->dependencies_size() != 0;
  }

 private:
  const Dependencies dependencies_;
  size_t next_ = 0;
};

size_t ByteSize(const Dependencies& dependencies) {
  size_t bytes = dependencies.uses.capacity() * sizeof(Dependency);
  for (const Dependency& use : dependencies.uses) {
    bytes += use.authored.size() + use.identifier.size() + use.resolved.size() + use.from.size();
  }
  return bytes;
}

absl::StatusOr<Dependencies> DependenciesOf(ServerState& state, RequestContext& context,
                                            const v1::StageSource& source) {
  std::string root;
  if (source.has_stage()) {
    SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, source.stage()));
    root = leased.stage().options().root;
  } else {
    SD_ASSIGN_OR_RETURN(const StageKey stage_key, ParseStageKey(state, context, source.open()));
    root = stage_key.options.root;
  }
  WorkScope::Adopt(PathScope::CreateSmall());
  auto dependencies = ComputeDependencies(context, state.layers, root);
  if (!dependencies.ok()) return WithLayerReason(dependencies.status(), root);
  SD_RETURN_IF_ERROR(context.Reserve(ByteSize(*dependencies), "the list of dependencies"));
  return dependencies;
}

}  // namespace

absl::StatusOr<ByteSourcePtr> MakeLayerByteSource(const LayerFormats& formats,
                                                  std::shared_ptr<const Layer> layer,
                                                  v1::LayerFormat format) {
  const LayerFormat* const writer = formats.FindByName(LayerFormatName(format));
  if (writer != nullptr && writer->write != nullptr) return writer->write(std::move(layer));
  return WithReason(InvalidArgumentError("unknown layer format"), reason::kInvalidField);
}

absl::StatusOr<std::shared_ptr<const StageSnapshot>> AcquireSnapshot(
    ServerState& state, RequestContext& context, const v1::StageSource& source) {
  if (source.has_stage()) {
    SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, source.stage()));
    return leased.snapshot;
  }
  if (!source.has_open()) {
    return WithReason(InvalidArgumentError("source: the request must set stage or open"),
                      reason::kInvalidField);
  }
  SD_ASSIGN_OR_RETURN(const StageKey stage_key, ParseStageKey(state, context, source.open()));
  SD_ASSIGN_OR_RETURN(const StageCache::Opened opened, state.stages.Open(context, stage_key));
  WorkScope::Adopt(opened.snapshot->stage().paths());
  return opened.snapshot;
}

absl::StatusOr<ResponseStreamPtr<v1::ConvertLayerResponse>> ConvertLayer(
    ServerState& state, RequestContext& context, const v1::ConvertLayerRequest& request) {
  const SourceCheck sources(state.stages.sources());
  SD_ASSIGN_OR_RETURN(auto layer, OpenNamedLayer(state, context, request.identifier()));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes, MakeLayerByteSource(state.layers.formats(),
                                                               std::move(layer), request.format()));
  return std::make_unique<DataStream<v1::ConvertLayerResponse>>(
      std::move(bytes), state.limits.message_bytes, [sources] { return sources.CheckUsed(); });
}

absl::Status ValidateLayer(ServerState& state, RequestContext& context,
                           const v1::ValidateLayerRequest& request,
                           v1::ValidateLayerResponse* response) {
  const auto layer = OpenNamedLayer(state, context, request.identifier());
  if (layer.ok()) return CheckValues(context, **layer, response);
  const absl::StatusCode code = layer.status().code();
  if (code != absl::StatusCode::kInvalidArgument && code != absl::StatusCode::kDataLoss) {
    return layer.status();
  }
  FillDiagnostic(request.identifier(), Message(layer.status()), response->add_diagnostics());
  return absl::OkStatus();
}

absl::StatusOr<ResponseStreamPtr<v1::FlattenStageResponse>> FlattenStage(
    ServerState& state, RequestContext& context, const v1::FlattenStageRequest& request) {
  const SourceCheck sources(state.stages.sources());
  SD_ASSIGN_OR_RETURN(const auto snapshot, AcquireSnapshot(state, context, request.source()));
  SD_ASSIGN_OR_RETURN(auto layer, FlattenedLayerCache::For(snapshot->stage())
                                      .Get(context, snapshot->stage(), request.layer_stack_only(),
                                           [&state](RequestContext& context) {
                                             return state.stages.MakeRoom(context);
                                           }));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes, MakeLayerByteSource(state.layers.formats(),
                                                               std::move(layer), request.format()));
  return std::make_unique<DataStream<v1::FlattenStageResponse>>(
      std::move(bytes), state.limits.message_bytes,
      [sources, snapshot] { return sources.Check(snapshot->stage()); });
}

absl::StatusOr<ResponseStreamPtr<v1::ListDependenciesResponse>> ListDependencies(
    ServerState& state, RequestContext& context, const v1::ListDependenciesRequest& request) {
  SD_ASSIGN_OR_RETURN(Dependencies dependencies, DependenciesOf(state, context, request.source()));
  return std::make_unique<DependencyStream>(std::move(dependencies));
}

absl::StatusOr<ResponseStreamPtr<v1::LocalizeStageResponse>> LocalizeStage(
    ServerState& state, RequestContext& context, const v1::LocalizeStageRequest& request) {
  const SourceCheck sources(state.stages.sources());
  SD_ASSIGN_OR_RETURN(const Dependencies dependencies,
                      DependenciesOf(state, context, request.source()));
  LocalizeOptions options;
  options.encode = [](const Layer& layer, const std::string&) -> absl::StatusOr<std::string> {
    return layer.info().format == "usda" ? WriteCompleteUsda(layer) : WriteUsdc(layer);
  };
  SD_ASSIGN_OR_RETURN(std::vector<LocalizedFile> localized,
                      Localize(context, state.layers, dependencies, options));
  SD_RETURN_IF_ERROR(sources.CheckUsed());
  std::vector<GeneratedFile> files;
  for (LocalizedFile& file : localized) {
    SD_RETURN_IF_ERROR(context.Reserve(file.content.size(), "localized files"));
    const auto content = std::make_shared<const std::string>(std::move(file.content));
    files.push_back(
        {std::move(file.name), [content](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
           return std::make_unique<MemoryByteSource>(*content, content);
         }});
  }
  if (request.package()) {
    const auto open = [files = std::move(files)](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
      return PackageBytes(files);
    };
    files = {{.name = "package.usdz", .open = open}};
  }
  return std::make_unique<MultiFileStream<v1::LocalizeStageResponse>>(std::move(files),
                                                                      state.limits.message_bytes);
}

}  // namespace stagedoor
