#include "resolver/remote/remote_watch.h"

#include <grpcpp/alarm.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <utility>

#include "base/mutex.h"
#include "resolver/remote/service_connection.h"

namespace stagedoor {

namespace pb = resolver::v1;

namespace {

// A message with more paths is taken for a change of everything.
constexpr int kMaxChangedPaths = 10000;

}  // namespace

// The calls one after another, and the pauses between them. Exactly one of a call and an alarm is
// pending until the watch has ended.
class RemoteWatch::State {
 public:
  State(std::shared_ptr<const ServiceConnection> connection, Filter filter, Callback callback)
      : connection_(std::move(connection)),
        filter_(std::move(filter)),
        callback_(std::move(callback)),
        backoff_(connection_->options().initial_backoff) {
    for (const std::string& path : filter_.paths) request_.add_resolved_paths(path);
    for (const std::string& prefix : filter_.prefixes) request_.add_prefixes(prefix);
    std::sort(filter_.paths.begin(), filter_.paths.end());
  }

  // Ends the watch and waits until nothing is pending.
  void Stop() {
    std::shared_ptr<grpc::ClientContext> call;
    {
      MutexLock lock(mu_);
      stopping_ = true;
      call = call_;
      if (alarm_ != nullptr) alarm_->Cancel();
    }
    if (call != nullptr) call->TryCancel();  // may call back, which takes the lock
    MutexLock lock(mu_);
    while (!ended_) changed_.Wait(mu_);
  }

  bool active() const {
    MutexLock lock(mu_);
    return active_;
  }
  bool unsupported() const {
    MutexLock lock(mu_);
    return unsupported_;
  }

  // Begins a call.
  void Begin() {
    auto* call = new Call(*this);
    bool stop = false;
    {
      MutexLock lock(mu_);
      call_ = call->context;
      stop = stopping_;
    }
    if (stop) call->context->TryCancel();  // ends the call as soon as it starts
    connection_->stub().async()->Watch(call->context.get(), &request_, call);
    call->StartRead(&call->message);
    call->StartCall();
  }

 private:
  // One call of Watch; deletes itself.
  struct Call final : grpc::ClientReadReactor<pb::WatchResponse> {
    explicit Call(State& watch) : state(watch) {}
    void OnReadDone(bool ok) override {
      if (!ok) return;  // OnDone follows
      state.Take(message);
      StartRead(&message);
    }
    void OnDone(const grpc::Status& status) override {
      State& watch = state;
      delete this;
      watch.CallEnded(status);
    }

    State& state;
    const std::shared_ptr<grpc::ClientContext> context = std::make_shared<grpc::ClientContext>();
    pb::WatchResponse message;
  };

  void Take(const pb::WatchResponse& message) {
    Change change;
    switch (message.event_case()) {
      case pb::WatchResponse::kStarted:
        change.everything = Started();
        break;
      case pb::WatchResponse::kEverything:
        change.everything = true;
        break;
      case pb::WatchResponse::kChanged:
        change.everything = message.changed().resolved_paths_size() > kMaxChangedPaths;
        if (!change.everything) change.paths = Watched(message.changed());
        break;
      default:
        break;
    }
    if (change.everything || !change.paths.empty()) callback_(change);
  }

  // Returns whether changes may have been missed before the service began to watch.
  bool Started() {
    MutexLock lock(mu_);
    active_ = true;
    backoff_ = connection_->options().initial_backoff;
    return std::exchange(missed_, true);
  }

  std::vector<std::string> Watched(const pb::AssetsChanged& changed) const {
    std::vector<std::string> paths;
    for (const std::string& path : changed.resolved_paths()) {
      const bool covered =
          std::binary_search(filter_.paths.begin(), filter_.paths.end(), path) ||
          std::any_of(filter_.prefixes.begin(), filter_.prefixes.end(),
                      [&](const std::string& prefix) { return path.starts_with(prefix); });
      if (covered) paths.push_back(path);
    }
    return paths;
  }

  void CallEnded(const grpc::Status& status) {
    MutexLock lock(mu_);
    call_ = nullptr;
    active_ = false;
    missed_ = true;
    unsupported_ = status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
    if (stopping_ || unsupported_) {
      ended_ = true;
      changed_.NotifyAll();
      return;
    }
    // A new one each time, because the callback of the last may not have returned yet.
    alarm_ = std::make_unique<grpc::Alarm>();
    alarm_->Set(std::chrono::system_clock::now() + Jittered(backoff_),
                [this](bool) { PauseOver(); });
    backoff_ = std::min(backoff_ * 2, connection_->options().max_backoff);
  }

  void PauseOver() {
    {
      MutexLock lock(mu_);
      if (stopping_) {
        ended_ = true;
        changed_.NotifyAll();
        return;
      }
    }
    Begin();
  }

  const std::shared_ptr<const ServiceConnection> connection_;
  Filter filter_;
  const Callback callback_;
  pb::WatchRequest request_;

  mutable Mutex mu_;
  CondVar changed_;
  std::unique_ptr<grpc::Alarm> alarm_ ABSL_GUARDED_BY(mu_);         // of the current or last pause
  std::shared_ptr<grpc::ClientContext> call_ ABSL_GUARDED_BY(mu_);  // the current one, if any
  std::chrono::milliseconds backoff_ ABSL_GUARDED_BY(mu_);
  bool missed_ ABSL_GUARDED_BY(mu_) = false;
  bool active_ ABSL_GUARDED_BY(mu_) = false;
  bool unsupported_ ABSL_GUARDED_BY(mu_) = false;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
};

RemoteWatch::RemoteWatch(std::shared_ptr<const ServiceConnection> connection, Filter filter,
                         Callback callback)
    : state_(
          std::make_shared<State>(std::move(connection), std::move(filter), std::move(callback))) {
  state_->Begin();
}

RemoteWatch::~RemoteWatch() { state_->Stop(); }

bool RemoteWatch::active() const { return state_->active(); }

bool RemoteWatch::unsupported() const { return state_->unsupported(); }

}  // namespace stagedoor
