#include "resolver/http/object_exchange.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/http/http_message.h"

namespace stagedoor {
namespace {

// Lets the origin know which trace the request belongs to (W3C Trace Context).
void AddTrace(HttpRequest& request) {
  RequestNotes* const notes = RequestScope::Current().notes;
  std::string parent = notes == nullptr ? std::string() : notes->TraceParent();
  if (!parent.empty()) request.headers.push_back({"traceparent", std::move(parent)});
}

absl::Status TooLarge() {
  return InvalidArgumentError(
      "the server tells neither its ETag nor its Last-Modified date, and it has more than ",
      kMaxWholeBytes, " bytes; configure the server to send ETags");
}

}  // namespace

absl::StatusOr<HttpRequest> ObjectExchange::MakeRequest(RequestContext& context) {
  sent_ = request_;
  Prepare(&sent_);
  SD_RETURN_IF_ERROR(protocol_.Authorize(context, sent_));
  AddTrace(sent_);  // not signed, because proxies may replace it
  return sent_;
}

absl::StatusOr<HttpNext> ObjectExchange::OnHead(const HttpResponseHead& head) {
  error_status_ = 0;
  error_body_.clear();
  if (Accepts(head.status)) return OnResponse(head);
  error_status_ = head.status;
  error_headers_ = head.headers;
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> ObjectExchange::OnBody(std::string_view bytes) {
  if (error_status_ == 0) return OnContent(bytes);
  error_body_.append(bytes.substr(0, kMaxErrorBytes - error_body_.size()));
  if (error_body_.size() < kMaxErrorBytes) return HttpNext::kContinue;
  return HandleError();
}

absl::StatusOr<HttpNext> ObjectExchange::OnEnd() {
  return error_status_ == 0 ? OnComplete() : HandleError();
}

absl::StatusOr<HttpNext> ObjectExchange::HandleError() {
  const HttpErrorResponse response{sent_, error_status_, error_headers_, error_body_};
  if (!renewed_ && protocol_.RenewCredentials(response)) {
    renewed_ = true;
    return HttpNext::kAgain;
  }
  return OnError(error_status_, protocol_.ErrorOf(response));
}

absl::StatusOr<HttpNext> ObjectExchange::OnError(int, const absl::Status& error) { return error; }

InspectExchange::InspectExchange(const HttpObjectProtocol& protocol, HttpRequest request,
                                 const ObjectInfo* known, size_t head_bytes)
    : ObjectExchange(protocol, std::move(request)),
      known_(known),
      head_bytes_(head_bytes),
      mode_(head_bytes == 0 ? Mode::kHead : Mode::kRange) {}

void InspectExchange::Prepare(HttpRequest* request) {
  opened_ = {};
  not_modified_ = false;
  expected_ = 0;
  stop_early_ = false;
  whole_ = nullptr;
  request->head_only = mode_ == Mode::kHead;
  if (mode_ == Mode::kRange) {
    const uint64_t last = std::max<uint64_t>(head_bytes_, 1) - 1;
    request->headers.push_back({"Range", Concat("bytes=0-", last)});
  }
  if (known_ != nullptr) protocol().AddIfChanged(*known_, request);
}

bool InspectExchange::Accepts(int status) const {
  return status == 200 || (status == 206 && mode_ == Mode::kRange) ||
         (status == 416 && mode_ == Mode::kRange) || (status == 304 && known_ != nullptr);
}

absl::StatusOr<std::optional<uint64_t>> InspectExchange::SizeOf(
    const HttpResponseHead& head) const {
  if (head.status == 200) {
    const auto value = head.headers.Find("Content-Length");
    if (!value) return std::optional<uint64_t>();
    return ParseNumber<uint64_t>(*value);
  }
  const auto value = head.headers.Find("Content-Range");
  const auto range = value ? ParseContentRange(*value) : std::nullopt;
  const uint64_t wanted = std::max<uint64_t>(head_bytes_, 1);
  if (!range || !range->satisfied || range->first != 0 || range->last >= wanted ||
      (range->total && range->last + 1 != std::min(wanted, *range->total))) {
    return UnavailableError("the server sent another range than the one requested");
  }
  return range->total;
}

absl::StatusOr<HttpNext> InspectExchange::Again(Mode mode) {
  mode_ = mode;
  return HttpNext::kAgain;
}

absl::StatusOr<HttpNext> InspectExchange::OnResponse(const HttpResponseHead& head) {
  if (head.status == 304) {
    not_modified_ = true;
    return HttpNext::kContinue;
  }
  if (head.status == 416) return Again(Mode::kPlain);  // as some servers say of empty objects
  SD_RETURN_IF_ERROR(CheckNotEncoded(head.headers));
  SD_ASSIGN_OR_RETURN(const std::optional<uint64_t> size, SizeOf(head));
  // Some servers answer HEAD with a length of 0 for objects that they make on request.
  if (mode_ == Mode::kHead && size.value_or(0) == 0) return Again(Mode::kRange);
  if (size) opened_.info = protocol().Identify(head.headers, *size);
  if (!size || opened_.info.version == AssetVersion()) return ReadWhole(head);
  if (IsKnown()) return mode_ == Mode::kHead ? HttpNext::kContinue : HttpNext::kDone;
  expected_ = std::min<uint64_t>(head_bytes_, *size);
  stop_early_ = head.status == 200 && expected_ < *size;
  return stop_early_ && expected_ == 0 && mode_ != Mode::kHead ? HttpNext::kDone
                                                               : HttpNext::kContinue;
}

absl::StatusOr<HttpNext> InspectExchange::ReadWhole(const HttpResponseHead& head) {
  if (mode_ == Mode::kHead || head.status != 200) return Again(Mode::kWhole);
  headers_ = head.headers;
  whole_ = std::make_shared<std::string>();
  return HttpNext::kContinue;
}

absl::StatusOr<HttpNext> InspectExchange::OnContent(std::string_view bytes) {
  if (whole_ != nullptr) {
    if (bytes.size() > kMaxWholeBytes - whole_->size()) return TooLarge();
    whole_->append(bytes);
    return HttpNext::kContinue;
  }
  if (not_modified_ || head_bytes_ == 0) return HttpNext::kContinue;
  const uint64_t missing = expected_ - opened_.head.size();
  if (bytes.size() > missing && !stop_early_) {
    return UnavailableError("the response is longer than its header says");
  }
  opened_.head.append(bytes.substr(0, static_cast<size_t>(missing)));
  return stop_early_ && opened_.head.size() == expected_ ? HttpNext::kDone : HttpNext::kContinue;
}

absl::StatusOr<HttpNext> InspectExchange::OnComplete() {
  if (not_modified_) {
    opened_.info = *known_;
    return HttpNext::kDone;
  }
  if (whole_ != nullptr) {
    opened_.info = protocol().Identify(headers_, whole_->size());
    if (opened_.info.version == AssetVersion()) {
      opened_.info.version = VersionOfContent(*whole_);
    }
    if (!IsKnown()) opened_.head = whole_->substr(0, head_bytes_);
  } else if (mode_ != Mode::kHead && opened_.head.size() < expected_) {
    return UnavailableError("the response is shorter than its header says");
  }
  return HttpNext::kDone;
}

absl::StatusOr<HttpNext> InspectExchange::OnError(int status, const absl::Status& error) {
  // Servers may refuse HEAD only, and so does a URL that is signed for GET.
  if (mode_ == Mode::kHead && (status == 400 || status == 403 || status == 405 || status == 501)) {
    return Again(Mode::kRange);
  }
  return error;
}

}  // namespace stagedoor
