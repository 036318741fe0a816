#include "resolver/http/http_io_thread.h"

#include <signal.h>

#include <new>
#include <utility>

namespace stagedoor {
namespace {

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
