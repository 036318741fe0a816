#include "server/upstream/node_sessions.h"

#include <algorithm>
#include <utility>

#include "base/random_id.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/error_details.h"
#include "client/cc/routing_key.h"
#include "server/error_info.h"
#include "server/rpc/grpc_status.h"
#include "server/rpc/message_serialization.h"

namespace stagedoor::server {
namespace {

using std::chrono::seconds;

// The time to live of leases upstream, and how long before its end one is renewed.
constexpr seconds kUpstreamTtl{600};
constexpr seconds kRenewAfter{200};
// How long the lease on a stage without handles is kept, for the next process.
constexpr seconds kLinger{30};
// For how long a stage that was opened is shared by processes without asking upstream whether its
// files have changed.
constexpr seconds kShareFor{1};

// The beginning of handles. No daemon that holds scenes grants such ones.
constexpr std::string_view kOwn = "node-";

std::chrono::system_clock::time_point Soon() {
  return std::chrono::system_clock::now() + seconds(60);
}

absl::Status UnknownHandleError() {
  return WithReason(NotFoundError("the stage handle is not known to the node daemon: it was closed "
                                  "or has expired, or the daemon was restarted; open the stage "
                                  "again"),
                    v1::ERROR_REASON_STAGE_NOT_FOUND);
}

std::string ShareKey(const v1::OpenStageRequest& request, const ForwardedCaller& caller) {
  std::string key = request.SerializeAsString();
  key += '\0';
  return key + caller.authorization;
}

// Serialization of a small message, which cannot fail.
grpc::ByteBuffer BytesOf(const google::protobuf::Message& message) {
  return SerializeMessage(message).value_or(grpc::ByteBuffer());
}

}  // namespace

bool NodeSessions::IsLost(const grpc::Status& status) {
  if (status.ok()) return false;
  for (const std::string& info : FindDetails(status.error_details(), kErrorInfoType)) {
    const std::string reason = ParseErrorInfo(info).reason;
    if (reason == "STAGE_NOT_FOUND" || reason == "LEASE_EXPIRED") return true;
  }
  return false;
}

NodeSessions::NodeSessions(const UpstreamCall::Environment& environment, const Methods& methods,
                           const LeaseOptions& options)
    : environment_(environment), methods_(methods), options_(options) {}

NodeSessions::Clock::duration NodeSessions::Allowed(Clock::duration ttl) const {
  if (ttl <= Clock::duration::zero()) ttl = options_.default_ttl;
  return std::min(ttl, options_.max_ttl);
}

void NodeSessions::Open(v1::OpenStageRequest request, const ForwardedCaller& caller,
                        const Opened& done) {
  request.clear_client_name();
  request.clear_request_id();
  request.clear_lease_ttl();
  const std::string key = ShareKey(request, caller);
  Stage known;
  {
    MutexLock lock(mu_);
    Shareable& shareable = shareable_[key];
    known = shareable.stage.lock();
    if (known != nullptr && known->edited()) known = nullptr;
    const bool fresh = options_.now() - shareable.opened < kShareFor;
    if (known != nullptr && !fresh && !known->may_be_joined_later()) known = nullptr;
    if (known == nullptr) {
      shareable.waiting.push_back(done);
      if (std::exchange(shareable.opening, true)) return;
    }
  }
  if (known != nullptr) return done(grpc::Status::OK, known);
  OpenUpstream(request, caller, [this, key](const grpc::Status& status, const Stage& stage) {
    FinishSharing(key, status, stage);
  });
}

void NodeSessions::FinishSharing(const std::string& key, const grpc::Status& status,
                                 const Stage& stage) {
  std::vector<Opened> waiting;
  Stage shared = stage;
  {
    MutexLock lock(mu_);
    Shareable& shareable = shareable_[key];
    const Stage before = shareable.stage.lock();
    // Nothing has changed since a session was opened that others use.
    const bool same = status.ok() && before != nullptr && before->is_private() &&
                      before->newest() == stage->opened().stage().snapshot();
    if (same) shared = before;
    if (status.ok()) shareable.stage = shared;
    shareable.opened = options_.now();
    shareable.opening = false;
    waiting.swap(shareable.waiting);
    if (!status.ok()) shareable_.erase(key);
  }
  for (const Opened& done : waiting) done(status, shared);
}

UpstreamRequest NodeSessions::MakeOpen(v1::OpenStageRequest request,
                                       const ForwardedCaller& caller) const {
  request.set_request_id(RandomId().value_or(""));
  request.mutable_lease_ttl()->set_seconds(kUpstreamTtl.count());
  UpstreamRequest call;
  call.method = &methods_.open;
  call.message = BytesOf(request);
  call.caller = caller;
  call.routing_key = RoutingKeyOf(request.root_layer());
  call.deadline = std::chrono::system_clock::now() + std::chrono::minutes(10);
  call.repeatable = !request.request_id().empty();
  return call;
}

void NodeSessions::OpenUpstream(const v1::OpenStageRequest& request, const ForwardedCaller& caller,
                                Opened done) {
  CallUpstream(environment_, MakeOpen(request, caller),
               [this, request, authorization = caller.authorization, done = std::move(done)](
                   const UpstreamEnd& end, grpc::ByteBuffer reply) {
                 v1::OpenStageResponse opened;
                 grpc::Status status = end.status;
                 if (status.ok()) status = ToGrpcStatus(ParseMessage(&reply, &opened));
                 if (!status.ok()) return done(status, nullptr);
                 const auto stage = std::make_shared<NodeStage>(
                     request, RoutingKeyOf(request.root_layer()), authorization, opened,
                     end.address, options_.now());
                 {
                   MutexLock lock(mu_);
                   stages_.push_back(stage);
                 }
                 done(grpc::Status::OK, stage);
               });
}

absl::StatusOr<NodeSessions::Grant> NodeSessions::AddHandle(const Stage& stage,
                                                            Clock::duration ttl) {
  SD_ASSIGN_OR_RETURN(const std::string id, RandomId());
  std::string handle = Concat(kOwn, id);
  ttl = Allowed(ttl);
  MutexLock lock(mu_);
  if (stage->edited())
    return AbortedError("the session was edited meanwhile; open the stage again");
  if (handles_.size() >= options_.max_leases) {
    return WithRetryDelay(
        ResourceExhaustedError("there are ", handles_.size(), " stage handles, the maximum"),
        std::chrono::seconds(1));
  }
  handles_.emplace(handle, Handle{stage, ttl, options_.now() + ttl, {}});
  stage->AddHandle();
  return Grant{std::move(handle), ttl};
}

bool NodeSessions::IsOwn(std::string_view handle) { return handle.starts_with(kOwn); }

absl::StatusOr<NodeSessions::Stage> NodeSessions::Find(std::string_view handle) {
  MutexLock lock(mu_);
  const auto found = handles_.find(handle);
  const auto now = options_.now();
  if (found == handles_.end() || found->second.expiry < now) return UnknownHandleError();
  found->second.expiry = now + found->second.ttl;
  return found->second.stage;
}

absl::StatusOr<NodeSessions::Clock::duration> NodeSessions::TimeLeft(
    std::string_view handle) const {
  MutexLock lock(mu_);
  const auto found = handles_.find(handle);
  const auto now = options_.now();
  if (found == handles_.end() || found->second.expiry < now) return UnknownHandleError();
  return found->second.expiry - now;
}

absl::StatusOr<NodeSessions::Clock::duration> NodeSessions::Renew(std::string_view handle,
                                                                  Clock::duration ttl) {
  SD_RETURN_IF_ERROR(Find(handle).status());
  MutexLock lock(mu_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return UnknownHandleError();
  found->second.ttl = Allowed(ttl);
  found->second.expiry = options_.now() + found->second.ttl;
  return found->second.ttl;
}

absl::Status NodeSessions::Close(std::string_view handle) {
  MutexLock lock(mu_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return UnknownHandleError();
  found->second.stage->RemoveHandle();
  handles_.erase(found);
  return absl::OkStatus();
}

void NodeSessions::Separate(std::string_view handle, const ForwardedCaller& caller, Opened done) {
  const absl::StatusOr<Stage> found = Find(handle);
  if (!found.ok()) return done(ToGrpcStatus(found.status()), nullptr);
  const Stage& stage = *found;
  {
    MutexLock lock(mu_);
    if (stage->handles() == 1) stage->BeginEdit();  // from now on nobody shares it
  }
  if (stage->edited()) return done(grpc::Status::OK, stage);
  OpenUpstream(stage->request(), caller,
               [this, handle = std::string(handle), stage, done = std::move(done)](
                   const grpc::Status& status, const Stage& own) {
                 if (!status.ok()) return done(status, nullptr);
                 own->BeginEdit();
                 Replace(handle, stage, own);
                 // Another edit through the handle may have come first.
                 const absl::StatusOr<Stage> now = Find(handle);
                 if (!now.ok()) return done(ToGrpcStatus(now.status()), nullptr);
                 done(grpc::Status::OK, *now);
               });
}

void NodeSessions::Replace(std::string_view handle, const Stage& before, const Stage& own) {
  std::vector<std::weak_ptr<SharedReply>> watches;
  {
    MutexLock lock(mu_);
    const auto found = handles_.find(handle);
    if (found == handles_.end() || found->second.stage != before) return;
    before->RemoveHandle();
    own->AddHandle();
    found->second.stage = own;
    watches.swap(found->second.watches);
  }
  // Their clients repeat them, with the snapshot that they know, and so watch the new session.
  const grpc::Status status = ToGrpcStatus(WithRetryDelay(
      UnavailableError("the session is no longer shared with other processes; watch it again"),
      std::chrono::milliseconds(1)));
  for (const auto& each : watches) {
    if (const std::shared_ptr<SharedReply> watch = each.lock()) watch->Interrupt(status);
  }
}

void NodeSessions::AddWatch(std::string_view handle, const std::shared_ptr<SharedReply>& watch) {
  MutexLock lock(mu_);
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return;
  auto& watches = found->second.watches;
  std::erase_if(watches, [](const std::weak_ptr<SharedReply>& each) { return each.expired(); });
  watches.push_back(watch);
}

void NodeSessions::Reopen(const Stage& stage, uint64_t generation,
                          std::function<void(const grpc::Status&)> done) {
  if (stage->lease().generation != generation) return done(grpc::Status::OK);
  if (stage->edited()) {  // the edits are gone
    Drop(stage);
    return done(ToGrpcStatus(UnknownHandleError()));
  }
  {
    MutexLock lock(mu_);
    auto& waiting = reopening_[stage.get()];
    waiting.push_back(std::move(done));
    if (waiting.size() > 1) return;
  }
  UpstreamCounters::Add(environment_.counters.reopens);
  CallUpstream(environment_, MakeOpen(stage->request(), {.authorization = stage->authorization()}),
               [this, stage](const UpstreamEnd& end, grpc::ByteBuffer reply) {
                 v1::OpenStageResponse opened;
                 grpc::Status status = end.status;
                 if (status.ok()) status = ToGrpcStatus(ParseMessage(&reply, &opened));
                 if (status.ok() && !stage->Renew(opened, end.address)) {
                   Drop(stage);
                   status = ToGrpcStatus(UnknownHandleError());
                 }
                 if (status.ok()) stage->Admit(stage->authorization(), options_.now());
                 std::vector<std::function<void(const grpc::Status&)>> waiting;
                 {
                   MutexLock lock(mu_);
                   waiting.swap(reopening_[stage.get()]);
                   reopening_.erase(stage.get());
                 }
                 for (const auto& each : waiting) each(status);
               });
}

void NodeSessions::CheckAccess(const Stage& stage, const ForwardedCaller& caller,
                               std::function<void(const grpc::Status&)> done) {
  UpstreamCounters::Add(environment_.counters.access_checks);
  const NodeStage::Lease lease = stage->lease();
  v1::RenewLeaseRequest request;
  request.set_handle(lease.handle);
  request.mutable_lease_ttl()->set_seconds(kUpstreamTtl.count());
  UpstreamRequest call;
  call.method = &methods_.renew;
  call.message = BytesOf(request);
  call.caller = caller;
  call.routing_key = stage->routing_key();
  call.deadline = Soon();
  call.address = lease.address;
  CallUpstream(environment_, std::move(call),
               [this, stage, lease, caller, done = std::move(done)](const UpstreamEnd& end,
                                                                    const grpc::ByteBuffer&) {
                 if (IsLost(end.status)) {
                   return CheckReopened(stage, lease.generation, caller, end.status, done);
                 }
                 if (end.status.ok()) {
                   stage->Admit(caller.authorization, options_.now());
                   stage->Use(options_.now());
                 } else if (end.status.error_code() == grpc::StatusCode::UNAUTHENTICATED ||
                            end.status.error_code() == grpc::StatusCode::PERMISSION_DENIED) {
                   stage->Refuse(caller.authorization);
                 }
                 done(end.status);
               });
}

void NodeSessions::CheckReopened(const Stage& stage, uint64_t generation,
                                 const ForwardedCaller& caller, const grpc::Status& lost,
                                 const std::function<void(const grpc::Status&)>& done) {
  // A handle that exists, but belongs to another caller, is reported as lost, too.
  if (caller.authorization != stage->authorization()) {
    stage->Refuse(caller.authorization);
    return done(lost);
  }
  Reopen(stage, generation, done);
}

void NodeSessions::CloseUpstream(const Stage& stage) {
  const NodeStage::Lease lease = stage->lease();
  v1::CloseStageRequest request;
  request.set_handle(lease.handle);
  UpstreamRequest call;
  call.method = &methods_.close;
  call.message = BytesOf(request);
  call.caller.authorization = stage->authorization();
  call.routing_key = stage->routing_key();
  call.deadline = Soon();
  call.repeatable = false;
  call.address = lease.address;
  CallUpstream(environment_, std::move(call), [](const UpstreamEnd&, const grpc::ByteBuffer&) {});
}

void NodeSessions::Drop(const Stage& stage) {
  MutexLock lock(mu_);
  std::erase_if(handles_, [&](const auto& handle) { return handle.second.stage == stage; });
  std::erase(stages_, stage);
}

void NodeSessions::Sweep() {
  const auto now = options_.now();
  std::vector<Stage> unused;
  std::vector<Stage> ageing;
  {
    MutexLock lock(mu_);
    for (auto it = handles_.begin(); it != handles_.end();) {
      const bool expired = it->second.expiry < now;
      if (expired) it->second.stage->RemoveHandle();
      it = expired ? handles_.erase(it) : std::next(it);
    }
    for (const Stage& stage : stages_) {
      const auto idle = now - stage->last_use();
      if (stage->handles() == 0 && (idle > kLinger || stage->edited())) {
        unused.push_back(stage);
      } else if (stage->handles() > 0 && idle > kRenewAfter) {
        stage->Use(now);  // tried once in a while
        ageing.push_back(stage);
      }
    }
    for (const Stage& stage : unused) std::erase(stages_, stage);
    std::erase_if(shareable_, [&](const auto& each) {
      return !each.second.opening &&
             (each.second.stage.expired() ||
              std::find(unused.begin(), unused.end(), each.second.stage.lock()) != unused.end());
    });
  }
  for (const Stage& stage : unused) CloseUpstream(stage);
  for (const Stage& stage : ageing) {
    CheckAccess(stage, {.authorization = stage->authorization()}, [](const grpc::Status&) {});
  }
}

size_t NodeSessions::handles() const {
  MutexLock lock(mu_);
  return handles_.size();
}

size_t NodeSessions::stages() const {
  MutexLock lock(mu_);
  return stages_.size();
}

}  // namespace stagedoor::server
