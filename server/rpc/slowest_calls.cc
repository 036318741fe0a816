#include "server/rpc/slowest_calls.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace stagedoor::server {
namespace {

EndedCall MakeCall(const RequestRecord& record, SlowestCalls::Clock::time_point ended) {
  return {.method = record.method,
          .identity = record.identity,
          .peer = record.peer,
          .request_id = record.request_id,
          .stage = record.stage,
          .duration = record.duration,
          .queued = record.queued,
          .worked = record.worked,
          .ended = ended,
          .code = record.status.code(),
          .message = std::string(Message(record.status).substr(0, SlowestCalls::kMaxMessageBytes)),
          .reasons = SlowCallReasons(record)};
}

}  // namespace

void SlowestCalls::Add(const RequestRecord& record) {
  EndedCall call = MakeCall(record, now_());
  EndedCall dropped;  // destroyed after the lock is released
  MutexLock lock(mu_);
  DropOld();
  const auto place = std::find_if(calls_.begin(), calls_.end(), [&](const EndedCall& other) {
    return other.spent() < call.spent();
  });
  if (place == calls_.end() && calls_.size() == kMaxCalls) return;
  const auto index = place - calls_.begin();
  if (calls_.size() == kMaxCalls) {
    dropped = std::move(calls_.back());
    calls_.pop_back();
  }
  calls_.insert(calls_.begin() + index, std::move(call));
  SetThreshold();
}

void SlowestCalls::Sweep() {
  MutexLock lock(mu_);
  DropOld();
  SetThreshold();
}

std::vector<EndedCall> SlowestCalls::List() const {
  const Clock::time_point now = now_();
  MutexLock lock(mu_);
  std::vector<EndedCall> calls = calls_;
  std::erase_if(calls, [now](const EndedCall& call) { return IsOld(call, now); });
  return calls;
}

void SlowestCalls::DropOld() {
  const Clock::time_point now = now_();
  std::erase_if(calls_, [now](const EndedCall& call) { return IsOld(call, now); });
}

void SlowestCalls::SetThreshold() {
  const bool full = calls_.size() == kMaxCalls;
  threshold_.store(full ? calls_.back().spent().count() : -1, std::memory_order_relaxed);
}

}  // namespace stagedoor::server
