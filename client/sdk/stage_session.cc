#include "client/sdk/stage_session.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/cc/futures.h"
#include "client/sdk/callback_scope.h"
#include "client/sdk/error.h"

namespace stagedoor::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The end of a lease that the daemon reports is believed within these limits, because its clock and
// ours may differ. Renewing a lease more often than necessary costs little.
constexpr seconds kMinTtl{5};
constexpr seconds kMaxTtl{60};

// How long closing waits for the daemon.
constexpr milliseconds kCloseTimeout = seconds(1);

// How long a lease lives without being used, at least.
Lease::Clock::duration TtlOf(const v1::OpenStageRequest& request,
                             const v1::OpenStageResponse& reply) {
  const auto expires =
      std::chrono::system_clock::time_point(seconds(reply.lease_expire_time().seconds()));
  const auto left =
      std::chrono::duration_cast<milliseconds>(expires - std::chrono::system_clock::now());
  milliseconds ttl = std::clamp<milliseconds>(left, kMinTtl, kMaxTtl);
  if (request.has_lease_ttl()) {
    const milliseconds wanted = seconds(request.lease_ttl().seconds()) +
                                milliseconds(request.lease_ttl().nanos() / 1'000'000);
    ttl = std::min(ttl, std::max(wanted, milliseconds(100)));
  }
  return ttl;
}

// Waits for what `start` starts.
template <typename Starter>
absl::Status Await(const Starter& start) {
  return FutureOf<absl::Status>(start).get();
}

}  // namespace

StageSession::StageSession(std::shared_ptr<Connection> connection, v1::OpenStageRequest request)
    : connection_(std::move(connection)), request_(std::move(request)) {}

absl::StatusOr<std::shared_ptr<StageSession>> StageSession::Open(
    std::shared_ptr<Connection> connection, v1::OpenStageRequest request, const CallOptions& call) {
  const ConnectionOptions& options = connection->state_->options;
  if (request.client_name().empty()) request.set_client_name(options.client_name);
  if (!request.has_lease_ttl() && options.lease_ttl.has_value()) {
    request.mutable_lease_ttl()->set_seconds(options.lease_ttl->count());
  }
  const Clock::time_point deadline = Clock::now() + call.timeout.value_or(options.client.timeout);
  std::shared_ptr<StageSession> session(
      new StageSession(std::move(connection), std::move(request)));
  SD_RETURN_IF_ERROR(
      Await([&](Done opened) { session->OpenAnywhere(call, deadline, 0, std::move(opened)); }));
  session->state().keeper.Keep(session->lease_);
  return session;
}

StageSession::~StageSession() {
  if (!lease_->Close()) return;
  const Lease::Grant grant = lease_->Use(Clock::now());
  if (grant.handle.empty()) return;  // was never opened
  v1::CloseStageRequest request;
  request.set_handle(grant.handle);
  state().clients[grant.daemon]->CloseStageAsync(
      request, [](const absl::StatusOr<v1::CloseStageResponse>&) {}, {.timeout = kCloseTimeout});
}

absl::Status StageSession::Close(const CallOptions& call) {
  if (!lease_->Close()) return absl::OkStatus();
  const Lease::Grant grant = lease_->Use(Clock::now());
  v1::CloseStageRequest request;
  request.set_handle(grant.handle);
  CallOptions bounded = call;
  bounded.timeout = std::min(call.timeout.value_or(state().options.client.timeout), kCloseTimeout);
  absl::Status status = state().clients[grant.daemon]->CloseStage(request, bounded).status();
  return absl::IsInvalidArgument(status) ? status : absl::OkStatus();  // of the options
}

void StageSession::OpenAnywhere(const CallOptions& call, Clock::time_point deadline, size_t tried,
                                Done done) {
  v1::OpenStageRequest request;
  {
    MutexLock lock(mu_);
    request = request_;
  }
  const size_t daemon = state().current();
  const Clock::time_point asked = Clock::now();
  state().clients[daemon]->OpenStageAsync(
      request,
      [this, call, deadline, tried, daemon, asked,
       done = std::move(done)](const absl::StatusOr<v1::OpenStageResponse>& reply) {
        const CallbackScope scope;
        if (reply.ok()) Adopt(*reply, daemon, asked);
        if (IsUnanswered(reply.status(), call)) state().Abandon(daemon);
        if (!IsUnreachable(reply.status()) || Clock::now() >= deadline) {
          return done(reply.status());
        }
        state().Leave(daemon);
        if (tried + 1 == state().clients.size()) return done(reply.status());
        OpenAnywhere(call, deadline, tried + 1, done);
      },
      Remaining(call, deadline));
}

void StageSession::Adopt(const v1::OpenStageResponse& reply, size_t daemon,
                         Clock::time_point asked) {
  MutexLock lock(mu_);
  lease_->Adopt({reply.handle(), daemon, TtlOf(request_, reply)}, asked);
  state().Answered(daemon);
  info_ = reply.stage();
  snapshot_ = reply.stage().snapshot();
}

absl::Status StageSession::CheckReopenable() const {
  MutexLock lock(mu_);
  if (!edited_ || request_.session().empty()) return absl::OkStatus();
  return WithReason(FailedPreconditionError("the lease on the session ", Quoted(request_.session()),
                                            " is gone, and perhaps its edits"),
                    "LEASE_EXPIRED", "");
}

void StageSession::Reopen(const std::string& lost, const CallOptions& call,
                          Clock::time_point deadline, Done done) {
  if (lease_->handle() != lost) return done(absl::OkStatus());
  if (absl::Status status = CheckReopenable(); !status.ok()) return done(std::move(status));
  {
    MutexLock lock(mu_);
    if (reopening_) {
      waiting_.push_back({lost, call, deadline, std::move(done)});
      return;
    }
    reopening_ = true;
  }
  // Perhaps it was opened again just now.
  if (lease_->handle() != lost) return FinishReopening(absl::OkStatus(), done);
  OpenAnywhere(call, deadline, /*tried=*/0,
               [this, done = std::move(done)](const absl::Status& status) {
                 FinishReopening(status, done);
               });
}

void StageSession::FinishReopening(const absl::Status& status, const Done& done) {
  std::vector<Waiter> waiting;
  {
    MutexLock lock(mu_);
    reopening_ = false;
    waiting.swap(waiting_);
  }
  for (Waiter& waiter : waiting) {
    if (!status.ok() && Clock::now() >= waiter.deadline) {
      waiter.done(status);
    } else {
      Reopen(waiter.lost, waiter.call, waiter.deadline, std::move(waiter.done));
    }
  }
  done(status);  // last, because the call that opened the stage has kept the session until now
}

StageSession::Progress StageSession::Begin(const CallOptions& call) const {
  return {call, Clock::now() + call.timeout.value_or(state().options.client.timeout)};
}

size_t StageSession::MaxReopens() const {
  // Behind one address there may be a proxy with several daemons, which are lost one after another.
  constexpr size_t kLeast = 3;
  return std::max(kLeast, state().clients.size());
}

absl::StatusOr<bool> StageSession::MayAttempt(Progress* progress) {
  if (lease_->closed()) return FailedPreconditionError("the stage is closed");
  progress->grant = lease_->Use(Clock::now());
  if (!state().abandoned(progress->grant.daemon) || !CheckReopenable().ok()) return true;
  return ++progress->made > MaxReopens();
}

StageSession::Next StageSession::AfterAttempt(Progress* progress, const Outcome& outcome) {
  const size_t daemon = progress->grant.daemon;
  const bool repeatable = outcome.received != Outcome::Received::kFinal;
  if (repeatable && IsUnanswered(outcome.status, progress->call)) state().Abandon(daemon);
  const bool unreachable = IsUnreachable(outcome.status);
  const bool gone = unreachable && state().clients.size() > 1;
  // The client repeats only calls that have brought nothing. The lease may have outlived this.
  const bool broken = unreachable && outcome.received == Outcome::Received::kRepeatable;
  if (!gone && !broken && !IsLostLease(outcome.status)) return Next::kEnd;
  if (!repeatable || ++progress->made > MaxReopens()) return Next::kEnd;
  if (Clock::now() >= progress->deadline) return Next::kEnd;
  if (broken && !gone) return Next::kRepeat;
  if (gone) state().Leave(daemon);
  return Next::kReopenAndRepeat;
}

bool StageSession::IsUnanswered(const absl::Status& status, const CallOptions& call) const {
  const ConnectionOptions& options = state().options;
  return state().clients.size() > 1 && absl::IsDeadlineExceeded(status) &&
         ErrorReason(status).empty() &&
         call.timeout.value_or(options.client.timeout) >= options.failover_after;
}

absl::Status StageSession::Run(const Attempt& attempt, const CallOptions& call) {
  Progress progress = Begin(call);
  for (;;) {
    SD_ASSIGN_OR_RETURN(const bool ready, MayAttempt(&progress));
    if (ready) {
      const Lease::Grant& grant = progress.grant;
      const Outcome outcome =
          attempt(*state().clients[grant.daemon], grant.handle, Remaining(call, progress.deadline));
      const Next next = AfterAttempt(&progress, outcome);
      if (next == Next::kEnd) return outcome.status;
      if (next == Next::kRepeat) continue;
    }
    SD_RETURN_IF_ERROR(Await([&](Done done) {
      Reopen(progress.grant.handle, call, progress.deadline, std::move(done));
    }));
  }
}

absl::Status StageSession::RunEdit(const Attempt& attempt,
                                   const std::function<void(v1::OpenStageRequest&)>& fold,
                                   const CallOptions& call) {
  MutexLock editing(edit_mu_);
  SD_RETURN_IF_ERROR(Run(attempt, call));
  MutexLock lock(mu_);
  fold(request_);
  edited_ = true;
  return absl::OkStatus();
}

CallOptions StageSession::Remaining(const CallOptions& call, Clock::time_point deadline) const {
  CallOptions left = call;
  left.timeout =
      std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(1));
  return left;
}

void StageSession::Saw(const std::string& snapshot) {
  if (snapshot.empty()) return;
  MutexLock lock(mu_);
  snapshot_ = snapshot;
}

std::string StageSession::snapshot() const {
  MutexLock lock(mu_);
  return snapshot_;
}

v1::Stage StageSession::info() const {
  MutexLock lock(mu_);
  return info_;
}

}  // namespace stagedoor::sdk
