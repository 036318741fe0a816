#ifndef STAGEDOOR_SERVER_STORE_REDIS_POOL_H_
#define STAGEDOOR_SERVER_STORE_REDIS_POOL_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "server/store/redis_connection.h"
#include "server/store/redis_connector.h"

namespace stagedoor::server {

// Up to max_connections connections to one Redis server, which are used by one call at a time.
// Thread-safe.
//
// During an outage, calls do not wait for one timeout after another: when a connection has failed,
// calls that need a new one get its error at once for kPause; after that, one of them tries again
// while others wait for it, at most for kPause.
class RedisPool {
 public:
  using Clock = RequestContext::Clock;
  static constexpr std::chrono::milliseconds kPause{250};

  // `connector` must outlive the pool. `now` is the clock of the pause.
  explicit RedisPool(RedisConnector& connector, std::function<Clock::time_point()> now = Clock::now)
      : connector_(connector), now_(std::move(now)) {}

  // A connection until the end of the scope. Returns to the pool unless it was closed.
  // Move-only.
  class Borrowed {
   public:
    Borrowed(Borrowed&&) = default;
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed();

    RedisConnection& operator*() const { return *connection_; }
    RedisConnection* operator->() const { return connection_.get(); }
    // Whether it was used before, in which case the server may have closed it.
    bool reused() const { return reused_; }

   private:
    friend class RedisPool;
    Borrowed(RedisPool& pool, std::unique_ptr<RedisConnection> connection, bool reused)
        : pool_(&pool), connection_(std::move(connection)), reused_(reused) {}

    RedisPool* pool_;
    std::unique_ptr<RedisConnection> connection_;
    bool reused_;
  };
  // UNAVAILABLE (STORE_UNAVAILABLE) if the server cannot be reached, or if no connection becomes
  // free within the operation timeout; the errors of the context.
  absl::StatusOr<Borrowed> Borrow(RequestContext& context);

  // To be called after a call that got no reply in time: as if a connection had failed with
  // `error`.
  void ReportOutage(absl::Status error);

 private:
  // How a call gets the connection that it needs.
  enum class Turn { kReuse, kConnect, kWait, kFail };
  Turn NextTurn() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Waits until it is not kWait. An error after the operation timeout or, during an outage, kPause.
  absl::StatusOr<Turn> WaitForTurn(RequestContext& context) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<Borrowed> Connect(RequestContext& context);
  void Return(std::unique_ptr<RedisConnection> connection);
  // Ends the use of a connection that is closed.
  void Forget();
  void BeginOutage(absl::Status error) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  RedisConnector& connector_;
  const std::function<Clock::time_point()> now_;

  Mutex mu_;
  CondVar changed_;
  std::vector<std::unique_ptr<RedisConnection>> idle_ ABSL_GUARDED_BY(mu_);  // last used last
  int open_ ABSL_GUARDED_BY(mu_) = 0;  // idle, in use or being opened
  // The error of the last attempt to connect, if it failed, and when the next one may begin.
  std::optional<absl::Status> outage_ ABSL_GUARDED_BY(mu_);
  Clock::time_point retry_at_ ABSL_GUARDED_BY(mu_);
  bool retrying_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_REDIS_POOL_H_
