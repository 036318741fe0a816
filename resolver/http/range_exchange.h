#ifndef STAGEDOOR_RESOLVER_HTTP_RANGE_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_RANGE_EXCHANGE_H_

#include <cstddef>
#include <cstdint>

#include "resolver/http/object_exchange.h"
#include "resolver/http/range_delivery.h"

namespace stagedoor {

// Fetches a piece of a range of one version of an object. Continues a broken transfer where it
// stopped. Every response must be of that version, and hold exactly the bytes requested.
class RangeExchange final : public ObjectExchange {
 public:
  // `info` and `delivery` must outlive the exchange. `piece` is a part of the range `index`.
  RangeExchange(const HttpObjectProtocol& protocol, HttpRequest request, const ObjectInfo& info,
                ByteRange piece, size_t index, RangeDelivery* delivery)
      : ObjectExchange(protocol, std::move(request)),
        info_(info),
        piece_(piece),
        index_(index),
        delivery_(delivery),
        next_(piece.offset) {}

  // Whether the server has ignored the range and sent the whole object (of the right version); then
  // the exchange has failed.
  bool got_whole() const { return got_whole_; }

  // Pieces of a range are delivered in order.
  bool ready() const override { return delivery_->next(index_) >= next_; }
  uint64_t progress() const override { return next_ - piece_.offset; }

 protected:
  void Prepare(HttpRequest* request) override;
  bool Accepts(int status) const override { return status == 200 || status == 206; }
  absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) override;
  absl::StatusOr<HttpNext> OnContent(std::string_view bytes) override;
  absl::StatusOr<HttpNext> OnComplete() override;
  absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error) override;

 private:
  const ObjectInfo& info_;
  const ByteRange piece_;
  const size_t index_;
  RangeDelivery* const delivery_;
  uint64_t next_;  // offset of the next byte
  bool got_whole_ = false;
};

// The error of a fetch of the object with `info` for an error response: DATA_LOSS if the object has
// changed or is gone, otherwise `error`.
absl::Status FetchError(int status, const absl::Status& error, const ObjectInfo& info);

// DATA_LOSS if `found`, which a response described, is not the object with `info`; UNAVAILABLE if
// the response did not say.
absl::Status CheckVersion(const ObjectInfo& found, const ObjectInfo& info);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_RANGE_EXCHANGE_H_
