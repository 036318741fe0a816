#ifndef STAGEDOOR_SERVER_SERVICES_HANDLER_SERVICE_H_
#define STAGEDOOR_SERVER_SERVICES_HANDLER_SERVICE_H_

#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "server/handlers/path_sets.h"
#include "server/rpc/rpc_service.h"
#include "server/services/enum_validator.h"
#include "server/services/server_state.h"

namespace stagedoor::server {

// A gRPC service whose methods call handler functions with their part of the server's state.
// Requests with an enum number that the API does not define are rejected before they reach a
// handler (ValidateEnums), and those that name a path set get its paths (FillPaths).
class HandlerService final : public RpcService {
 public:
  // `admission` and `state` must outlive the service. `name` is the full name of the service.
  HandlerService(CallAdmission& admission, const ServerState& state, std::string_view name)
      : RpcService(admission, name),
        state_(state),
        path_sets_(state.Get<PathSetState>().path_sets) {}

  template <typename Request>
  using CanRunInline = std::function<bool(const std::type_identity_t<Request>&)>;

  // Adds a unary or a streaming method. `can_run_inline`: see RpcService::AddUnary.
  template <typename State, typename Request, typename Response>
  void Unary(std::string_view method, const MethodPolicy& policy,
             absl::Status (*handler)(const State&, RequestContext&, const Request&, Response*),
             CanRunInline<Request> can_run_inline = nullptr) {
    AddUnary<Request, Response>(
        method, policy,
        [this, handler, &state = state_.Get<State>()](RequestContext& context, Request& request,
                                                      Response* response) -> absl::Status {
          SD_RETURN_IF_ERROR(ValidateEnums(request));
          SD_RETURN_IF_ERROR(FillPaths(path_sets_, context, &request));
          return handler(state, context, request, response);
        },
        std::move(can_run_inline));
  }

  template <typename State, typename Request, typename Messages>
  void Stream(std::string_view method, const MethodPolicy& policy,
              absl::StatusOr<Messages> (*handler)(const State&, RequestContext&, const Request&),
              CanRunInline<Request> can_run_inline = nullptr) {
    AddStream<Request>(
        method, policy,
        [this, handler, &state = state_.Get<State>()](
            RequestContext& context, Request& request) -> absl::StatusOr<Messages> {
          SD_RETURN_IF_ERROR(ValidateEnums(request));
          SD_RETURN_IF_ERROR(FillPaths(path_sets_, context, &request));
          return handler(state, context, request);
        },
        std::move(can_run_inline));
  }

 private:
  const ServerState& state_;
  PathSetStore& path_sets_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_HANDLER_SERVICE_H_
