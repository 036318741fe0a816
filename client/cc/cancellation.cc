#include "client/cc/cancellation.h"

namespace stagedoor {

void Cancellation::Cancel() {
  Hooks hooks;
  {
    MutexLock lock(mu_);
    cancelled_ = true;
    hooks.swap(hooks_);
  }
  for (const auto& [id, fn] : hooks) fn();
}

bool Cancellation::cancelled() const {
  MutexLock lock(mu_);
  return cancelled_;
}

CancellationHook::CancellationHook(std::shared_ptr<Cancellation> cancellation,
                                   std::function<void()> fn)
    : cancellation_(std::move(cancellation)) {
  if (cancellation_ == nullptr) return;
  {
    MutexLock lock(cancellation_->mu_);
    if (!cancellation_->cancelled_) {
      id_ = ++cancellation_->last_id_;
      cancellation_->hooks_.emplace(id_, std::move(fn));
      return;
    }
  }
  fn();
}

CancellationHook::~CancellationHook() {
  if (id_ == 0) return;
  MutexLock lock(cancellation_->mu_);
  cancellation_->hooks_.erase(id_);
}

}  // namespace stagedoor
