#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_TRANSFER_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_TRANSFER_H_

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "resolver/access/network_policy.h"
#include "resolver/http/http_message.h"

namespace stagedoor {

// Why a transfer ended without a complete response.
enum class HttpFailure {
  kNone,
  kResolve,    // the host name has no address
  kConnect,    // refused, unreachable or too slow
  kForbidden,  // the network policy does not allow the address
  kTls,        // no secure connection
  kUntrusted,  // the certificate is not valid
  kTimeout,    // the server sends too slowly
  kBroken,     // reset, or ended before the response was complete
  kMalformed,  // not HTTP, or its header is too large
  kAborted,    // by us
  kOutOfMemory,
  kOther,
};

// The settings that all transfers of a client share.
struct HttpTransferSettings {
  NetworkPolicy network;
  std::string proxy;    // URL, may have a user name and password; empty for none
  std::string ca_file;  // empty for that of SSL_CERT_FILE, or else of the system
  std::chrono::milliseconds connect_timeout{5000};
  // A transfer with fewer bytes a second, over so long a time, is given up.
  long low_speed_bytes = 1024;
  std::chrono::seconds low_speed_time{10};
  // Bytes that wait for the caller before the transfer is paused. At least as large as the ranges
  // of which several are fetched at once.
  size_t max_waiting_bytes = size_t{2} << 20;
};

// Wakes a caller who waits for one of several transfers.
struct HttpTransferEvents {
  Mutex mu;
  CondVar changed;
  uint64_t count ABSL_GUARDED_BY(mu) = 0;
};

// One request and its response, without redirects and retries, as a handle of libcurl. Its
// callbacks run on an HttpIoThread and leave what arrives for the caller, who takes it with Take.
class HttpTransfer {
 public:
  // `events` is notified when something arrives. `url` is where the request goes to; credentials
  // are only sent if its origin is that of `request.url`.
  HttpTransfer(std::shared_ptr<HttpTransferEvents> events,
               std::shared_ptr<const HttpTransferSettings> settings, const HttpRequest& request,
               const Url& url);
  ~HttpTransfer();
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  // The part of a response that has arrived since the last call.
  struct News {
    std::optional<HttpResponseHead> head;  // the final one, not an interim response
    std::string body;
    bool paused = false;  // must be resumed by its HttpIoThread
    bool ended = false;
    HttpFailure failure = HttpFailure::kNone;
    std::string forbidden_address;
    long connections = 0;  // that were opened
  };
  News Take();

  // Asks its HttpIoThread to end it.
  void RequestAbort() { abort_requested_.store(true, std::memory_order_release); }

  // ---- For HttpIoThread. ----
  CURL* handle() const { return handle_.get(); }
  bool abort_requested() const { return abort_requested_.load(std::memory_order_acquire); }
  void OnEnd(CURLcode result);

 private:
  struct CurlDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  static size_t OnHeaderLine(char* data, size_t size, size_t count, void* self);
  static size_t OnBody(char* data, size_t size, size_t count, void* self);
  static curl_socket_t OnOpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int OnConnected(void* self, char* peer, char* local, int peer_port, int local_port);

  template <typename Value>
  void Set(CURLoption option, Value value);
  void SetConnectionOptions();
  void AddHeader(const HttpHeader& header);
  bool AllowsAddress(const std::optional<IpAddress>& address);
  bool ReceiveHeaderLine(std::string_view line);
  HttpFailure FailureOf(CURLcode result) const;
  long Connections() const;
  void Notify() ABSL_EXCLUSIVE_LOCKS_REQUIRED(events_->mu);

  const std::shared_ptr<HttpTransferEvents> events_;
  const std::shared_ptr<const HttpTransferSettings> settings_;
  const Url url_;
  const bool proxied_;
  const bool any_address_;  // whether the network policy does not apply
  std::unique_ptr<CURL, CurlDeleter> handle_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::atomic<bool> abort_requested_{false};
  bool set_up_ = true;  // whether libcurl took all options

  // For the I/O thread only.
  HttpHeaders received_;
  bool head_complete_ = false;
  bool malformed_ = false;
  std::string forbidden_address_;

  News news_ ABSL_GUARDED_BY(events_->mu);
};

// A thread that moves the bytes of many transfers, with one multi handle of libcurl: its cache of
// connections is shared by them. Starts with the constructor; the destructor aborts what is left.
// Thread-safe.
class HttpIoThread {
 public:
  HttpIoThread();
  ~HttpIoThread();
  HttpIoThread(const HttpIoThread&) = delete;
  HttpIoThread& operator=(const HttpIoThread&) = delete;

  // Each returns at once. Resume continues a transfer that is paused.
  void Start(std::shared_ptr<HttpTransfer> transfer) { Add(Action::kStart, std::move(transfer)); }
  void Resume(std::shared_ptr<HttpTransfer> transfer) { Add(Action::kResume, std::move(transfer)); }
  // Closes the socket of a transfer, unless its response is complete. Does not allocate.
  void Abort(HttpTransfer& transfer);

 private:
  enum class Action { kStart, kResume };
  struct Command {
    Action action;
    std::shared_ptr<HttpTransfer> transfer;
  };
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  void Add(Action action, std::shared_ptr<HttpTransfer> transfer);
  void Run();
  bool TakeCommands(std::vector<Command>* commands);  // false when stopping
  void Execute(Command& command);
  void Begin(const std::shared_ptr<HttpTransfer>& transfer);
  void EndAborted();
  void End(CURL* handle, CURLcode result);

  const std::unique_ptr<CURLM, MultiDeleter> multi_;

  Mutex mu_;
  std::vector<Command> commands_ ABSL_GUARDED_BY(mu_);
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;

  std::atomic<bool> has_aborted_{false};  // whether a transfer may have to be ended

  // For the thread only.
  std::unordered_map<CURL*, std::shared_ptr<HttpTransfer>> live_;

  std::thread thread_;  // last, because it uses all of the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_TRANSFER_H_
