#include "server/testing/handler_table.h"

#include <functional>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "server/handlers/admin_handlers.h"
#include "server/handlers/cache_handlers.h"
#include "server/handlers/clip_handlers.h"
#include "server/handlers/collection_handler.h"
#include "server/handlers/dependency_handlers.h"
#include "server/handlers/edit_handlers.h"
#include "server/handlers/edit_stage_handler.h"
#include "server/handlers/evict_caches_handler.h"
#include "server/handlers/explain_handler.h"
#include "server/handlers/flatten_handler.h"
#include "server/handlers/geom_handlers.h"
#include "server/handlers/geom_stream_handlers.h"
#include "server/handlers/layer_handlers.h"
#include "server/handlers/list_calls_handler.h"
#include "server/handlers/prim_handlers.h"
#include "server/handlers/sample_values_handler.h"
#include "server/handlers/server_handlers.h"
#include "server/handlers/skel_handlers.h"
#include "server/handlers/skinning_handler.h"
#include "server/handlers/stage_handlers.h"
#include "server/handlers/value_handlers.h"
#include "server/handlers/value_stream_handlers.h"
#include "server/handlers/warm_handler.h"
#include "server/handlers/watch_handler.h"
#include "server/rpc/message_serialization.h"
#include "server/rpc/wire_stream.h"
#include "server/services/enum_validator.h"
#include "server/testing/byte_buffers.h"

namespace stagedoor::server {
namespace {

using Handler = std::function<absl::Status(ServerState&, RequestContext&, const std::string&,
                                           std::vector<std::string>*)>;

template <typename Request>
absl::Status Read(const std::string& bytes, Request* request) {
  grpc::ByteBuffer buffer = BufferOf(bytes);
  SD_RETURN_IF_ERROR(ParseMessage(&buffer, request));
  return ValidateEnums(*request);
}

template <typename Request, typename Response>
Handler Generic(absl::Status (*handler)(ServerState&, RequestContext&, const Request&, Response*)) {
  return [handler](ServerState& state, RequestContext& context, const std::string& bytes,
                   std::vector<std::string>* messages) -> absl::Status {
    Request request;
    SD_RETURN_IF_ERROR(Read(bytes, &request));
    Response response;
    SD_RETURN_IF_ERROR(handler(state, context, request, &response));
    grpc::ByteBuffer reply;
    SD_RETURN_IF_ERROR(SerializeReply(context, response, &reply));
    messages->push_back(BytesOf(reply));
    return absl::OkStatus();
  };
}

template <typename Request, typename Stream>
Handler Generic(absl::StatusOr<Stream> (*handler)(ServerState&, RequestContext&, const Request&)) {
  return [handler](ServerState& state, RequestContext& context, const std::string& bytes,
                   std::vector<std::string>* messages) -> absl::Status {
    Request request;
    SD_RETURN_IF_ERROR(Read(bytes, &request));
    SD_ASSIGN_OR_RETURN(auto made, handler(state, context, request));
    const WireStreamPtr stream = ToWireStream(std::move(made));
    do {
      grpc::ByteBuffer message;
      SD_ASSIGN_OR_RETURN(const bool more, stream->Next(context, &message));
      if (!more) break;
      messages->push_back(BytesOf(message));
    } while (!stream->AtEnd() && !stream->MayWait());
    return absl::OkStatus();
  };
}

const std::map<std::string, Handler>& Handlers() {
  static const auto* all = new std::map<std::string, Handler>{
      {"BatchGetValues", Generic(BatchGetValues)},
      {"CloseStage", Generic(CloseStage)},
      {"ComputeBounds", Generic(ComputeBounds)},
      {"ComputeInstanceTransforms", Generic(ComputeInstanceTransforms)},
      {"ComputeJointTransforms", Generic(ComputeJointTransforms)},
      {"ComputeSkinnedPoints", Generic(ComputeSkinnedPoints)},
      {"ComputeTransforms", Generic(ComputeTransforms)},
      {"ComputeVisibility", Generic(ComputeVisibility)},
      {"ConvertLayer", Generic(ConvertLayer)},
      {"Drain", Generic(Drain)},
      {"EditStage", Generic(EditStage)},
      {"EvictCaches", Generic(EvictCaches)},
      {"Explain", Generic(Explain)},
      {"ExportSessionLayer", Generic(ExportSessionLayer)},
      {"FlattenStage", Generic(FlattenStage)},
      {"GenerateClipManifest", Generic(GenerateClipManifest)},
      {"GetBracketingTimeSamples", Generic(GetBracketingTimeSamples)},
      {"GetCacheStatistics", Generic(GetCacheStatistics)},
      {"GetPrim", Generic(GetPrim)},
      {"GetPrimvars", Generic(GetPrimvars)},
      {"GetConfig", Generic(GetConfig)},
      {"GetCapabilities", Generic(GetCapabilities)},
      {"GetServerStatistics", Generic(GetServerStatistics)},
      {"GetStage", Generic(GetStage)},
      {"ListCalls", Generic(ListCalls)},
      {"ListCollections", Generic(ListCollections)},
      {"ListDependencies", Generic(ListDependencies)},
      {"ListSkelBindings", Generic(ListSkelBindings)},
      {"ListStages", Generic(ListStages)},
      {"ListTimeSamples", Generic(ListTimeSamples)},
      {"LoadPrims", Generic(LoadPrims)},
      {"LocalizeStage", Generic(LocalizeStage)},
      {"MuteLayers", Generic(MuteLayers)},
      {"OpenStage", Generic(OpenStage)},
      {"PrefetchClips", Generic(PrefetchClips)},
      {"ReadLayer", Generic(ReadLayer)},
      {"ReloadConfig", Generic(ReloadConfig)},
      {"ReloadStage", Generic(ReloadStage)},
      {"RenewLease", Generic(RenewLease)},
      {"SampleValues", Generic(SampleValues)},
      {"WarmStage", Generic(WarmStage)},
      {"WatchStage", Generic(WatchStage)},
      {"SetLogLevel", Generic(SetLogLevel)},
      {"SetSessionLayer", Generic(SetSessionLayer)},
      {"StitchClips", Generic(StitchClips)},
      {"StreamTimeSamples", Generic(StreamTimeSamples)},
      {"StreamValues", Generic(StreamValues)},
      {"Traverse", Generic(Traverse)},
      {"UnloadPrims", Generic(UnloadPrims)},
      {"ValidateLayer", Generic(ValidateLayer)}};
  return *all;
}

}  // namespace

absl::Status CallHandler(const google::protobuf::MethodDescriptor& method, ServerState& state,
                         RequestContext& context, const std::string& request,
                         std::vector<std::string>* messages) {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(Handlers().at(method.name())(state, context, request, messages));
  return context.failed() ? context.Check() : absl::OkStatus();
}

}  // namespace stagedoor::server
