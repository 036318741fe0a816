#ifndef STAGEDOOR_RESOLVER_HTTP_WHOLE_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_WHOLE_EXCHANGE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "resolver/http/object_exchange.h"
#include "resolver/http/range_delivery.h"

namespace stagedoor {

// Fetches ranges of one version of an object from a server that does not support ranges: with one
// response, of which the rest is dropped. An object without validators is delivered only after all
// of it has arrived and was compared.
class WholeExchange final : public ObjectExchange {
 public:
  // `info` and `delivery` must outlive the exchange.
  WholeExchange(const HttpObjectProtocol& protocol, HttpRequest request, const ObjectInfo& info,
                RangeDelivery* delivery)
      : ObjectExchange(protocol, std::move(request)), info_(info), delivery_(delivery) {}

  // The content of an object without validators, once the exchange is done.
  const std::shared_ptr<std::string>& whole() const { return whole_; }

 protected:
  void Prepare(HttpRequest* request) override;
  bool Accepts(int status) const override { return status == 200; }
  absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) override;
  absl::StatusOr<HttpNext> OnContent(std::string_view bytes) override;
  absl::StatusOr<HttpNext> OnComplete() override;
  absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error) override;

 private:
  const ObjectInfo& info_;
  RangeDelivery* const delivery_;
  uint64_t position_ = 0;
  std::shared_ptr<std::string> whole_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_WHOLE_EXCHANGE_H_
