#include "resolver/http/http_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/status.h"
#include "resolver/http/http_message.h"

namespace stagedoor {
namespace {

// Attempts of one exchange, even if each makes progress.
constexpr int kMaxAttempts = 16;
constexpr int kMaxAgain = 4;
// Reading the rest of a small response keeps the connection.
constexpr size_t kMaxRedirectBody = size_t{16} << 10;

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

absl::Status FailureError(const HttpTransfer::News& news, const HttpTransferSettings& settings) {
  switch (news.failure) {
    case HttpFailure::kResolve:
      return UnavailableError("the host name cannot be resolved");
    case HttpFailure::kConnect:
      return UnavailableError("cannot connect to the server");
    case HttpFailure::kForbidden:
      return PermissionDeniedError("the host has the address ", news.forbidden_address,
                                   ", which is not public; check --allow-network");
    case HttpFailure::kTls:
      return UnavailableError("cannot establish a secure connection to the server");
    case HttpFailure::kUntrusted:
      return FailedPreconditionError(
          "the server's certificate is not valid for it; check --ca-file and SSL_CERT_FILE");
    case HttpFailure::kTimeout:
      return UnavailableError("the server did not connect within ",
                              settings.connect_timeout.count(), " ms, or sent less than ",
                              settings.low_speed_bytes, " bytes/s for ",
                              settings.low_speed_time.count(), " s");
    case HttpFailure::kBroken:
      return UnavailableError("the server closed the connection before the response was complete");
    case HttpFailure::kMalformed:
      return AbortedError("the server's response is not valid HTTP, or its header is too large");
    case HttpFailure::kOutOfMemory:
      return ResourceExhaustedError("out of memory");
    case HttpFailure::kNone:
    case HttpFailure::kAborted:
    case HttpFailure::kOther:
      break;
  }
  return UnavailableError("the request failed in the HTTP library");
}

std::optional<HttpFailureKind> KindOf(HttpFailure failure) {
  switch (failure) {
    case HttpFailure::kResolve:
    case HttpFailure::kConnect:
      return HttpFailureKind::kConnect;
    case HttpFailure::kForbidden:
      return HttpFailureKind::kForbidden;
    case HttpFailure::kTls:
    case HttpFailure::kUntrusted:
      return HttpFailureKind::kTls;
    case HttpFailure::kTimeout:
      return HttpFailureKind::kTimeout;
    case HttpFailure::kBroken:
      return HttpFailureKind::kBroken;
    case HttpFailure::kMalformed:
    case HttpFailure::kOther:
      return HttpFailureKind::kInvalid;
    case HttpFailure::kNone:
    case HttpFailure::kAborted:
    case HttpFailure::kOutOfMemory:
      break;
  }
  return std::nullopt;
}

std::optional<HttpRetryPolicy::Duration> RetryAfter(const HttpResponseHead& head) {
  const auto value = head.headers.Find("Retry-After");
  if (!value) return std::nullopt;
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return ParseRetryAfter(*value, now);
}

}  // namespace

HttpCall::HttpCall(HttpEngine& engine, RequestContext& context,
                   std::span<HttpExchange* const> exchanges)
    : engine_(engine), context_(context), slots_(exchanges.size()), unfinished_(exchanges.size()) {
  for (size_t i = 0; i < exchanges.size(); ++i) slots_[i].exchange = exchanges[i];
}

HttpCall::~HttpCall() {
  for (Slot& slot : slots_) Abort(slot);
}

std::vector<absl::Status> HttpCall::Run(size_t max_parallel, bool stop_at_error) {
  while (unfinished_ > 0) {
    if (const absl::Status alive = context_.Check(); !alive.ok()) {
      FinishAll(alive);
      break;
    }
    const uint64_t seen = news_count();
    StartDue(max_parallel);
    bool worked = false;
    for (size_t i = begin_; i < end_; ++i) {
      Slot& slot = slots_[i];
      if (slot.state == State::kRunning && slot.exchange->ready()) worked |= Advance(slot);
      if (stop_at_error && failed_) break;
    }
    if (stop_at_error && failed_) FinishAll(CancelledError("another part of the request failed"));
    if (!worked && unfinished_ > 0) Wait(seen);
  }
  std::vector<absl::Status> results;
  results.reserve(slots_.size());
  for (Slot& slot : slots_) results.push_back(std::move(slot.result));
  return results;
}

uint64_t HttpCall::news_count() const {
  MutexLock lock(events_->mu);
  return events_->count;
}

void HttpCall::Wait(uint64_t seen) {
  MutexLock lock(events_->mu);
  // Also ends every few milliseconds, for delayed attempts.
  if (events_->count == seen) (void)CancellableWait(context_, events_->mu, events_->changed);
}

void HttpCall::StartDue(size_t max_parallel) {
  while (begin_ < end_ && slots_[begin_].state == State::kDone) ++begin_;
  const Clock::time_point now = Clock::now();
  size_t in_flight = 0;
  for (size_t i = begin_; i < slots_.size() && in_flight < max_parallel; ++i) {
    Slot& slot = slots_[i];
    if (slot.state == State::kNew || (slot.state == State::kWaiting && now >= slot.not_before)) {
      StartAttempt(slot);
    }
    if (slot.state != State::kDone) ++in_flight;
    end_ = std::max(end_, i + 1);
  }
}

void HttpCall::StartAttempt(Slot& slot) {
  absl::StatusOr<HttpRequest> request = slot.exchange->MakeRequest(context_);
  if (!request.ok()) {
    Fail(slot, request.status());
    return;
  }
  slot.request = *std::move(request);
  slot.url = slot.request.url;
  slot.redirects = 0;
  if (!slot.request.is_allowed_url && !engine_.allowed_urls.Allows(slot.url)) {
    Finish(slot, PermissionDeniedError("it is not below an allowed URL; check --allow-url"));
    return;
  }
  StartTransfer(slot);
}

void HttpCall::StartTransfer(Slot& slot) {
  slot.status = 0;
  slot.redirect.reset();
  slot.redirect_body = 0;
  slot.retry_after.reset();
  slot.state = State::kRunning;
  slot.transfer =
      std::make_shared<HttpTransfer>(events_, engine_.transfers, slot.request, slot.url);
  engine_.counters.requests.fetch_add(1, std::memory_order_relaxed);
  slot.thread = &engine_.ThreadFor(slot.url);
  slot.thread->Start(slot.transfer);
}

bool HttpCall::Advance(Slot& slot) {
  const std::shared_ptr<HttpTransfer> transfer = slot.transfer;
  const HttpTransfer::News news = transfer->Take();
  if (news.paused) slot.thread->Resume(transfer);
  engine_.counters.bytes_received.fetch_add(news.body.size(), std::memory_order_relaxed);
  engine_.counters.connections.fetch_add(static_cast<uint64_t>(news.connections),
                                         std::memory_order_relaxed);
  // Each step may replace the transfer or end the slot.
  const auto current = [&] { return slot.state == State::kRunning && slot.transfer == transfer; };
  if (news.head) HandleHead(slot, *news.head);
  if (!news.body.empty() && current()) HandleBody(slot, news.body);
  if (news.ended && current()) HandleEnd(slot, news);
  return news.head || !news.body.empty() || news.ended;
}

void HttpCall::HandleHead(Slot& slot, const HttpResponseHead& head) {
  slot.status = head.status;
  if (head.status == 429) engine_.counters.CountFailure(HttpFailureKind::kThrottled);
  if (head.status >= 500) engine_.counters.CountFailure(HttpFailureKind::kServerError);
  slot.retry_after = RetryAfter(head);
  const auto location = head.headers.Find("Location");
  if (IsRedirect(head.status) && location && !slot.request.is_allowed_url &&
      !slot.request.put_empty) {
    absl::StatusOr<Url> target = RedirectTarget(slot.url, *location, engine_.allowed_urls);
    if (target.ok() && slot.redirects == kMaxRedirects) {
      target = AbortedError("it redirects more than ", kMaxRedirects, " times");
    }
    if (!target.ok()) {
      engine_.counters.CountFailure(HttpFailureKind::kForbidden);
      Finish(slot, target.status());
      return;
    }
    slot.redirect = *std::move(target);
    return;
  }
  HandleNext(slot, slot.exchange->OnHead(head), /*ended=*/false);
}

void HttpCall::Follow(Slot& slot) {
  Abort(slot);
  ++slot.redirects;
  engine_.counters.redirects.fetch_add(1, std::memory_order_relaxed);
  slot.url = *std::move(slot.redirect);
  StartTransfer(slot);
}

void HttpCall::HandleBody(Slot& slot, std::string_view bytes) {
  if (slot.redirect) {
    slot.redirect_body += bytes.size();
    if (slot.redirect_body > kMaxRedirectBody) Follow(slot);
    return;
  }
  HandleNext(slot, slot.exchange->OnBody(bytes), /*ended=*/false);
}

void HttpCall::HandleEnd(Slot& slot, const HttpTransfer::News& news) {
  if (slot.redirect) {
    Follow(slot);
    return;
  }
  const bool broken = news.failure != HttpFailure::kNone;
  // An error response counts, even if it is truncated.
  if (!broken || (news.failure == HttpFailure::kBroken && slot.status >= 400)) {
    HandleNext(slot, slot.exchange->OnEnd(), /*ended=*/true);
    return;
  }
  if (const auto kind = KindOf(news.failure)) engine_.counters.CountFailure(*kind);
  Fail(slot, FailureError(news, *engine_.transfers));
}

void HttpCall::HandleNext(Slot& slot, const absl::StatusOr<HttpNext>& next, bool ended) {
  if (!next.ok()) {
    if (slot.status < 400) engine_.counters.CountFailure(HttpFailureKind::kInvalid);
    Fail(slot, next.status());
  } else if (*next == HttpNext::kAgain) {
    Abort(slot);
    if (++slot.again > kMaxAgain) {
      Fail(slot, AbortedError("the server's responses contradict each other"));
    } else {
      StartAttempt(slot);
    }
  } else if (*next == HttpNext::kDone || ended) {
    Finish(slot, absl::OkStatus());
  }
}

void HttpCall::Fail(Slot& slot, const absl::Status& error) {
  Abort(slot);
  ++slot.attempts;
  if (const uint64_t progress = slot.exchange->progress(); progress > slot.progress) {
    slot.progress = progress;
    slot.fruitless = 0;
  }
  ++slot.fruitless;
  const HttpRetryPolicy& policy = engine_.retry;
  if (error.code() != absl::StatusCode::kUnavailable) {
    Finish(slot, error);
    return;
  }
  const absl::Status last =
      slot.attempts == 1
          ? error
          : UnavailableError(Message(error), "; ", slot.attempts, " attempts failed");
  if (slot.fruitless >= policy.attempts || slot.attempts >= kMaxAttempts) {
    Finish(slot, last);
    return;
  }
  HttpRetryPolicy::Duration delay = policy.Delay(slot.fruitless, slot.retry_after);
  if (policy.wait) delay = policy.wait(delay);
  slot.not_before = Clock::now() + delay;
  // An error now says more than an expired deadline later.
  if (slot.not_before >= context_.deadline()) {
    Finish(slot, last);
    return;
  }
  engine_.counters.retries.fetch_add(1, std::memory_order_relaxed);
  slot.state = State::kWaiting;
}

void HttpCall::Finish(Slot& slot, absl::Status result) {
  Abort(slot);
  failed_ |= !result.ok();
  slot.result = std::move(result);
  slot.state = State::kDone;
  --unfinished_;
}

void HttpCall::Abort(Slot& slot) {
  if (slot.transfer == nullptr) return;
  slot.thread->Abort(*slot.transfer);
  slot.transfer = nullptr;
}

void HttpCall::FinishAll(const absl::Status& status) {
  for (Slot& slot : slots_) {
    if (slot.state != State::kDone) Finish(slot, status);
  }
}

absl::StatusOr<Url> RedirectTarget(const Url& from, std::string_view location,
                                   const UrlAllowList& allowed) {
  absl::StatusOr<Url> target = ParseUrlReference(from, location);
  if (!target.ok()) return Annotate(target.status(), "the server's redirect is not valid");
  if (target->scheme == "s3") {
    return PermissionDeniedError("it redirects to ", Quoted(target->Display()),
                                 ", which is not an HTTP URL");
  }
  if (from.scheme == "https" && target->scheme == "http") {
    return PermissionDeniedError("it redirects from https to ", Quoted(target->Display()),
                                 ", which is not secure");
  }
  if (!allowed.Allows(*target)) {
    return PermissionDeniedError("it redirects to ", Quoted(target->Display()),
                                 ", which is not below an allowed URL; check --allow-url");
  }
  if (*target == from) return AbortedError("it redirects to itself");
  return target;
}

}  // namespace stagedoor
