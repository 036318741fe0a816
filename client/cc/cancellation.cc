#include "client/cc/cancellation.h"

#include <map>
#include <utility>

#include "base/mutex.h"

namespace stagedoor {

using Hooks = std::map<uint64_t, std::function<void()>>;

struct Cancellation::State {
  Mutex mu;
  bool cancelled ABSL_GUARDED_BY(mu) = false;
  uint64_t last_id ABSL_GUARDED_BY(mu) = 0;
  Hooks hooks ABSL_GUARDED_BY(mu);
};

Cancellation::Cancellation() : state_(std::make_unique<State>()) {}
Cancellation::~Cancellation() = default;

void Cancellation::Cancel() {
  Hooks hooks;
  {
    MutexLock lock(state_->mu);
    state_->cancelled = true;
    hooks.swap(state_->hooks);
  }
  for (const auto& [id, fn] : hooks) fn();
}

bool Cancellation::cancelled() const {
  MutexLock lock(state_->mu);
  return state_->cancelled;
}

CancellationHook::CancellationHook(std::shared_ptr<Cancellation> cancellation,
                                   std::function<void()> fn)
    : cancellation_(std::move(cancellation)) {
  if (cancellation_ == nullptr) return;
  Cancellation::State& state = *cancellation_->state_;
  {
    MutexLock lock(state.mu);
    if (!state.cancelled) {
      id_ = ++state.last_id;
      state.hooks.emplace(id_, std::move(fn));
      return;
    }
  }
  fn();
}

CancellationHook::~CancellationHook() {
  if (id_ == 0) return;
  Cancellation::State& state = *cancellation_->state_;
  MutexLock lock(state.mu);
  state.hooks.erase(id_);
}

}  // namespace stagedoor
