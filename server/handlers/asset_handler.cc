#include "server/handlers/asset_handler.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/byte_source.h"
#include "base/fingerprinter.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/fail_if_outage.h"
#include "resolver/resolver.h"
#include "server/converters/resolver_context_converter.h"
#include "server/error_info.h"
#include "server/sessions/audit.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/layer_files.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/source_state.h"
#include "server/stages/resolver_context_preparation.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

absl::Status ChangedError(std::string_view asset, std::string_view since) {
  return WithReason(absl::AbortedError(Concat(Quoted(asset), " has changed since ", since,
                                              "; read it again from the beginning")),
                    v1::ERROR_REASON_ASSET_CHANGED, {{"asset", asset}});
}

// Bytes of an asset, which are fetched as they are read.
class AssetByteSource final : public ByteSource {
 public:
  AssetByteSource(std::shared_ptr<const Asset> asset, uint64_t begin, uint64_t end)
      : asset_(std::move(asset)), at_(begin), end_(end) {}

  absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) override {
    if (at_ >= end_) return false;
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(bytes, end_ - at_));
    const size_t before = out->size();
    out->resize(before + wanted);
    const auto target = std::as_writable_bytes(std::span(*out).subspan(before));
    const absl::StatusOr<size_t> read = asset_->Read(context, at_, target);
    if (!read.ok()) return IsChange(read.status()) ? Changed() : read.status();
    if (*read == 0 || !asset_->Check().ok()) return Changed();
    out->resize(before + *read);
    at_ += *read;
    return true;
  }

 private:
  // Whether bytes cannot be read because the asset is not the one that was opened any more, rather
  // than because its store is damaged.
  bool IsChange(const absl::Status& status) const {
    return IsReplaced(status) || !asset_->Check().ok();
  }
  absl::Status Changed() const { return ChangedError(asset_->name(), "reading it began"); }

  const std::shared_ptr<const Asset> asset_;
  uint64_t at_;
  const uint64_t end_;
};

class AssetStream final : public ResponseStream<v1::ReadAssetResponse> {
 public:
  AssetStream(v1::AssetInfo asset, ByteSourcePtr bytes, size_t chunk_bytes)
      : asset_(std::move(asset)), reader_(std::move(bytes), chunk_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context, v1::ReadAssetResponse* response) override {
    SD_RETURN_IF_ERROR(reader_.Next(context, response->mutable_data()));
    const bool first = asset_.has_value();
    if (first) *response->mutable_asset() = *std::exchange(asset_, std::nullopt);
    return first || !response->data().empty();
  }

 private:
  std::optional<v1::AssetInfo> asset_;  // until it has been sent
  ChunkReader reader_;
};

absl::Status CheckPaths(const v1::ReadAssetRequest& request) {
  SD_RETURN_IF_ERROR(CheckAssetField("asset_path", request.asset_path()));
  if (!request.anchor().empty()) {
    SD_RETURN_IF_ERROR(CheckAssetField("anchor", request.anchor()));
    if (IsAbsoluteAssetPath(request.anchor())) return absl::OkStatus();
    return InvalidFieldError("anchor", request.anchor(),
                             "must be the resolved path of a layer, which is absolute");
  }
  if (!IsFileRelativeAssetPath(request.asset_path())) return absl::OkStatus();
  return InvalidFieldError("asset_path", request.asset_path(),
                           "is relative to a layer; set anchor to the resolved path of it");
}

// How the asset path of a request is resolved.
struct Resolution {
  ResolverContext context;
  std::optional<LeasedStage> stage;  // if the request names one
};

absl::StatusOr<Resolution> ResolutionOf(const SourceState& state, RequestContext& context,
                                        const v1::ReadAssetRequest& request) {
  Resolution resolution;
  if (request.has_stage()) {
    SD_ASSIGN_OR_RETURN(resolution.stage, AcquireStage(state.queries, context, request.stage()));
    resolution.context = resolution.stage->stage().options().resolver_context;
    return resolution;
  }
  const AssetState& assets = state.assets;
  SD_ASSIGN_OR_RETURN(const ResolverContext given,
                      ParseResolverContext(request.resolver_context(), assets.limits,
                                           ScopeOfCaller(), assets.stages.budget().pool()));
  WorkInOwnScope();
  SD_ASSIGN_OR_RETURN(resolution.context, PrepareResolverContext(context, assets.layers, given));
  return resolution;
}

struct OpenAsset {
  std::string identifier;
  std::shared_ptr<const Asset> asset;
};

absl::StatusOr<OpenAsset> Open(const Resolver& resolver, RequestContext& context,
                               const ResolverContext& resolver_context,
                               const v1::ReadAssetRequest& request) {
  OpenAsset open;
  open.identifier =
      resolver.CreateIdentifier(context, resolver_context, request.asset_path(), request.anchor());
  SD_ASSIGN_OR_RETURN(const std::string resolved,
                      resolver.Resolve(context, resolver_context, open.identifier));
  SD_ASSIGN_OR_RETURN(open.asset, resolver.OpenAsset(context, resolver_context, resolved));
  return open;
}

// ABORTED (ASSET_CHANGED) if the stage was composed from another version of the asset.
absl::Status CheckSnapshot(const Stage& stage, const Asset& asset) {
  for (const std::shared_ptr<const Layer>& layer : stage.UsedLayers()) {
    if (layer->info().resolved_path != asset.name()) continue;
    if (layer->info().content_version == asset.version().content()) return absl::OkStatus();
    return ChangedError(asset.name(), "the snapshot of the stage was composed");
  }
  return absl::OkStatus();
}

v1::AssetInfo Describe(const OpenAsset& open) {
  v1::AssetInfo info;
  info.set_identifier(CoerceToUtf8(open.identifier));
  info.set_resolved_path(CoerceToUtf8(open.asset->name()));
  info.set_version(FingerprintOf(open.asset->version().content()));
  info.set_size(open.asset->size());
  return info;
}

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ReadAssetResponse>> ReadAsset(
    const SourceState& state, RequestContext& context, const v1::ReadAssetRequest& request) {
  SD_RETURN_IF_ERROR(CheckPaths(request));
  if (RequestNotes* const notes = RequestScope::Current().notes) {
    notes->SetSubject(request.asset_path());
  }
  SD_ASSIGN_OR_RETURN(const Resolution resolution, ResolutionOf(state, context, request));
  const absl::StatusOr<OpenAsset> open =
      Open(state.assets.layers.resolver(), context, resolution.context, request);
  AuditOpening(state.assets.audit, "read asset", request.asset_path(), open.status());
  if (!open.ok()) return WithLayerReason(open.status(), request.asset_path());
  if (resolution.stage) {
    SD_RETURN_IF_ERROR(CheckSnapshot(resolution.stage->stage(), *open->asset));
  }
  v1::AssetInfo info = Describe(*open);
  if (!request.version().empty() && request.version() != info.version()) {
    return ChangedError(open->asset->name(), "it had the version of the request");
  }
  const uint64_t begin = std::min(request.offset(), info.size());
  const uint64_t rest = info.size() - begin;
  const uint64_t end = begin + (request.has_length() ? std::min(request.length(), rest) : rest);
  return std::make_unique<AssetStream>(std::move(info),
                                       std::make_unique<AssetByteSource>(open->asset, begin, end),
                                       ChunkBytes(request, state.assets.limits));
}

}  // namespace stagedoor::server
