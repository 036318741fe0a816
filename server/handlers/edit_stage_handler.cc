#include "server/handlers/edit_stage_handler.h"

#include <memory>
#include <utility>

#include "base/interned_bytes.h"
#include "base/status_macros.h"
#include "scene/layer/layer_builder.h"
#include "server/check_count.h"
#include "server/handlers/chunk_bytes.h"
#include "server/handlers/data_stream.h"
#include "server/handlers/layer_files.h"
#include "server/handlers/leased_stage.h"
#include "server/handlers/publish_change.h"
#include "server/handlers/stage_editor.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxEdits = 100000;

}  // namespace

absl::Status EditStage(ServerState& state, RequestContext& context,
                       const v1::EditStageRequest& request, v1::EditStageResponse* response) {
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.edits_size()), kMaxEdits, "edits"));
  SD_ASSIGN_OR_RETURN(const auto session, AcquireSession(state, context, request.stage().handle()));
  const auto change = [&](StageKey& stage_key) {
    const InternedBytes::ScopedHalfLimit names;
    return StageEditor(state, context, session->Newest(), stage_key).Apply(request);
  };
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, session, request, change));
  return absl::OkStatus();
}

absl::StatusOr<ResponseStreamPtr<v1::ExportSessionLayerResponse>> ExportSessionLayer(
    ServerState& state, RequestContext& context, const v1::ExportSessionLayerRequest& request) {
  SD_RETURN_IF_ERROR(context.Check());
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  std::shared_ptr<const Layer> layer = leased.snapshot->session_layer();
  if (layer == nullptr) layer = LayerBuilder().Build(SessionLayerInfo());
  SD_ASSIGN_OR_RETURN(
      ByteSourcePtr text,
      MakeLayerByteSource(state.layers.formats(), std::move(layer), v1::LAYER_FORMAT_USDA));
  using Stream = DataStream<v1::ExportSessionLayerResponse>;
  return std::make_unique<Stream>(
      std::move(text), ChunkBytes(request, state.limits),
      Stream::Origin{leased.snapshot->fingerprint(), [leased] { return leased.CheckRead(); }});
}

}  // namespace stagedoor::server
