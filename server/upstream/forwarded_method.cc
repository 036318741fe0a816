#include "server/upstream/forwarded_method.h"

#include <google/protobuf/descriptor.h>

#include <string_view>
#include <utility>

#include "base/strings.h"
#include "server/services/methods.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {
namespace {

ForwardKind KindOf(std::string_view service, std::string_view method, RpcGroup group) {
  if (group == RpcGroup::kEdit) return ForwardKind::kEdit;
  if (method == "OpenStage") return ForwardKind::kOpen;
  if (method == "RenewLease") return ForwardKind::kRenew;
  if (method == "CloseStage") return ForwardKind::kClose;
  if (method == "GetStage") return ForwardKind::kGetStage;
  if (method == "GetCapabilities") return ForwardKind::kDescribe;
  // The others concern leases and sessions, assets by their names, or what the daemon keeps.
  for (const char* const other :
       {"StagesService", "SessionsService", "LayersService", "CacheService"}) {
    if (service == other) return ForwardKind::kPass;
  }
  return method == "DefinePaths" ? ForwardKind::kPass : ForwardKind::kQuery;
}

// An empty reply of a method, which is in the file of its request.
const google::protobuf::Message* ResponseOf(const google::protobuf::Message& request,
                                            std::string_view service, std::string_view method) {
  const auto* const described = request.GetDescriptor()->file()->pool()->FindMethodByName(
      Concat("stagedoor.v1.", service, ".", method));
  return google::protobuf::MessageFactory::generated_factory()->GetPrototype(
      described->output_type());
}

const google::protobuf::FieldDescriptor* StageFieldOf(const google::protobuf::Message& request) {
  const auto* const field = request.GetDescriptor()->FindFieldByName("stage");
  const bool is_stage = field != nullptr && field->message_type() == v1::StageRef::descriptor();
  return is_stage ? field : nullptr;
}

// Takes the methods of one service: see methods.h.
class MethodCollector {
 public:
  MethodCollector(std::string_view service, std::vector<ForwardedMethod>* methods)
      : service_(service), methods_(methods) {}

  template <typename State, typename Request, typename Response, typename... Light>
  void Unary(std::string_view method, const MethodPolicy& policy,
             absl::Status (*)(const State&, RequestContext&, const Request&, Response*),
             const Light&...) {
    Add(method, policy, false, Request::default_instance());
  }
  template <typename State, typename Request, typename Messages, typename... Light>
  void Stream(std::string_view method, const MethodPolicy& policy,
              absl::StatusOr<Messages> (*)(const State&, RequestContext&, const Request&),
              const Light&...) {
    Add(method, policy, true, Request::default_instance());
  }

 private:
  void Add(std::string_view method, const MethodPolicy& policy, bool streams,
           const google::protobuf::Message& request) {
    if (method == "GetCacheStatistics" || method == "GetServerStatistics") return;
    methods_->push_back({.path = Concat("/stagedoor.v1.", service_, "/", method),
                         .policy = policy,
                         .kind = KindOf(service_, method, policy.group),
                         .streams = streams,
                         .watches = method == "WatchStage",
                         .request = &request,
                         .stage_field = StageFieldOf(request),
                         .response = ResponseOf(request, service_, method)});
  }

  const std::string_view service_;
  std::vector<ForwardedMethod>* const methods_;
};

}  // namespace

std::vector<ForwardedMethod> ForwardedMethods() {
  std::vector<ForwardedMethod> methods;
  const auto of = [&methods](std::string_view service) {
    return MethodCollector(service, &methods);
  };
  const auto add = [](MethodCollector collector, auto add_methods) { add_methods(collector); };
  add(of("StagesService"), AddStagesMethods<MethodCollector>);
  add(of("SessionsService"), AddSessionsMethods<MethodCollector>);
  add(of("QueryService"), AddQueryMethods<MethodCollector>);
  add(of("LayersService"), AddLayersMethods<MethodCollector>);
  add(of("CacheService"), AddCacheMethods<MethodCollector>);
  add(of("GeomService"), AddGeomMethods<MethodCollector>);
  add(of("ShadeService"), AddShadeMethods<MethodCollector>);
  add(of("LuxService"), AddLuxMethods<MethodCollector>);
  add(of("PhysicsService"), AddPhysicsMethods<MethodCollector>);
  add(of("RenderService"), AddRenderMethods<MethodCollector>);
  add(of("SkelService"), AddSkelMethods<MethodCollector>);
  add(of("FrameService"), AddFrameMethods<MethodCollector>);
  add(of("ServerService"), AddServerMethods<MethodCollector>);
  return methods;
}

}  // namespace stagedoor::server
