#include "resolver/http/fetch_exchange.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_message.h"

namespace stagedoor {
namespace {

constexpr std::string_view kEqualEtags =
    "the servers of one address must send equal ETags for equal bytes";

// The server's validator in a handle, whose first letter is its kind.
std::string ValidatorIn(const std::string& handle) {
  return Quoted(std::string_view(handle).substr(handle.empty() ? 0 : 1));
}

// The error for an error response: DATA_LOSS if the object with `info` has changed or is gone,
// otherwise `error`.
absl::Status FetchError(int status, const absl::Status& error, const ObjectInfo& info) {
  if (status == 404 || status == 410) return DataLossError("it was removed since it was opened");
  if (status == 412) {
    return DataLossError("it has changed since it was opened (its server no longer has ",
                         ValidatorIn(info.handle), "); ", kEqualEtags);
  }
  if (status == 416) return DataLossError("it has become shorter since it was opened");
  return error;
}

// DATA_LOSS if `found`, which a response described, is not the object with `info`; UNAVAILABLE if
// the response did not say.
absl::Status CheckVersion(const ObjectInfo& found, const ObjectInfo& info) {
  if (found.version == AssetVersion()) {
    return UnavailableError("the response has no ETag and no Last-Modified date");
  }
  if (found.version == info.version && found.size == info.size) return absl::OkStatus();
  return DataLossError("it has changed since it was opened (its server says ",
                       ValidatorIn(found.handle), ", and said ", ValidatorIn(info.handle),
                       " before); ", kEqualEtags);
}

}  // namespace

RangeDelivery::RangeDelivery(std::span<const ByteRange> ranges, const ObjectStore::Sink& sink)
    : ranges_(ranges.begin(), ranges.end()), sink_(sink), incomplete_(ranges.size()) {
  next_.reserve(ranges_.size());
  for (const ByteRange& range : ranges_) next_.push_back(range.offset);
}

absl::Status RangeDelivery::Deliver(uint64_t offset, std::string_view bytes) {
  for (size_t i = 0; i < ranges_.size(); ++i) SD_RETURN_IF_ERROR(Deliver(i, offset, bytes));
  return absl::OkStatus();
}

absl::Status RangeDelivery::Deliver(size_t index, uint64_t offset, std::string_view bytes) {
  uint64_t& next = next_[index];
  const uint64_t end = ranges_[index].end();
  const uint64_t stop = std::min(end, offset + bytes.size());
  if (next < offset || next >= stop) return absl::OkStatus();
  const std::string_view part =
      bytes.substr(static_cast<size_t>(next - offset), static_cast<size_t>(stop - next));
  sink_status_ = sink_(next, std::as_bytes(std::span(part.data(), part.size())));
  // As another error, because UNAVAILABLE would be retried.
  if (!sink_status_.ok()) return AbortedError("the bytes cannot be stored");
  next = stop;
  if (next == end) --incomplete_;
  return absl::OkStatus();
}

void FetchExchange::Prepare(HttpRequest* request) {
  if (piece_) {
    request->headers.push_back({"Range", Concat("bytes=", next_, "-", piece_->bytes.end() - 1)});
  } else {
    next_ = 0;
    whole_ = nullptr;
  }
  protocol().AddIfUnchanged(info_, request);
}

absl::StatusOr<HttpNext> FetchExchange::OnResponse(const HttpResponseHead& head) {
  SD_RETURN_IF_ERROR(CheckNotEncoded(head.headers));
  return head.status == 200 ? OnWhole(head) : OnPiece(head);
}

absl::StatusOr<HttpNext> FetchExchange::OnWhole(const HttpResponseHead& head) {
  if (!piece_ && IsVersionOfContent(info_.version)) {
    whole_ = std::make_shared<std::string>();
    return HttpNext::kContinue;
  }
  const auto length = head.headers.Find("Content-Length");
  const auto size = length ? ParseNumber<uint64_t>(*length) : std::nullopt;
  SD_RETURN_IF_ERROR(
      CheckVersion(protocol().Identify(head.headers, size.value_or(info_.size)), info_));
  if (!piece_) return HttpNext::kContinue;
  got_whole_ = true;
  return AbortedError("the server does not support ranges");
}

absl::StatusOr<HttpNext> FetchExchange::OnPiece(const HttpResponseHead& head) {
  const auto value = head.headers.Find("Content-Range");
  const auto range = value ? ParseContentRange(*value) : std::nullopt;
  if (range && range->total) {
    SD_RETURN_IF_ERROR(CheckVersion(protocol().Identify(head.headers, *range->total), info_));
  }
  if (!range || !range->total || !range->satisfied || range->first != next_ ||
      range->last != piece_->bytes.end() - 1) {
    return UnavailableError("the server sent another range than the one requested");
  }
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> FetchExchange::OnContent(std::string_view bytes) {
  if (piece_ && bytes.size() > piece_->bytes.end() - next_) {
    return UnavailableError("the response is longer than its header says");
  }
  if (!piece_ && bytes.size() > info_.size - next_) {
    return DataLossError("it has changed since it was opened");
  }
  if (whole_ != nullptr) {
    whole_->append(bytes);
  } else {
    SD_RETURN_IF_ERROR(piece_ ? delivery_->Deliver(piece_->index, next_, bytes)
                              : delivery_->Deliver(next_, bytes));
  }
  next_ += bytes.size();
  const bool done = !piece_ && whole_ == nullptr && delivery_->complete();
  return done ? HttpNext::kDone : HttpNext::kContinue;
}

absl::StatusOr<HttpNext> FetchExchange::OnComplete() {
  if (whole_ != nullptr) {
    if (!(VersionOfContent(*whole_) == info_.version)) {
      return DataLossError("it has changed since it was opened");
    }
    SD_RETURN_IF_ERROR(delivery_->Deliver(0, *whole_));
  }
  if (piece_ ? next_ != piece_->bytes.end() : !delivery_->complete()) {
    return UnavailableError("the response is shorter than its header says");
  }
  return HttpNext::kDone;
}

absl::StatusOr<HttpNext> FetchExchange::OnError(int status, const absl::Status& error) {
  return FetchError(status, error, info_);
}

}  // namespace stagedoor
