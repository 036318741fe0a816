#ifndef STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "resolver/http/http_exchange.h"
#include "resolver/http/http_object_protocol.h"

namespace stagedoor {

// An exchange about one object: what all of them do with credentials and error responses.
class ObjectExchange : public HttpExchange {
 public:
  static constexpr size_t kMaxErrorBytes = size_t{16} << 10;

  // `protocol` must outlive the exchange. `request` is what it made for the object.
  ObjectExchange(const HttpObjectProtocol& protocol, HttpRequest request)
      : protocol_(protocol), request_(std::move(request)) {}

  absl::StatusOr<HttpRequest> MakeRequest(RequestContext& context) final;
  absl::StatusOr<HttpNext> OnHead(const HttpResponseHead& head) final;
  absl::StatusOr<HttpNext> OnBody(std::string_view bytes) final;
  absl::StatusOr<HttpNext> OnEnd() final;

 protected:
  const HttpObjectProtocol& protocol() const { return protocol_; }

  // Adds range and conditions to the request for the object, and forgets a failed attempt.
  virtual void Prepare(HttpRequest* request) = 0;
  // Whether a status is an answer; others are errors.
  virtual bool Accepts(int status) const = 0;
  // As for HttpExchange, for accepted responses.
  virtual absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) = 0;
  virtual absl::StatusOr<HttpNext> OnContent(std::string_view bytes) = 0;
  virtual absl::StatusOr<HttpNext> OnComplete() = 0;
  // Handles an error response, and returns the next step.
  virtual absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error);

 private:
  absl::StatusOr<HttpNext> HandleError();

  const HttpObjectProtocol& protocol_;
  const HttpRequest request_;
  HttpRequest sent_;
  bool renewed_ = false;
  int error_status_ = 0;
  HttpHeaders error_headers_;
  std::string error_body_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_OBJECT_EXCHANGE_H_
