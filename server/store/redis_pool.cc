#include "server/store/redis_pool.h"

#include <algorithm>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {

RedisPool::Borrowed::~Borrowed() {
  if (connection_ != nullptr) pool_->Return(std::move(connection_));
}

absl::StatusOr<RedisPool::Borrowed> RedisPool::Borrow(RequestContext& context) {
  SD_RETURN_IF_ERROR(context.Check());
  for (;;) {
    std::unique_ptr<RedisConnection> connection;
    {
      MutexLock lock(mu_);
      SD_ASSIGN_OR_RETURN(const Turn turn, WaitForTurn(context));
      if (turn == Turn::kReuse) {
        connection = std::move(idle_.back());
        idle_.pop_back();
      } else {
        ++open_;
        retrying_ = outage_.has_value();
      }
    }
    if (connection == nullptr) return Connect(context);
    if (connection->IsIdle()) return Borrowed(*this, std::move(connection), true);
    connection.reset();
    Forget();
  }
}

void RedisPool::ReportOutage(absl::Status error) {
  std::vector<std::unique_ptr<RedisConnection>> closed;  // without the lock
  MutexLock lock(mu_);
  open_ -= static_cast<int>(idle_.size());
  closed.swap(idle_);
  BeginOutage(std::move(error));
  changed_.NotifyAll();
}

void RedisPool::BeginOutage(absl::Status error) {
  outage_ = std::move(error);
  retry_at_ = now_() + kPause;
}

RedisPool::Turn RedisPool::NextTurn() const {
  if (!idle_.empty()) return Turn::kReuse;
  if (outage_.has_value() && retrying_) return Turn::kWait;
  if (outage_.has_value() && now_() < retry_at_) return Turn::kFail;
  return open_ < connector_.options().max_connections ? Turn::kConnect : Turn::kWait;
}

absl::StatusOr<RedisPool::Turn> RedisPool::WaitForTurn(RequestContext& context) {
  const Clock::time_point start = now_();
  for (;;) {
    Turn turn = NextTurn();
    if (turn == Turn::kFail) return *outage_;
    if (turn != Turn::kWait) return turn;
    const Clock::duration waited = now_() - start;
    if (outage_.has_value() && waited >= kPause) return *outage_;
    if (waited >= connector_.options().operation_timeout) {
      return StoreUnavailable(Concat(connector_.options().Address(), ": all ",
                                     connector_.options().max_connections,
                                     " connections are in use"));
    }
    SD_RETURN_IF_ERROR(CancellableWait(context, mu_, changed_));
  }
}

absl::StatusOr<RedisPool::Borrowed> RedisPool::Connect(RequestContext& context) {
  const Clock::time_point start = now_();
  auto connection = connector_.Connect(context);
  absl::Status failure = connection.status();
  if (!context.Check().ok()) {
    // That a request ended says nothing about the server, unless it had to wait for long.
    const bool is_slow = now_() - start >= kPause;
    failure = is_slow ? StoreUnavailable(
                            Concat(connector_.options().Address(), ": the server does not answer"))
                      : absl::OkStatus();
  }
  MutexLock lock(mu_);
  retrying_ = false;
  changed_.NotifyAll();
  if (connection.ok()) {
    outage_.reset();
    return Borrowed(*this, *std::move(connection), false);
  }
  --open_;
  if (!failure.ok()) BeginOutage(std::move(failure));
  return connection.status();
}

void RedisPool::Return(std::unique_ptr<RedisConnection> connection) {
  if (!connection->usable()) {
    connection.reset();
    Forget();
    return;
  }
  MutexLock lock(mu_);
  idle_.push_back(std::move(connection));
  changed_.NotifyAll();
}

void RedisPool::Forget() {
  MutexLock lock(mu_);
  --open_;
  changed_.NotifyAll();
}

}  // namespace stagedoor::server
