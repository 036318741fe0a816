#include "resolver/http/whole_exchange.h"

#include <optional>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/range_exchange.h"

namespace stagedoor {

void WholeExchange::Prepare(HttpRequest* request) {
  position_ = 0;
  whole_ = nullptr;
  protocol().AddIfUnchanged(info_, request);
}

absl::StatusOr<HttpNext> WholeExchange::OnResponse(const HttpResponseHead& head) {
  SD_RETURN_IF_ERROR(CheckNotEncoded(head.headers));
  if (IsVersionOfContent(info_.version)) {
    whole_ = std::make_shared<std::string>();
    return HttpNext::kContinue;
  }
  const auto length = head.headers.Find("Content-Length");
  const auto size = length ? ParseNumber<uint64_t>(*length) : std::nullopt;
  SD_RETURN_IF_ERROR(
      CheckVersion(protocol().Identify(head.headers, size.value_or(info_.size)), info_));
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> WholeExchange::OnContent(std::string_view bytes) {
  if (bytes.size() > info_.size - position_) {
    return DataLossError("it has changed since it was opened");
  }
  const uint64_t offset = position_;
  position_ += bytes.size();
  if (whole_ != nullptr) {
    whole_->append(bytes);
    return HttpNext::kContinue;
  }
  SD_RETURN_IF_ERROR(delivery_->Deliver(offset, bytes));
  return delivery_->complete() ? HttpNext::kDone : HttpNext::kContinue;
}

absl::StatusOr<HttpNext> WholeExchange::OnComplete() {
  if (whole_ != nullptr) {
    if (!(VersionOfContent(*whole_) == info_.version)) {
      return DataLossError("it has changed since it was opened");
    }
    SD_RETURN_IF_ERROR(delivery_->Deliver(0, *whole_));
  }
  if (!delivery_->complete()) {
    return UnavailableError("the response is shorter than its header says");
  }
  return HttpNext::kDone;
}

absl::StatusOr<HttpNext> WholeExchange::OnError(int status, const absl::Status& error) {
  return FetchError(status, error, info_);
}

}  // namespace stagedoor
