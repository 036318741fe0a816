#include "client/sdk/watch_loop.h"

#include <utility>

#include "base/status.h"
#include "client/sdk/error.h"

namespace stagedoor::sdk {
namespace {

// A watch lasts until it is stopped. The daemon ends calls after a while (--max-call-seconds),
// which are then repeated.
constexpr std::chrono::hours kCallTime{24};

// Whether the watch continues with another call, because only this one is over. A lease that was
// lost before anything was received could not be replaced.
bool Continues(const absl::Status& status, bool received) {
  return status.ok() || absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         (received && IsLostLease(status));
}

StageChanges ChangesOf(const v1::WatchStageResponse& message) {
  StageChanges changes;
  changes.previous_snapshot = message.previous_snapshot();
  changes.snapshot = message.snapshot();
  changes.resynced_paths.assign(message.resynced_paths().begin(), message.resynced_paths().end());
  for (const v1::ChangedInfo& info : message.changed_infos()) {
    changes.changed_info[info.path()].assign(info.fields().begin(), info.fields().end());
  }
  return changes;
}

}  // namespace

WatchLoop::WatchLoop(std::shared_ptr<StageSession> session, std::string since,
                     const WatchOptions& options, std::chrono::milliseconds pause)
    : session_(std::move(session)), pause_(pause) {
  request_.mutable_stage()->set_snapshot(std::move(since));
  request_.mutable_paths()->Add(options.paths.begin(), options.paths.end());
  const int64_t milliseconds = options.min_interval.count();
  request_.mutable_min_interval()->set_seconds(milliseconds / 1000);
  request_.mutable_min_interval()->set_nanos(static_cast<int>(milliseconds % 1000) * 1'000'000);
}

absl::Status WatchLoop::Run(const Sink& sink) {
  while (!stopping()) {
    bool received = false;
    absl::Status status = WatchOnce(sink, &received);
    if (session_->closed()) break;
    if (!stopping() && !Continues(status, received)) return status;
    if (!received) Pause();
  }
  return absl::OkStatus();
}

absl::Status WatchLoop::WatchOnce(const Sink& sink, bool* received) {
  return session_->Run(
      [&](Client& client, const std::string& handle, const CallOptions& left) {
        request_.mutable_stage()->set_handle(handle);
        // Copied, because the snapshot changes with each message.
        const v1::WatchStageRequest request = request_;
        absl::Status status = client.WatchStage(
            request,
            [&](const v1::WatchStageResponse& message) {
              *received = true;
              Take(message, sink);
              return stopping() ? CancelledError("the watch was stopped") : absl::OkStatus();
            },
            left);
        return Outcome{std::move(status),
                       *received ? Outcome::Received::kFinal : Outcome::Received::kNothing};
      },
      {.timeout = kCallTime, .cancellation = cancellation_});
}

void WatchLoop::Take(const v1::WatchStageResponse& message, const Sink& sink) {
  request_.mutable_stage()->set_snapshot(message.snapshot());
  // The first message reports nothing if nothing has changed, or if no snapshot was known.
  if (message.previous_snapshot().empty()) return;
  if (message.snapshot() == message.previous_snapshot()) return;
  session_->Saw(message.snapshot());
  if (!stopping()) sink(ChangesOf(message));
}

void WatchLoop::Pause() {
  const auto end = std::chrono::steady_clock::now() + pause_;
  MutexLock lock(mu_);
  while (!stopping() && stopped_.WaitUntil(mu_, end)) {
  }
}

void WatchLoop::Stop() {
  {
    MutexLock lock(mu_);  // so that Pause does not miss it
    cancellation_->Cancel();
  }
  stopped_.NotifyAll();
}

}  // namespace stagedoor::sdk
