#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_PROTOCOL_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_PROTOCOL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/http/http_client.h"
#include "resolver/http/http_message.h"
#include "resolver/http/http_validators.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// A response with an error status.
struct HttpErrorResponse {
  const HttpRequest& request;  // as it was sent
  int status = 0;
  const HttpHeaders& headers;
  std::string_view body;  // its beginning
};

// How one kind of store offers objects over HTTP: what HttpObjectStore does not know of plain
// servers and of S3. Thread-safe.
class HttpObjectProtocol {
 public:
  virtual ~HttpObjectProtocol() = default;

  // A GET request for an object, without range and credentials; for the version that `info`
  // describes if there is one and the store keeps versions. Errors name the path:
  // INVALID_ARGUMENT, or PERMISSION_DENIED if the operator does not allow it.
  virtual absl::StatusOr<HttpRequest> MakeRequest(const std::string& path,
                                                  const ObjectInfo* info) const = 0;

  // Adds credentials to a request that is otherwise complete. Called for every attempt.
  virtual absl::Status Authorize(RequestContext&, HttpRequest&) const { return absl::OkStatus(); }

  // The object of a response to a successful request. Its version is empty if nothing tells it.
  virtual ObjectInfo Identify(const HttpHeaders& headers, uint64_t size) const {
    return IdentifyByValidators(headers, size);
  }

  // Adds conditions to a request.
  virtual void AddIfChanged(const ObjectInfo& known, HttpRequest* request) const {
    stagedoor::AddIfChanged(known, request);
  }
  virtual void AddIfUnchanged(const ObjectInfo& info, HttpRequest* request) const {
    stagedoor::AddIfUnchanged(info, request);
  }

  // The error that a response states. FAILED_PRECONDITION if the configuration is the reason.
  virtual absl::Status ErrorOf(const HttpErrorResponse& response) const {
    return HttpStatusError(response.status);
  }

  // Whether the response says that the credentials have expired. They were renewed then, so that
  // the request should be made again.
  virtual bool RenewCredentials(const HttpErrorResponse& /*response*/) const { return false; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_PROTOCOL_H_
