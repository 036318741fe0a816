#include "resolver/http/http_transfer.h"

#include <signal.h>
#include <sys/socket.h>

#include <exception>
#include <new>
#include <utility>

#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr long kReceiveBufferBytes = 256 << 10;

constexpr long kIdleConnections = 64;
constexpr long kConnectionsPerHost = 32;
constexpr long kConnections = 256;
constexpr int kPollMs = 1000;  // commands and sockets wake the thread before that

CURLM* MakeMulti() {
  CURLM* const multi = curl_multi_init();
  if (multi == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kIdleConnections);
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, kConnectionsPerHost);
  curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, kConnections);
  return multi;
}

// Signals are for other threads; SIGPIPE from a closed TLS connection is for none.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

HttpTransfer::HttpTransfer(std::shared_ptr<HttpTransferEvents> events,
                           std::shared_ptr<const HttpTransferSettings> settings,
                           const HttpRequest& request, const Url& url)
    : events_(std::move(events)),
      settings_(std::move(settings)),
      url_(url),
      proxied_(request.use_proxy && !settings_->proxy.empty()),
      // A literal address has passed the allow-list of URLs, which therefore lists it.
      any_address_(proxied_ || request.is_allowed_host || IpAddress::Parse(url.host).has_value()),
      handle_(curl_easy_init()) {
  if (handle_ == nullptr) throw std::bad_alloc();
  Set(CURLOPT_URL, url_.Text().c_str());
  Set(CURLOPT_NOBODY, request.head_only ? 1L : 0L);
  if (request.put_empty) {
    Set(CURLOPT_CUSTOMREQUEST, "PUT");
    Set(CURLOPT_POSTFIELDS, "");
  }
  for (const HttpHeader& header : request.headers) AddHeader(header);
  if (url_.Origin() == request.url.Origin()) {
    for (const HttpHeader& header : request.credentials) AddHeader(header);
  }
  AddHeader({"Accept-Encoding", "identity"});
  AddHeader({"User-Agent", "stagedoor"});
  Set(CURLOPT_HTTPHEADER, headers_.get());
  SetConnectionOptions();
}

HttpTransfer::~HttpTransfer() = default;

template <typename Value>
void HttpTransfer::Set(CURLoption option, Value value) {
  if (curl_easy_setopt(handle_.get(), option, value) != CURLE_OK) set_up_ = false;
}

void HttpTransfer::SetConnectionOptions() {
  Set(CURLOPT_PRIVATE, this);
  Set(CURLOPT_HEADERFUNCTION, &HttpTransfer::OnHeaderLine);
  Set(CURLOPT_HEADERDATA, this);
  Set(CURLOPT_WRITEFUNCTION, &HttpTransfer::OnBody);
  Set(CURLOPT_WRITEDATA, this);
  Set(CURLOPT_OPENSOCKETFUNCTION, &HttpTransfer::OnOpenSocket);
  Set(CURLOPT_OPENSOCKETDATA, this);
  // A connection that another transfer has opened is checked as well.
  Set(CURLOPT_PREREQFUNCTION, &HttpTransfer::OnConnected);
  Set(CURLOPT_PREREQDATA, this);

  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_PATH_AS_IS, 1L);
  Set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  Set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  // An empty text also disables the proxy that the environment may name.
  Set(CURLOPT_PROXY, proxied_ ? settings_->proxy.c_str() : "");
  Set(CURLOPT_NOPROXY, "");
  Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!settings_->ca_file.empty()) {
    Set(CURLOPT_CAINFO, settings_->ca_file.c_str());
    // Otherwise the authorities in the folder of the system would be trusted as well.
    Set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  Set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  Set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Requests to a server wait for its first connection, which may serve them all with HTTP/2.
  Set(CURLOPT_PIPEWAIT, url_.scheme == "https" ? 1L : 0L);

  Set(CURLOPT_NOSIGNAL, 1L);
  // An aborted transfer does not wait for the look-up of a name, which would block the I/O thread.
  Set(CURLOPT_QUICK_EXIT, 1L);
  Set(CURLOPT_TCP_KEEPALIVE, 1L);
  Set(CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(settings_->connect_timeout.count()));
  Set(CURLOPT_LOW_SPEED_LIMIT, settings_->low_speed_bytes);
  Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(settings_->low_speed_time.count()));
}

void HttpTransfer::AddHeader(const HttpHeader& header) {
  curl_slist* const longer =
      curl_slist_append(headers_.get(), Concat(header.name, ": ", header.value).c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)headers_.release();  // now part of `longer`
  headers_.reset(longer);
}

bool HttpTransfer::AllowsAddress(const std::optional<IpAddress>& address) {
  if (any_address_ || (address && settings_->network.Allows(*address))) return true;
  forbidden_address_ = address ? address->ToString() : "of an unknown kind";
  return false;
}

curl_socket_t HttpTransfer::OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  try {
    auto* transfer = static_cast<HttpTransfer*>(self);
    if (!transfer->AllowsAddress(IpAddress::FromSockaddr(&address->addr))) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  } catch (const std::exception&) {
    return CURL_SOCKET_BAD;
  }
}

int HttpTransfer::OnConnected(void* self, char* peer, char*, int, int) {
  try {
    auto* transfer = static_cast<HttpTransfer*>(self);
    return transfer->AllowsAddress(IpAddress::Parse(peer)) ? CURL_PREREQFUNC_OK
                                                           : CURL_PREREQFUNC_ABORT;
  } catch (const std::exception&) {
    return CURL_PREREQFUNC_ABORT;
  }
}

size_t HttpTransfer::OnHeaderLine(char* data, size_t size, size_t count, void* self) {
  try {
    auto* transfer = static_cast<HttpTransfer*>(self);
    return transfer->ReceiveHeaderLine({data, size * count}) ? size * count : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

bool HttpTransfer::ReceiveHeaderLine(std::string_view line) {
  // Lines after the head are trailers; they are counted and dropped.
  if (!received_.AddLine(line)) {
    malformed_ = true;
    return false;
  }
  if (head_complete_) return true;
  if (line.starts_with("HTTP/")) received_.Clear();
  if (!line.empty() && line != "\r\n" && line != "\n") return true;
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status < 200) return true;
  head_complete_ = true;
  MutexLock lock(events_->mu);
  news_.connections = Connections();
  news_.head = HttpResponseHead{static_cast<int>(status), url_, received_};
  Notify();
  return true;
}

size_t HttpTransfer::OnBody(char* data, size_t size, size_t count, void* self) {
  auto* transfer = static_cast<HttpTransfer*>(self);
  const size_t bytes = size * count;
  try {
    MutexLock lock(transfer->events_->mu);
    News& news = transfer->news_;
    if (!news.body.empty() && news.body.size() + bytes > transfer->settings_->max_waiting_bytes) {
      news.paused = true;
      transfer->Notify();
      return CURL_WRITEFUNC_PAUSE;
    }
    news.body.append(data, bytes);
    transfer->Notify();
    return bytes;
  } catch (const std::exception&) {
    return bytes == 0 ? 1 : 0;  // any other number is an error
  }
}

HttpFailure HttpTransfer::FailureOf(CURLcode result) const {
  if (!forbidden_address_.empty() &&
      (result == CURLE_COULDNT_CONNECT || result == CURLE_ABORTED_BY_CALLBACK)) {
    return HttpFailure::kForbidden;
  }
  if (malformed_) return HttpFailure::kMalformed;
  switch (result) {
    case CURLE_OK:
      return head_complete_ ? HttpFailure::kNone : HttpFailure::kMalformed;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpFailure::kResolve;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
      return HttpFailure::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFailure::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
      return HttpFailure::kTls;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpFailure::kUntrusted;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return HttpFailure::kBroken;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return HttpFailure::kMalformed;
    case CURLE_ABORTED_BY_CALLBACK:
      return HttpFailure::kAborted;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_WRITE_ERROR:
      return HttpFailure::kOutOfMemory;
    default:
      return HttpFailure::kOther;
  }
}

long HttpTransfer::Connections() const {
  long connections = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_NUM_CONNECTS, &connections);
  return connections;
}

void HttpTransfer::OnEnd(CURLcode result) {
  const HttpFailure failure = set_up_ ? FailureOf(result) : HttpFailure::kOther;
  MutexLock lock(events_->mu);
  news_.ended = true;
  news_.failure = failure;
  if (!head_complete_) news_.connections = Connections();
  news_.forbidden_address = std::move(forbidden_address_);
  Notify();
}

HttpTransfer::News HttpTransfer::Take() {
  MutexLock lock(events_->mu);
  return std::exchange(news_, {});
}

void HttpTransfer::Notify() {
  ++events_->count;
  events_->changed.NotifyAll();
}

HttpIoThread::HttpIoThread() : multi_(MakeMulti()), thread_([this] { Run(); }) {}

HttpIoThread::~HttpIoThread() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  curl_multi_wakeup(multi_.get());
  thread_.join();
}

void HttpIoThread::Add(Action action, std::shared_ptr<HttpTransfer> transfer) {
  {
    MutexLock lock(mu_);
    commands_.push_back({action, std::move(transfer)});
  }
  curl_multi_wakeup(multi_.get());
}

bool HttpIoThread::TakeCommands(std::vector<Command>* commands) {
  commands->clear();
  MutexLock lock(mu_);
  commands->swap(commands_);
  return !stopping_;
}

void HttpIoThread::Abort(HttpTransfer& transfer) {
  transfer.RequestAbort();
  has_aborted_.store(true, std::memory_order_release);
  curl_multi_wakeup(multi_.get());
}

void HttpIoThread::Execute(Command& command) {
  if (command.action == Action::kStart) {
    Begin(command.transfer);
  } else if (live_.contains(command.transfer->handle())) {
    curl_easy_pause(command.transfer->handle(), CURLPAUSE_CONT);
  }
}

void HttpIoThread::Begin(const std::shared_ptr<HttpTransfer>& transfer) {
  CURL* const handle = transfer->handle();
  if (transfer->abort_requested()) {
    transfer->OnEnd(CURLE_ABORTED_BY_CALLBACK);
    return;
  }
  try {
    live_.emplace(handle, transfer);
  } catch (const std::bad_alloc&) {
    transfer->OnEnd(CURLE_OUT_OF_MEMORY);
    return;
  }
  if (curl_multi_add_handle(multi_.get(), handle) != CURLM_OK) End(handle, CURLE_FAILED_INIT);
}

void HttpIoThread::EndAborted() {
  if (!has_aborted_.exchange(false, std::memory_order_acq_rel)) return;
  for (auto it = live_.begin(); it != live_.end();) {
    const auto each = it++;
    if (each->second->abort_requested()) End(each->first, CURLE_ABORTED_BY_CALLBACK);
  }
}

void HttpIoThread::End(CURL* handle, CURLcode result) {
  const auto found = live_.find(handle);
  const std::shared_ptr<HttpTransfer> transfer = std::move(found->second);
  live_.erase(found);
  curl_multi_remove_handle(multi_.get(), handle);
  transfer->OnEnd(result);
}

void HttpIoThread::Run() {
  BlockSignals();
  std::vector<Command> commands;
  while (TakeCommands(&commands)) {
    for (Command& command : commands) Execute(command);
    commands.clear();
    EndAborted();
    int running = 0;
    curl_multi_perform(multi_.get(), &running);
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) End(message->easy_handle, message->data.result);
    }
    curl_multi_poll(multi_.get(), nullptr, 0, kPollMs, nullptr);
  }
  while (!live_.empty()) End(live_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
}

}  // namespace stagedoor
