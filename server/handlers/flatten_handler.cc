#include "server/handlers/flatten_handler.h"

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "server/handlers/chunk_bytes.h"
#include "server/handlers/data_stream.h"
#include "server/handlers/layer_files.h"
#include "server/handlers/stage_source.h"
#include "server/stages/flattened_layer_cache.h"
#include "server/stages/source_check.h"

namespace stagedoor::server {

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
      std::move(bytes), ChunkBytes(request, state.limits),
      DataStream<v1::FlattenStageResponse>::Origin{snapshot->fingerprint(), [sources, snapshot] {
                                                     return sources.Check(snapshot->stage());
                                                   }});
}

}  // namespace stagedoor::server
