#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_IO_THREAD_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_IO_THREAD_H_

#include <curl/curl.h>

#include <atomic>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "resolver/http/http_transfer.h"

namespace stagedoor {

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

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_IO_THREAD_H_
