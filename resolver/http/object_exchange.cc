#include "resolver/http/object_exchange.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/request_notes.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

// Lets the origin know which trace the request belongs to (W3C Trace Context).
void AddTrace(HttpRequest& request) {
  RequestNotes* const notes = RequestNotes::Current();
  std::string parent = notes == nullptr ? std::string() : notes->TraceParent();
  if (!parent.empty()) request.headers.push_back({"traceparent", std::move(parent)});
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

}  // namespace stagedoor
