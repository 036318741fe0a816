#include "resolver/http/http_store.h"

#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_object_protocol.h"
#include "resolver/http/http_object_store.h"

namespace stagedoor {
namespace {

class PlainHttpProtocol final : public HttpObjectProtocol {
 public:
  // `allowed` must outlive it.
  PlainHttpProtocol(const UrlAllowList& allowed, HttpLogins logins)
      : allowed_(allowed), logins_(std::move(logins)) {}

  absl::StatusOr<HttpRequest> MakeRequest(const std::string& path,
                                          const ObjectInfo*) const override {
    HttpRequest request;
    SD_ASSIGN_OR_RETURN(request.url, allowed_.Admit(path));
    if (request.url.scheme == "s3") {
      return InvalidArgumentError("cannot read ", Quoted(path), " over HTTP");
    }
    return request;
  }

  absl::Status Authorize(RequestContext&, HttpRequest& request) const override {
    SD_ASSIGN_OR_RETURN(std::optional<HttpHeader> login, logins_.HeaderFor(request.url));
    if (login) request.credentials.push_back(*std::move(login));
    return absl::OkStatus();
  }

  absl::Status ErrorOf(const HttpErrorResponse& response) const override {
    const absl::Status error = HttpStatusError(response.status);
    if (response.status != 401 || !response.request.credentials.empty()) return error;
    return PermissionDeniedError(Message(error),
                                 "; it wants a login, and --http-login has none for this URL");
  }

 private:
  const UrlAllowList& allowed_;
  const HttpLogins logins_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeHttpStore(HttpStoreOptions options) {
  const UrlAllowList& allowed = options.client->allowed_urls();
  return std::make_shared<const HttpObjectStore>(
      std::move(options.client),
      std::make_shared<const PlainHttpProtocol>(allowed, std::move(options.logins)));
}

}  // namespace stagedoor
