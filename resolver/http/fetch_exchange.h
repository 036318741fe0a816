#ifndef STAGEDOOR_RESOLVER_HTTP_FETCH_EXCHANGE_H_
#define STAGEDOOR_RESOLVER_HTTP_FETCH_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "resolver/http/object_exchange.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// Passes the bytes of ranges to the sink of a fetch: each byte once, and those of a range in
// order, from whichever responses they come. For one thread.
class RangeDelivery {
 public:
  // `sink` must outlive it.
  RangeDelivery(std::span<const ByteRange> ranges, const ObjectStore::Sink& sink);

  size_t size() const { return next_.size(); }
  const ByteRange& range(size_t index) const { return ranges_[index]; }
  // The offset of the next byte that the range needs; its end if it is complete.
  uint64_t next(size_t index) const { return next_[index]; }
  bool complete() const { return incomplete_ == 0; }

  // Delivers what each range needs next of some bytes of the object. An error, ABORTED, means that
  // the sink has failed; see sink_status().
  absl::Status Deliver(uint64_t offset, std::string_view bytes);
  // As Deliver, for one of the ranges.
  absl::Status Deliver(size_t index, uint64_t offset, std::string_view bytes);

  const absl::Status& sink_status() const { return sink_status_; }

 private:
  const std::vector<ByteRange> ranges_;
  const ObjectStore::Sink& sink_;
  std::vector<uint64_t> next_;
  size_t incomplete_;
  absl::Status sink_status_;
};

// Fetches bytes of one version of an object: a piece of a range or, from a server that does not
// support ranges, all ranges with one response, of which the rest is dropped. Every response must
// be of that version.
//
// A piece continues a broken transfer where it stopped, and each response must hold exactly the
// bytes requested. An object without validators is delivered only after all of it has arrived and
// was compared.
class FetchExchange final : public ObjectExchange {
 public:
  // A part of the range `index` of the delivery.
  struct Piece {
    ByteRange bytes;
    size_t index;
  };

  // `info` and `delivery` must outlive the exchange. Without a piece, all ranges are fetched.
  FetchExchange(const HttpObjectProtocol& protocol, HttpRequest request, const ObjectInfo& info,
                std::optional<Piece> piece, RangeDelivery* delivery)
      : ObjectExchange(protocol, std::move(request)),
        info_(info),
        piece_(piece),
        delivery_(delivery),
        next_(piece ? piece->bytes.offset : 0) {}

  // Whether the server has ignored the range of a piece and sent the whole object (of the right
  // version); then the exchange has failed.
  bool got_whole() const { return got_whole_; }
  // The content of an object without validators, once the exchange is done.
  const std::shared_ptr<std::string>& whole() const { return whole_; }

  // Pieces of a range are delivered in order.
  bool ready() const override { return !piece_ || delivery_->next(piece_->index) >= next_; }
  uint64_t progress() const override { return piece_ ? next_ - piece_->bytes.offset : 0; }

 protected:
  void Prepare(HttpRequest* request) override;
  bool Accepts(int status) const override { return status == 200 || (status == 206 && piece_); }
  absl::StatusOr<HttpNext> OnResponse(const HttpResponseHead& head) override;
  absl::StatusOr<HttpNext> OnContent(std::string_view bytes) override;
  absl::StatusOr<HttpNext> OnComplete() override;
  absl::StatusOr<HttpNext> OnError(int status, const absl::Status& error) override;

 private:
  absl::StatusOr<HttpNext> OnWhole(const HttpResponseHead& head);
  absl::StatusOr<HttpNext> OnPiece(const HttpResponseHead& head);

  const ObjectInfo& info_;
  const std::optional<Piece> piece_;
  RangeDelivery* const delivery_;
  uint64_t next_;  // offset of the next byte
  bool got_whole_ = false;
  std::shared_ptr<std::string> whole_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_FETCH_EXCHANGE_H_
