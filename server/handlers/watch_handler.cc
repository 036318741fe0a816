#include "server/handlers/watch_handler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/stage_changes.h"
#include "server/access/caller.h"
#include "server/check_count.h"
#include "server/converters/duration_converter.h"
#include "server/error_info.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/session_state.h"
#include "server/stages/change_signal.h"
#include "server/stages/stage_session.h"
#include "server/stages/stage_snapshot.h"
#include "server/stages/stage_watches.h"

namespace stagedoor::server {
namespace {

using Clock = WakeTimer::Clock;

constexpr size_t kMaxPaths = 10000;
constexpr std::chrono::minutes kLongestInterval{1};

// Passes notifications on, changes not before a given time. Thread-safe.
class PacedWake {
 public:
  explicit PacedWake(WakeTimer& timer) : timer_(timer) {}
  ~PacedWake() { Reset(Clock::time_point::min()); }

  // Changes are passed on from then on.
  void Reset(Clock::time_point earliest) {
    std::optional<WakeTimer::Key> key;
    {
      MutexLock lock(mu_);
      earliest_ = earliest;
      key = std::exchange(key_, std::nullopt);
    }
    if (key.has_value()) timer_.Cancel(*key);
  }

  // True if `wake` need not be called later, because it is time now.
  bool IsTime(ChangeSignal::State state, const std::function<void()>& wake) {
    if (state == ChangeSignal::State::kQuiet) return false;
    MutexLock lock(mu_);
    if (state == ChangeSignal::State::kEnded || timer_.now() >= earliest_) return true;
    if (!key_.has_value()) key_ = timer_.Schedule(earliest_, wake);
    return false;
  }

 private:
  WakeTimer& timer_;
  Mutex mu_;
  Clock::time_point earliest_ ABSL_GUARDED_BY(mu_) = Clock::time_point::min();
  std::optional<WakeTimer::Key> key_ ABSL_GUARDED_BY(mu_);  // of what is scheduled
};

struct WatchOptions {
  std::string handle;
  std::string snapshot;  // the first one to compare with; may be empty
  ChangeFilter filter;
  Clock::duration min_interval{0};
};

void FillChanges(const StageChanges& changes, v1::WatchStageResponse* response) {
  for (const std::string& path : changes.resynced) {
    response->add_resynced_paths(CoerceToUtf8(path));
  }
  for (const auto& [path, fields] : changes.changed_infos) {
    v1::ChangedInfo* info = response->add_changed_infos();
    info->set_path(CoerceToUtf8(path));
    for (const Token field : fields) info->add_fields(CoerceToUtf8(field.text()));
  }
}

// Holds no session and no snapshot, so that a client which only watches keeps nothing alive.
class WatchStream final : public ResponseStream<v1::WatchStageResponse> {
 public:
  WatchStream(const SessionState& state, WatchOptions options,
              std::unique_ptr<StageWatches::Place> place)
      : state_(state),
        options_(std::move(options)),
        place_(std::move(place)),
        paced_(std::make_shared<PacedWake>(state.watches.timer())) {}

  // Registers the stream with the lease and its session.
  absl::Status Start(RequestContext& context) {
    SD_ASSIGN_OR_RETURN(const auto session,
                        AcquireSession(state_.queries, context, options_.handle));
    session->Watch(signal_);
    if (RequestNotes* const notes = RequestScope::Current().notes) {
      const auto newest = session->Newest();
      notes->SetSubject(newest->stage().root_layer_stack().root_layer().identifier());
    }
    return state_.queries.leases.Watch(options_.handle, CurrentCallerName(), signal_);
  }

  absl::StatusOr<bool> Next(RequestContext& context, v1::WatchStageResponse* response) override {
    signal_->Clear();  // before the newest snapshot is read, so that no later one is missed
    SD_ASSIGN_OR_RETURN(const auto session, PeekSession(state_.queries, context, options_.handle));
    const std::shared_ptr<const StageSnapshot> newest = session->Newest();
    response->set_previous_snapshot(CoerceToUtf8(options_.snapshot));
    response->set_snapshot(newest->fingerprint());
    if (!options_.snapshot.empty() && options_.snapshot != newest->fingerprint()) {
      SD_ASSIGN_OR_RETURN(const StageChanges changes, FindChanges(context, *session, *newest));
      FillChanges(changes, response);
    }
    options_.snapshot = newest->fingerprint();
    paced_->Reset(state_.watches.timer().now() + options_.min_interval);
    return true;
  }

  bool MayWait() const override { return true; }
  bool WaitForMore(const std::function<void()>& wake) override {
    const auto state = signal_->Wait([paced = paced_, wake](ChangeSignal::State notified) {
      if (paced->IsTime(notified, wake)) wake();
    });
    return !paced_->IsTime(state, wake);
  }

 private:
  // Everything may have changed if the snapshot to compare with is not held any more.
  absl::StatusOr<StageChanges> FindChanges(RequestContext& context, StageSession& session,
                                           const StageSnapshot& newest) const {
    const auto before = FindSnapshot(state_.queries, context, session, options_.snapshot);
    if (!before.ok()) return StageChanges::Everything();
    return StageChanges::Find(context, (*before)->stage(), newest.stage(), options_.filter);
  }

  const SessionState& state_;
  WatchOptions options_;
  const std::unique_ptr<StageWatches::Place> place_;
  const std::shared_ptr<PacedWake> paced_;
  const std::shared_ptr<ChangeSignal> signal_ = std::make_shared<ChangeSignal>();
};

absl::Status AddPath(const std::string& text, ChangeFilter* filter) {
  const absl::StatusOr<Path> path = Path::Parse(text);
  if (!path.ok() || !path->IsAbsolute() || path->ContainsVariantSelection() ||
      path->ContainsTarget() || !(path->IsPrimOrRoot() || path->IsProperty())) {
    return WithReason(
        InvalidArgumentError(Quoted(text), " is not an absolute path of a prim or property"),
        v1::ERROR_REASON_INVALID_PATH, {{"path", text}});
  }
  filter->Add(path->ToString());
  return absl::OkStatus();
}

absl::StatusOr<WatchOptions> ParseOptions(const v1::WatchStageRequest& request) {
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.paths_size()), kMaxPaths, "paths"));
  WatchOptions options{.handle = request.stage().handle(), .snapshot = request.stage().snapshot()};
  const auto scope = PathScope::CreateSmall();  // paths of requests must not stay interned
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(scope.get()));
  for (const std::string& path : request.paths()) {
    SD_RETURN_IF_ERROR(AddPath(path, &options.filter));
  }
  const auto& interval = request.min_interval();
  if (interval.seconds() < 0 || interval.nanos() < 0) {
    return InvalidFieldError("min_interval", Concat(interval.seconds(), " s"),
                             "must not be negative");
  }
  options.min_interval = std::min<Clock::duration>(kLongestInterval, ToNanoseconds(interval));
  return options;
}

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::WatchStageResponse>> WatchStage(
    const SessionState& state, RequestContext& context, const v1::WatchStageRequest& request) {
  SD_ASSIGN_OR_RETURN(WatchOptions options, ParseOptions(request));
  const Caller* const caller = CurrentCaller();
  SD_ASSIGN_OR_RETURN(auto place, state.watches.Admit(caller == nullptr ? "" : caller->share));
  auto stream = std::make_unique<WatchStream>(state, std::move(options), std::move(place));
  SD_RETURN_IF_ERROR(stream->Start(context));
  return ResponseStreamPtr<v1::WatchStageResponse>(std::move(stream));
}

}  // namespace stagedoor::server
