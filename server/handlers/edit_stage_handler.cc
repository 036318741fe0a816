#include "server/handlers/edit_stage_handler.h"

#include <memory>
#include <utility>

#include "base/interned_bytes.h"
#include "base/status_macros.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"
#include "server/check_count.h"
#include "server/sessions/layer_files.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/publish_change.h"
#include "server/sessions/session_state.h"
#include "server/sessions/stage_editor.h"
#include "server/stages/stage_key.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxEdits = 100000;

}  // namespace

absl::Status EditStage(const SessionState& state, RequestContext& context,
                       const v1::EditStageRequest& request, v1::EditStageResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.edits_size()), kMaxEdits, "edits"));
  // Look up the session.
  SD_ASSIGN_OR_RETURN(const auto session,
                      AcquireSession(state.queries, context, request.stage().handle()));
  const auto change = [&](StageKey& stage_key) {
    const InternedBytes::ScopedHalfLimit names;
    return StageEditor(state.assets, context, session->Newest(), stage_key).Apply(request);
  };
  // Call the editor, and fill the reply.
  SD_ASSIGN_OR_RETURN(*response->mutable_snapshot(),
                      PublishChange(state, context, session, request, change));
  return absl::OkStatus();
}

absl::StatusOr<ResponseStreamPtr<v1::ExportSessionLayerResponse>> ExportSessionLayer(
    const SessionState& state, RequestContext& context,
    const v1::ExportSessionLayerRequest& request) {
  SD_RETURN_IF_ERROR(context.Check());
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased,
                      AcquireStage(state.queries, context, request.stage()));
  std::shared_ptr<const Layer> layer = leased.snapshot->session_layer();
  if (layer == nullptr) layer = LayerBuilder().Build(SessionLayerInfo());
  SD_ASSIGN_OR_RETURN(
      ByteSourcePtr text,
      MakeLayerByteSource(state.assets.layers.formats(), std::move(layer), v1::LAYER_FORMAT_USDA));
  using Stream = DataStream<v1::ExportSessionLayerResponse>;
  // The stream fills the messages.
  return std::make_unique<Stream>(
      std::move(text), ChunkBytes(request, state.assets.limits),
      Stream::Origin{leased.snapshot->fingerprint(), [leased] { return leased.CheckRead(); }});
}

}  // namespace stagedoor::server
