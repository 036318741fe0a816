#ifndef STAGEDOOR_SERVER_STORE_REDIS_LISTENER_H_
#define STAGEDOOR_SERVER_STORE_REDIS_LISTENER_H_

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "server/store/redis_connector.h"
#include "server/store/session_store.h"

namespace stagedoor::server {

// Receives the announcements of a channel on a connection and a thread of its own, and connects
// again whenever the connection ends. After that it calls the listener with nothing, since
// announcements may have been missed.
class RedisListener {
 public:
  // Writers put an ID of this many bytes in front of the session's.
  static constexpr size_t kWriterBytes = 32;

  struct Timing {
    // Before connecting again, doubled up to the second one as long as that fails.
    std::chrono::milliseconds first_delay{100};
    std::chrono::milliseconds longest_delay{2000};
    // A connection on which nothing arrives for this time is tested, and given up after the same
    // time without an answer.
    std::chrono::milliseconds silence{5000};
  };

  // Ignores what `writer` announces. `connector` must outlive the object. Returns once
  // announcements are received, or the first attempt to connect has failed.
  RedisListener(RedisConnector& connector, std::string channel, std::string writer,
                SessionStore::Listener listener, Timing timing);
  // Waits until the listener has returned, and is not called any more.
  ~RedisListener();
  RedisListener(const RedisListener&) = delete;
  RedisListener& operator=(const RedisListener&) = delete;

 private:
  void Run();
  // Receives until the connection ends, and returns why.
  absl::Status Receive(RedisConnection& connection);
  void SetTried();
  absl::StatusOr<std::unique_ptr<RedisConnection>> Subscribe();
  void Handle(const RedisReply& message);

  RedisConnector& connector_;
  const std::string channel_;
  const std::string writer_;
  const SessionStore::Listener listener_;
  const Timing timing_;
  const int wake_fd_;       // an eventfd; readable after context_.Cancel()
  RequestContext context_;  // cancelled by the destructor

  Mutex mu_;
  CondVar changed_;
  bool tried_ ABSL_GUARDED_BY(mu_) = false;  // to connect

  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_LISTENER_H_
