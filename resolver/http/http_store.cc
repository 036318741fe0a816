#include "resolver/http/http_store.h"

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
  explicit PlainHttpProtocol(const UrlAllowList& allowed) : allowed_(allowed) {}

  absl::StatusOr<HttpRequest> MakeRequest(const std::string& path,
                                          const ObjectInfo*) const override {
    HttpRequest request;
    SD_ASSIGN_OR_RETURN(request.url, allowed_.Admit(path));
    if (request.url.scheme == "s3") {
      return InvalidArgumentError("cannot read ", Quoted(path), " over HTTP");
    }
    return request;
  }

 private:
  const UrlAllowList& allowed_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const ObjectStore>> MakeHttpStore(HttpStoreOptions options) {
  const UrlAllowList& allowed = options.client->allowed_urls();
  return std::make_shared<const HttpObjectStore>(
      std::move(options.client), std::make_shared<const PlainHttpProtocol>(allowed));
}

}  // namespace stagedoor
