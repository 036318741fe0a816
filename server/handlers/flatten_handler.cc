#include "server/handlers/flatten_handler.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "server/sessions/layer_files.h"
#include "server/sessions/source_state.h"
#include "server/sessions/stage_source.h"
#include "server/stages/flattened_layer_cache.h"
#include "server/stages/source_check.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {

absl::StatusOr<ResponseStreamPtr<v1::FlattenStageResponse>> FlattenStage(
    const SourceState& state, RequestContext& context, const v1::FlattenStageRequest& request) {
  const SourceCheck sources(state.assets.stages.sources());
  // Look up or open the stage.
  SD_ASSIGN_OR_RETURN(const auto snapshot, AcquireSnapshot(state, context, request.source()));
  // Call the engine.
  SD_ASSIGN_OR_RETURN(auto layer, FlattenedLayerCache::For(snapshot->stage())
                                      .Get(context, snapshot->stage(), request.layer_stack_only(),
                                           [&state](RequestContext& context) {
                                             return state.assets.stages.MakeRoom(context);
                                           }));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes, MakeLayerByteSource(state.assets.layers.formats(),
                                                               std::move(layer), request.format()));
  // The stream fills the messages.
  return std::make_unique<DataStream<v1::FlattenStageResponse>>(
      std::move(bytes), ChunkBytes(request, state.assets.limits),
      DataStream<v1::FlattenStageResponse>::Origin{snapshot->fingerprint(), [sources, snapshot] {
                                                     return sources.Check(snapshot->stage());
                                                   }});
}

}  // namespace stagedoor::server
