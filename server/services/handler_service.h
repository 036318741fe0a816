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

namespace stagedoor::server {

struct ServerState;

// A gRPC service whose methods call handler functions with the server's state. Requests with an
// enum number that the API does not define are rejected before they reach a handler
// (ValidateEnums), and those that name a path set get its paths (FillPaths).
class HandlerService final : public RpcService {
 public:
  // `admission` and `state` must outlive the service. `name` is the full name of the service.
  HandlerService(CallAdmission& admission, ServerState& state, std::string_view name)
      : RpcService(admission, name), state_(state) {}

  template <typename Request>
  using CanRunInline = std::function<bool(const std::type_identity_t<Request>&)>;

  // Adds a unary or a streaming method. `can_run_inline`: see RpcService::AddUnary.
  template <typename Request, typename Response>
  void Unary(std::string_view method, const MethodPolicy& policy,
             absl::Status (*handler)(ServerState&, RequestContext&, const Request&, Response*),
             CanRunInline<Request> can_run_inline = nullptr) {
    AddUnary<Request, Response>(
        method, policy,
        [this, handler](RequestContext& context, Request& request,
                        Response* response) -> absl::Status {
          SD_RETURN_IF_ERROR(ValidateEnums(request));
          SD_RETURN_IF_ERROR(FillPaths(state_, context, &request));
          return handler(state_, context, request, response);
        },
        std::move(can_run_inline));
  }

  template <typename Request, typename Messages>
  void Stream(std::string_view method, const MethodPolicy& policy,
              absl::StatusOr<Messages> (*handler)(ServerState&, RequestContext&, const Request&),
              CanRunInline<Request> can_run_inline = nullptr) {
    AddStream<Request>(
        method, policy,
        [this, handler](RequestContext& context, Request& request) -> absl::StatusOr<Messages> {
          SD_RETURN_IF_ERROR(ValidateEnums(request));
          SD_RETURN_IF_ERROR(FillPaths(state_, context, &request));
          return handler(state_, context, request);
        },
        std::move(can_run_inline));
  }

 private:
  ServerState& state_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SERVICES_HANDLER_SERVICE_H_
