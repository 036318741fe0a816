#include "server/rpc/suspended_calls.h"

#include <vector>

#include "base/status.h"

namespace stagedoor::server {
namespace {

absl::Status Stopping() {
  return UnavailableError(
      "the daemon stops; repeat the call, with the last snapshot received, at another one");
}

}  // namespace

bool Suspension::Take(const absl::Status& status) {
  {
    MutexLock lock(mu_);
    if (state_ == State::kArming) {
      woken_ = true;
      ended_.Update(status);
      return false;
    }
    if (state_ == State::kOver) return false;
    state_ = State::kOver;
  }
  owner_.Remove(this);
  return true;
}

void Suspension::Wake() {
  if (Take(absl::OkStatus())) waiter_.Resume();
}

bool Suspension::End(const absl::Status& status) {
  if (!Take(status)) return false;
  waiter_.EndSuspended(status);
  return true;
}

bool Suspension::Arm(const RequestContext& context) {
  {
    MutexLock lock(mu_);
    if (!woken_ && !context.cancelled()) {
      state_ = State::kArmed;
      return true;
    }
    state_ = State::kOver;
  }
  owner_.Remove(this);
  return false;
}

void Suspension::Drop() {
  {
    MutexLock lock(mu_);
    state_ = State::kOver;
  }
  owner_.Remove(this);
}

absl::Status Suspension::ended() const {
  MutexLock lock(mu_);
  return ended_;
}

std::shared_ptr<Suspension> SuspendedCalls::Add(Suspension::Waiter& waiter,
                                                Clock::time_point deadline) {
  std::shared_ptr<Suspension> added(new Suspension(*this, waiter, deadline));
  MutexLock lock(mu_);
  all_[added.get()] = added;
  if (draining_) added->End(Stopping());  // before Arm, so this only leaves a note
  return added;
}

void SuspendedCalls::Remove(const Suspension* suspension) {
  MutexLock lock(mu_);
  all_.erase(suspension);
}

void SuspendedCalls::Sweep() {
  const Clock::time_point now = now_();
  std::vector<std::shared_ptr<Suspension>> late;
  {
    MutexLock lock(mu_);
    for (const auto& [raw, weak] : all_) {
      if (raw->deadline_ > now) continue;
      if (auto suspension = weak.lock()) late.push_back(std::move(suspension));
    }
  }
  for (const auto& suspension : late) {
    suspension->End(DeadlineExceededError("the deadline of the call has passed"));
  }
}

void SuspendedCalls::Drain() {
  std::vector<std::shared_ptr<Suspension>> all;
  {
    MutexLock lock(mu_);
    draining_ = true;
    for (const auto& [raw, weak] : all_) {
      if (auto suspension = weak.lock()) all.push_back(std::move(suspension));
    }
  }
  for (const auto& suspension : all) suspension->End(Stopping());
}

size_t SuspendedCalls::size() const {
  MutexLock lock(mu_);
  return all_.size();
}

}  // namespace stagedoor::server
