// The function of the C interface for all other calls about a stage.
#include <climits>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

using Caller = absl::StatusOr<sd_messages> (*)(const Stage& stage, std::string_view request,
                                               const CallOptions& call);

template <typename Request>
absl::StatusOr<Request> Parse(std::string_view bytes) {
  Request request;
  if (bytes.size() > INT_MAX ||
      !request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgumentError("the request is not a ", request.GetTypeName());
  }
  return request;
}

template <typename Request, typename Response>
absl::StatusOr<sd_messages> Send(const Stage& stage,
                                 absl::StatusOr<Response> (Client::*method)(const Request&,
                                                                            const CallOptions&),
                                 std::string_view bytes, const CallOptions& call) {
  absl::StatusOr<Request> request = Parse<Request>(bytes);
  if (!request.ok()) return request.status();
  const absl::StatusOr<Response> reply = stage.Call(method, *std::move(request), call);
  if (!reply.ok()) return reply.status();
  return sd_messages{{reply->SerializeAsString()}};
}

template <typename Request, typename Response>
absl::StatusOr<sd_messages> Send(const Stage& stage,
                                 absl::Status (Client::*method)(const Request&,
                                                                const Client::Sink<Response>&,
                                                                const CallOptions&),
                                 std::string_view bytes, const CallOptions& call) {
  absl::StatusOr<Request> request = Parse<Request>(bytes);
  if (!request.ok()) return request.status();
  sd_messages all;
  absl::Status status = stage.Collect(
      method, *std::move(request), [&] { all.messages.clear(); },
      [&](const Response& part) {
        all.messages.push_back(part.SerializeAsString());
        return absl::OkStatus();
      },
      call);
  if (!status.ok()) return status;
  return all;
}

struct Method {
  std::string_view name;
  Caller caller;
};

// The calls that read a stage and end by themselves. Edits are not among them, because a stage that
// was edited past its session could not be opened again as it was.
#define STAGEDOOR_METHOD(name)                                                               \
  {                                                                                          \
#name, [](const Stage& stage, std::string_view request,                                  \
              const CallOptions& call) { return Send(stage, &Client::name, request, call); } \
  }
constexpr Method kMethods[] = {
    STAGEDOOR_METHOD(BatchGetValues),
    STAGEDOOR_METHOD(ComputeBoundMaterials),
    STAGEDOOR_METHOD(ComputeBounds),
    STAGEDOOR_METHOD(ComputeCameras),
    STAGEDOOR_METHOD(ComputeCollisionGroups),
    STAGEDOOR_METHOD(ComputeColorSpaces),
    STAGEDOOR_METHOD(ComputeCoordSysBindings),
    STAGEDOOR_METHOD(ComputeInstanceTransforms),
    STAGEDOOR_METHOD(ComputeJointTransforms),
    STAGEDOOR_METHOD(ComputeLabels),
    STAGEDOOR_METHOD(ComputeLevelsOfDetail),
    STAGEDOOR_METHOD(ComputeLightSets),
    STAGEDOOR_METHOD(ComputeMassProperties),
    STAGEDOOR_METHOD(ComputeMaterialNetworks),
    STAGEDOOR_METHOD(ComputeMembership),
    STAGEDOOR_METHOD(ComputeModels),
    STAGEDOOR_METHOD(ComputePoints),
    STAGEDOOR_METHOD(ComputeRenderPasses),
    STAGEDOOR_METHOD(ComputeRenderSettings),
    STAGEDOOR_METHOD(ComputeSkinnedPoints),
    STAGEDOOR_METHOD(ComputeSkinning),
    STAGEDOOR_METHOD(ComputeStageStatistics),
    STAGEDOOR_METHOD(ComputeSubsets),
    STAGEDOOR_METHOD(ComputeTopology),
    STAGEDOOR_METHOD(ComputeTransforms),
    STAGEDOOR_METHOD(ComputeVisibility),
    STAGEDOOR_METHOD(ComputeVolumeFields),
    STAGEDOOR_METHOD(Explain),
    STAGEDOOR_METHOD(ExplainBinding),
    STAGEDOOR_METHOD(ExplainLightLink),
    STAGEDOOR_METHOD(FlattenStage),
    STAGEDOOR_METHOD(GetBracketingTimeSamples),
    STAGEDOOR_METHOD(GetPrim),
    STAGEDOOR_METHOD(GetPrimvars),
    STAGEDOOR_METHOD(GetStage),
    STAGEDOOR_METHOD(ListCollections),
    STAGEDOOR_METHOD(ListDependencies),
    STAGEDOOR_METHOD(ListLights),
    STAGEDOOR_METHOD(ListSkelBindings),
    STAGEDOOR_METHOD(ListTimeSamples),
    STAGEDOOR_METHOD(SampleValues),
    STAGEDOOR_METHOD(StreamTimeSamples),
    STAGEDOOR_METHOD(StreamValues),
    STAGEDOOR_METHOD(Traverse),
};
#undef STAGEDOOR_METHOD

absl::StatusOr<sd_messages> CallNamed(const Stage& stage, std::string_view name,
                                      std::string_view request, const CallOptions& call) {
  for (const Method& method : kMethods) {
    if (method.name == name) return method.caller(stage, request, call);
  }
  return absl::UnimplementedError(
      Concat(Quoted(name), " is not a call that reads a stage; sd_call makes no other calls"));
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_call(sd_stage* stage, const char* method, const void* request, size_t request_size,
                const sd_call_options* call, sd_messages** out, sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (method == nullptr) return sdk::ReportNull("method", error);
  if (request == nullptr && request_size != 0) return sdk::ReportNull("request", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  const std::string_view bytes(static_cast<const char*>(request), request_size);
  return sdk::Return(sdk::CallNamed(stage->stage, method, bytes, sdk::CallOptionsOf(call)), out,
                     error);
}

size_t sd_messages_count(const sd_messages* messages) {
  return messages == nullptr ? 0 : messages->messages.size();
}

const void* sd_messages_data(const sd_messages* messages, size_t index, size_t* size) {
  if (size != nullptr) *size = 0;
  if (index >= sd_messages_count(messages)) return nullptr;
  const std::string& message = messages->messages[index];
  if (size != nullptr) *size = message.size();
  return message.data();
}
