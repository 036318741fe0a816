#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_CALL_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_CALL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/access/url.h"
#include "resolver/access/url_allow_list.h"
#include "resolver/http/http_engine.h"
#include "resolver/http/http_exchange.h"
#include "resolver/http/http_transfer.h"

namespace stagedoor {

// Where the header "Location" of a response of `from` leads to. PERMISSION_DENIED if that is not in
// the allow-list, not HTTP, or http after https; INVALID_ARGUMENT if it is not a valid URL;
// ABORTED if it is `from` itself.
absl::StatusOr<Url> RedirectTarget(const Url& from, std::string_view location,
                                   const UrlAllowList& allowed);

// One call of HttpClient::Run: drives its exchanges through requests, redirects and retries on the
// caller's thread. Used once.
class HttpCall {
 public:
  static constexpr int kMaxRedirects = 5;

  // All must outlive the call.
  HttpCall(HttpEngine& engine, RequestContext& context, std::span<HttpExchange* const> exchanges);
  ~HttpCall();  // aborts what is still running
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;

  std::vector<absl::Status> Run(size_t max_parallel, bool stop_at_error);

 private:
  using Clock = RequestContext::Clock;
  enum class State { kNew, kWaiting, kRunning, kDone };

  // An exchange and its progress.
  struct Slot {
    HttpExchange* exchange = nullptr;
    State state = State::kNew;
    absl::Status result;
    Clock::time_point not_before;  // kWaiting: when the next attempt may start

    HttpRequest request;
    Url url;  // where the current request goes to, after redirects
    std::shared_ptr<HttpTransfer> transfer;
    HttpIoThread* thread = nullptr;  // that of the transfer
    int status = 0;                  // of the current response; 0 before its head
    std::optional<Url> redirect;     // where to go to once the current response is complete
    size_t redirect_body = 0;        // bytes of its body
    std::optional<HttpRetryPolicy::Duration> retry_after;

    int redirects = 0;
    int again = 0;      // requests that the exchange has added
    int attempts = 0;   // that failed
    int fruitless = 0;  // of them, since the last progress
    uint64_t progress = 0;
  };

  void StartDue(size_t max_parallel);
  void StartAttempt(Slot& slot);
  void StartTransfer(Slot& slot);
  // Handles what has arrived; false if nothing has.
  bool Advance(Slot& slot);
  void HandleHead(Slot& slot, const HttpResponseHead& head);
  void HandleBody(Slot& slot, std::string_view bytes);
  void HandleEnd(Slot& slot, const HttpTransfer::News& news);
  void HandleNext(Slot& slot, const absl::StatusOr<HttpNext>& next, bool ended);
  void Follow(Slot& slot);
  // Ends the attempt: with another one later if the error is UNAVAILABLE and retries are left.
  void Fail(Slot& slot, const absl::Status& error);
  void Finish(Slot& slot, absl::Status result);
  void Abort(Slot& slot);
  void FinishAll(const absl::Status& status);
  // Waits for news, after those that were there with `seen`.
  void Wait(uint64_t seen);
  uint64_t news_count() const;

  HttpEngine& engine_;
  RequestContext& context_;
  const std::shared_ptr<HttpTransferEvents> events_ = std::make_shared<HttpTransferEvents>();
  std::vector<Slot> slots_;
  // All slots before `begin_` are done; those from `end_` on have not been started.
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t unfinished_;
  bool failed_ = false;  // whether an exchange has ended with an error
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_CALL_H_
