#include "resolver/http/range_exchange.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_fields.h"

namespace stagedoor {
namespace {

constexpr std::string_view kEqualEtags =
    "the servers of one address must send equal ETags for equal bytes";

// What the server said: a handle without the letter for its kind.
std::string ValidatorIn(const std::string& handle) {
  return Quoted(std::string_view(handle).substr(handle.empty() ? 0 : 1));
}

}  // namespace

absl::Status FetchError(int status, const absl::Status& error, const ObjectInfo& info) {
  if (status == 404 || status == 410) return DataLossError("it was removed since it was opened");
  if (status == 412) {
    return DataLossError("it has changed since it was opened (its server no longer has ",
                         ValidatorIn(info.handle), "); ", kEqualEtags);
  }
  if (status == 416) return DataLossError("it has become shorter since it was opened");
  return error;
}

absl::Status CheckVersion(const ObjectInfo& found, const ObjectInfo& info) {
  if (found.version == AssetVersion()) {
    return UnavailableError("the response has no ETag and no Last-Modified date");
  }
  if (found.version == info.version && found.size == info.size) return absl::OkStatus();
  return DataLossError("it has changed since it was opened (its server says ",
                       ValidatorIn(found.handle), ", and said ", ValidatorIn(info.handle),
                       " before); ", kEqualEtags);
}

void RangeExchange::Prepare(HttpRequest* request) {
  request->headers.push_back({"Range", Concat("bytes=", next_, "-", piece_.end() - 1)});
  protocol().AddIfUnchanged(info_, request);
}

absl::StatusOr<HttpNext> RangeExchange::OnResponse(const HttpResponseHead& head) {
  SD_RETURN_IF_ERROR(CheckNotEncoded(head.headers));
  if (head.status == 200) {
    const auto length = head.headers.Find("Content-Length");
    const auto size = length ? ParseNumber<uint64_t>(*length) : std::nullopt;
    SD_RETURN_IF_ERROR(
        CheckVersion(protocol().Identify(head.headers, size.value_or(info_.size)), info_));
    got_whole_ = true;
    return AbortedError("the server does not support ranges");
  }
  const auto value = head.headers.Find("Content-Range");
  const auto range = value ? ParseContentRange(*value) : std::nullopt;
  if (range && range->total) {
    SD_RETURN_IF_ERROR(CheckVersion(protocol().Identify(head.headers, *range->total), info_));
  }
  if (!range || !range->total || !range->satisfied || range->first != next_ ||
      range->last != piece_.end() - 1) {
    return UnavailableError("the server sent another range than the one requested");
  }
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> RangeExchange::OnContent(std::string_view bytes) {
  if (bytes.size() > piece_.end() - next_) {
    return UnavailableError("the response is longer than its header says");
  }
  SD_RETURN_IF_ERROR(delivery_->Deliver(index_, next_, bytes));
  next_ += bytes.size();
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> RangeExchange::OnComplete() {
  if (next_ != piece_.end()) {
    return UnavailableError("the response is shorter than its header says");
  }
  return HttpNext::kDone;
}

absl::StatusOr<HttpNext> RangeExchange::OnError(int status, const absl::Status& error) {
  return FetchError(status, error, info_);
}

}  // namespace stagedoor
