#include "server/handlers/layer_handlers.h"

#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/layer/layer.h"
#include "server/converters/layer_converter.h"
#include "server/converters/reply_budget.h"
#include "server/server_limits.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/layer_files.h"
#include "server/stages/source_check.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

class LayerStream final : public ChunkedStream<v1::ReadLayerResponse> {
 public:
  LayerStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
              std::shared_ptr<const Layer> layer, LayerTraversalOptions options)
      : ChunkedStream(context, limits, chunk_bytes, "set without_values"),
        layer_(std::move(layer)),
        options_(options),
        walk_(*layer_) {}

 private:
  absl::StatusOr<bool> Make(RequestContext& context, v1::ReadLayerResponse* response) override {
    const bool first = std::exchange(first_, false);
    if (first) {
      FillLayerHeader(*layer_, budget(), response->mutable_layer());
      if (!budget().ok()) return budget().status();
    }
    while (!walk_.done() && HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_RETURN_IF_ERROR(FillNext(response));
    }
    return first || response->specs_size() != 0;
  }

  // Fails only if the request is over.
  absl::Status FillNext(v1::ReadLayerResponse* response) {
    const SpecId id = walk_.Next();
    budget().StartItem();
    v1::Spec* spec = budget().Add(response->mutable_specs());
    FillSpec(*layer_, id, options_, budget(), spec);
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), 0, spec));
    if (spec->has_error()) FillSpecName(*layer_, id, budget(), spec);
    return absl::OkStatus();
  }

  const std::shared_ptr<const Layer> layer_;
  const LayerTraversalOptions options_;
  SpecTraversal walk_;
  bool first_ = true;
};

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

// The number in a message that ends with " at offset 123".
std::optional<uint64_t> OffsetIn(std::string_view message) {
  constexpr std::string_view kAt = " at offset ";
  const size_t at = message.rfind(kAt);
  if (at == std::string_view::npos) return std::nullopt;
  uint64_t offset = 0;
  const char* end = message.data() + message.size();
  const auto [stop, error] = std::from_chars(message.data() + at + kAt.size(), end, offset);
  return error == std::errc() ? std::optional(offset) : std::nullopt;
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
  if (const auto offset = OffsetIn(message)) out->set_offset(*offset);
  out->set_message(CoerceToUtf8(message));
}

// Reports what a reader found wrong in a layer that it could read.
void AddWarnings(const Layer& layer, v1::ValidateLayerResponse* response) {
  const LayerWarnings* warnings = layer.info().warnings.get();
  if (!warnings) return;
  for (const LayerWarning& warning : warnings->listed) {
    v1::Diagnostic* diagnostic = response->add_diagnostics();
    diagnostic->set_severity(v1::Diagnostic::SEVERITY_WARNING);
    diagnostic->set_file(CoerceToUtf8(layer.identifier()));
    diagnostic->set_line(static_cast<uint32_t>(warning.line));
    diagnostic->set_column(static_cast<uint32_t>(warning.column));
    diagnostic->set_path(CoerceToUtf8(warning.path));
    diagnostic->set_message(CoerceToUtf8(warning.message));
  }
  if (warnings->left_out == 0) return;
  v1::Diagnostic* rest = response->add_diagnostics();
  rest->set_severity(v1::Diagnostic::SEVERITY_WARNING);
  rest->set_file(CoerceToUtf8(layer.identifier()));
  rest->set_message(Concat("further warnings: ", warnings->left_out));
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

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> ReadLayer(const AssetState& state,
                                                        RequestContext& context,
                                                        const v1::ReadLayerRequest& request) {
  SD_ASSIGN_OR_RETURN(auto layer,
                      OpenNamedLayer(state, context, "identifier", request.identifier()));
  LayerTraversalOptions options;
  options.without_values = request.without_values();
  auto stream = std::make_unique<LayerStream>(
      context, state.limits, ChunkBytes(request, state.limits), std::move(layer), options);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<v1::ConvertLayerResponse>> ConvertLayer(
    const AssetState& state, RequestContext& context, const v1::ConvertLayerRequest& request) {
  const SourceCheck sources(state.stages.sources());
  SD_ASSIGN_OR_RETURN(auto layer,
                      OpenNamedLayer(state, context, "identifier", request.identifier()));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes, MakeLayerByteSource(state.layers.formats(),
                                                               std::move(layer), request.format()));
  using Stream = DataStream<v1::ConvertLayerResponse>;
  return std::make_unique<Stream>(std::move(bytes), ChunkBytes(request, state.limits),
                                  Stream::Origin{{}, [sources] { return sources.CheckUsed(); }});
}

absl::Status ValidateLayer(const AssetState& state, RequestContext& context,
                           const v1::ValidateLayerRequest& request,
                           v1::ValidateLayerResponse* response) {
  const auto layer = OpenNamedLayer(state, context, "identifier", request.identifier());
  if (layer.ok()) {
    AddWarnings(**layer, response);
    return CheckValues(context, **layer, response);
  }
  const absl::StatusCode code = layer.status().code();
  if (code != absl::StatusCode::kInvalidArgument && code != absl::StatusCode::kDataLoss) {
    return layer.status();
  }
  FillDiagnostic(request.identifier(), Message(layer.status()), response->add_diagnostics());
  return absl::OkStatus();
}

}  // namespace stagedoor::server
