#include "client/sdk/stage_session.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_reason.h"
#include "client/sdk/error.h"

namespace stagedoor::sdk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What the daemon says about the end of a lease is believed within these limits, because its clock
// and ours may differ. Renewing a lease more often than necessary costs little.
constexpr seconds kMinTtl{5};
constexpr seconds kMaxTtl{60};

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
  SD_RETURN_IF_ERROR(session->OpenAnywhere(call, deadline));
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
      request, [](const absl::StatusOr<v1::CloseStageResponse>&) {}, {.timeout = seconds(2)});
}

absl::Status StageSession::Close(const CallOptions& call) {
  if (!lease_->Close()) return absl::OkStatus();
  const Lease::Grant grant = lease_->Use(Clock::now());
  v1::CloseStageRequest request;
  request.set_handle(grant.handle);
  absl::Status status = state().clients[grant.daemon]->CloseStage(request, call).status();
  return IsLostLease(status) ? absl::OkStatus() : status;
}

absl::Status StageSession::OpenAnywhere(const CallOptions& call, Clock::time_point deadline) {
  v1::OpenStageRequest request;
  {
    MutexLock lock(mu_);
    request = request_;
  }
  absl::Status status;
  for (size_t attempt = 0; attempt < state().clients.size(); ++attempt) {
    const size_t daemon = state().current();
    const Clock::time_point asked = Clock::now();
    const auto reply = state().clients[daemon]->OpenStage(request, Remaining(call, deadline));
    status = reply.status();
    if (status.ok()) Adopt(*reply, daemon, asked);
    if (!IsUnreachable(status) || Clock::now() >= deadline) break;
    state().Leave(daemon);
  }
  return status;
}

void StageSession::Adopt(const v1::OpenStageResponse& reply, size_t daemon,
                         Clock::time_point asked) {
  MutexLock lock(mu_);
  lease_->Adopt({reply.handle(), daemon, TtlOf(request_, reply)}, asked);
  info_ = reply.stage();
  snapshot_ = reply.stage().snapshot();
}

absl::Status StageSession::Reopen(const std::string& lost, const CallOptions& call,
                                  Clock::time_point deadline) {
  MutexLock reopening(reopen_mu_);
  if (lease_->handle() != lost) return absl::OkStatus();
  {
    MutexLock lock(mu_);
    if (edited_ && !request_.session().empty()) {
      return WithReason(
          FailedPreconditionError("the lease on the session ", Quoted(request_.session()),
                                  " is gone, and perhaps its edits"),
          "LEASE_EXPIRED", "");
    }
  }
  return OpenAnywhere(call, deadline);
}

absl::Status StageSession::Run(const Attempt& attempt, const CallOptions& call) {
  const Clock::time_point deadline =
      Clock::now() + call.timeout.value_or(state().options.client.timeout);
  const size_t attempts = state().clients.size() + 1;
  for (size_t made = 1;; ++made) {
    if (lease_->closed()) return FailedPreconditionError("the stage is closed");
    const Lease::Grant grant = lease_->Use(Clock::now());
    const Outcome outcome =
        attempt(*state().clients[grant.daemon], grant.handle, Remaining(call, deadline));
    const bool gone = IsUnreachable(outcome.status) && state().clients.size() > 1;
    if (!gone && !IsLostLease(outcome.status)) return outcome.status;
    if (!outcome.repeatable || made == attempts || Clock::now() >= deadline) return outcome.status;
    if (gone) state().Leave(grant.daemon);
    SD_RETURN_IF_ERROR(Reopen(grant.handle, call, deadline));
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
