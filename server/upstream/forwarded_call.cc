#include "server/upstream/forwarded_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/converters/duration_converter.h"
#include "server/rpc/message_serialization.h"
#include "server/upstream/reply_fetch.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

// Requests of more bytes are parsed by a thread of the executor.
constexpr size_t kMaxInlineRequest = 64 << 10;
constexpr int kOpenAttempts = 3;

std::string MetadataOf(const grpc::CallbackServerContext& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}

ForwardedCaller CallerOf(const grpc::CallbackServerContext& context) {
  ForwardedCaller caller{.authorization = MetadataOf(context, "authorization")};
  for (const char* const key : {"x-request-id", "traceparent"}) {
    std::string value = MetadataOf(context, key);
    if (!value.empty()) caller.trace.emplace_back(key, std::move(value));
  }
  return caller;
}

void FillTime(std::chrono::nanoseconds from_now, google::protobuf::Timestamp* out) {
  const auto time = std::chrono::system_clock::now().time_since_epoch() + from_now;
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  out->set_seconds(nanoseconds / 1000000000);
  out->set_nanos(static_cast<int32_t>(nanoseconds % 1000000000));
}

}  // namespace

ForwardedCall::ForwardedCall(CallAdmission& admission, MethodCounters& counters, Node& node,
                             const ForwardedMethod& method, grpc::CallbackServerContext* context,
                             grpc::ByteBuffer* request)
    : QueuedCall(admission, counters, context),
      node_(node),
      method_(method),
      grpc_(context),
      request_bytes_(request) {
  call().AddBytesIn(request->Length());
}

void ForwardedCall::Start() {
  const size_t bytes = request_bytes_->Length();
  const absl::Status reserved = ReserveRequest(bytes);
  if (!reserved.ok()) return End(reserved);
  QueuedCall::Start(bytes <= kMaxInlineRequest, Lane::kShort);
}

void ForwardedCall::Work() {
  {
    MutexLock lock(mu_);
    if (finished_) return;
    working_ = true;
  }
  Ref();
  call().BeginStep();
  const absl::Status read = call().Run([this] { return Read(); });
  if (read.ok()) {
    if (method_.watches) call().LeaveFlight();  // it may last for hours without doing anything
    call().AddToRegistry();
    Dispatch();
  } else {
    End(read);
  }
  bool cancelled = false;
  {
    MutexLock lock(mu_);
    working_ = false;
    cancelled = cancelled_;
  }
  if (cancelled) EndAs(grpc::Status::CANCELLED);
  Unref();
}

absl::Status ForwardedCall::Read() {
  SD_ASSIGN_OR_RETURN(request_, StageRequest::Parse(method_, request_bytes_));
  request_->caller = CallerOf(*grpc_);
  request_->deadline = grpc_->deadline();
  if (request_->routing_key.empty()) {
    request_->routing_key = MetadataOf(*grpc_, kRoutingKey);
  }
  return absl::OkStatus();
}

void ForwardedCall::Dispatch() {
  switch (method_.kind) {
    case ForwardKind::kOpen:
      // Sessions with a name outlive their daemon, so their handles must outlive this one.
      if (!request_->As<v1::OpenStageRequest>().session().empty()) return Pass();
      return Open(kOpenAttempts);
    case ForwardKind::kRenew:
      if (!NodeSessions::IsOwn(request_->As<v1::RenewLeaseRequest>().handle())) return Pass();
      return RenewLease();
    case ForwardKind::kClose:
      if (!NodeSessions::IsOwn(request_->As<v1::CloseStageRequest>().handle())) return Pass();
      return CloseStage();
    case ForwardKind::kDescribe:
      return Describe();
    default:
      break;
  }
  if (!NodeSessions::IsOwn(request_->handle())) return Pass();
  const absl::StatusOr<NodeSessions::Stage> stage = node_.sessions().Find(request_->handle());
  if (!stage.ok()) return End(stage.status());
  stage_ = *stage;
  if (method_.kind == ForwardKind::kEdit) return Edit();
  if (method_.kind != ForwardKind::kQuery) return Pass();
  const std::string snapshot =
      request_->snapshot().empty() ? stage_->newest() : request_->snapshot();
  if (snapshot.empty()) return Pass();
  Query(snapshot);
}

// The functions that are passed to others keep the call alive, which may end before they run.
template <typename... Args>
std::function<void(Args...)> ForwardedCall::Later(std::function<void(Args...)> fn) {
  Ref();
  const std::shared_ptr<ForwardedCall> kept(this, [](ForwardedCall* call) { call->Unref(); });
  return [kept, fn = std::move(fn)](Args... args) {
    {
      MutexLock lock(kept->mu_);
      if (kept->finished_) return;
    }
    fn(args...);
  };
}

void ForwardedCall::Open(int attempts_left) {
  node_.sessions().Open(
      request_->As<v1::OpenStageRequest>(), request_->caller,
      Later(std::function(
          [this, attempts_left](const grpc::Status& status, const NodeSessions::Stage& stage) {
            if (!status.ok()) return EndAs(status);
            AnswerOpen(stage, attempts_left);
          })));
}

void ForwardedCall::AnswerOpen(const NodeSessions::Stage& stage, int attempts_left) {
  const auto ttl = ToNanoseconds(request_->As<v1::OpenStageRequest>().lease_ttl());
  const auto grant = node_.sessions().AddHandle(
      stage, std::chrono::duration_cast<NodeSessions::Clock::duration>(ttl));
  if (absl::IsAborted(grant.status()) && attempts_left > 1) return Open(attempts_left - 1);
  if (!grant.ok()) return End(grant.status());
  v1::OpenStageResponse reply = stage->opened();
  reply.set_handle(grant->handle);
  FillTime(grant->ttl, reply.mutable_lease_expire_time());
  SendWhole(reply);
}

void ForwardedCall::RenewLease() {
  const auto& request = request_->As<v1::RenewLeaseRequest>();
  const auto ttl = node_.sessions().Renew(request.handle(),
                                          std::chrono::duration_cast<NodeSessions::Clock::duration>(
                                              ToNanoseconds(request.lease_ttl())));
  if (!ttl.ok()) return End(ttl.status());
  v1::RenewLeaseResponse reply;
  FillTime(*ttl, reply.mutable_lease_expire_time());
  SendWhole(reply);
}

void ForwardedCall::CloseStage() {
  const absl::Status closed =
      node_.sessions().Close(request_->As<v1::CloseStageRequest>().handle());
  if (!closed.ok()) return End(closed);
  SendWhole(v1::CloseStageResponse());
}

void ForwardedCall::Describe() {
  const auto describe =
      Later(std::function([this](const UpstreamEnd& end, const grpc::ByteBuffer& bytes) {
        if (!end.status.ok()) return EndAs(end.status);
        grpc::ByteBuffer copy(bytes);
        v1::GetCapabilitiesResponse reply;
        const absl::Status parsed = ParseMessage(&copy, &reply);
        if (!parsed.ok()) return End(parsed);
        reply.set_query_socket(node_.query_socket());  // upstream's is on another machine
        auto& features = *reply.mutable_features();    // query frames are not passed on
        features.erase(std::remove(features.begin(), features.end(), v1::FEATURE_QUERY_CHANNELS),
                       features.end());
        SendWhole(reply);
      }));
  CallUpstream(node_.environment(), request_->ForUpstream(nullptr, {}), describe);
}

void ForwardedCall::Edit() {
  node_.sessions().Separate(
      request_->handle(), request_->caller,
      Later(std::function([this](const grpc::Status& status, const NodeSessions::Stage& stage) {
        if (!status.ok()) return EndAs(status);
        stage_ = stage;
        Pass();
      })));
}

void ForwardedCall::Query(const std::string& snapshot) {
  if (MayReadKept(node_, *stage_, request_->caller)) return JoinReply(snapshot);
  AskToReadKept(node_, stage_, request_->caller,
                Later(std::function([this, snapshot](const grpc::Status& status) {
                  if (!status.ok()) return EndAs(status);
                  JoinReply(snapshot);
                })));
}

void ForwardedCall::JoinReply(const std::string& snapshot) {
  JoinedReply joined = JoinKeptReply(node_, request_, stage_, snapshot, this);
  fetched_ = joined.fetched;
  Follow(std::move(joined.reply));
}

void ForwardedCall::Pass() {
  JoinedReply joined = JoinOwnReply(node_, request_, stage_, this);
  fetched_ = true;
  if (method_.watches) node_.sessions().AddWatch(request_->handle(), joined.reply);
  joined.reply->Start();
  Follow(std::move(joined.reply));
}

void ForwardedCall::Follow(std::shared_ptr<SharedReply> reply) {
  {
    MutexLock lock(mu_);
    if (!finished_) reply_.swap(reply);
  }
  Pump();
  // Leaves the reply that was followed before, or that came too late.
  if (reply != nullptr) reply->Leave(this);
}

void ForwardedCall::Pump() {
  std::shared_ptr<SharedReply> reply;
  {
    MutexLock lock(mu_);
    if (finished_ || writing_) return;
    reply = reply_;
  }
  grpc::ByteBuffer message;
  grpc::Status status;
  switch (reply->Next(this, &message, &status)) {
    case SharedReply::Result::kWait:
      return;
    case SharedReply::Result::kEnd:
      if (FetchesAgain(status)) return Pass();
      return EndAs(status);
    case SharedReply::Result::kMessage:
      return Send(&message, !method_.streams);
    case SharedReply::Result::kLastMessage:
      break;
  }
  if (method_.kind != ForwardKind::kGetStage || stage_ == nullptr) return Send(&message, true);
  absl::StatusOr<grpc::ByteBuffer> changed = WithExpiry(message);
  if (!changed.ok()) return End(changed.status());
  Send(&*changed, true);
}

absl::StatusOr<grpc::ByteBuffer> ForwardedCall::WithExpiry(const grpc::ByteBuffer& message) const {
  SD_ASSIGN_OR_RETURN(const auto left, node_.sessions().TimeLeft(request_->handle()));
  v1::GetStageResponse reply;
  grpc::ByteBuffer copy(message);
  SD_RETURN_IF_ERROR(ParseMessage(&copy, &reply));
  FillTime(left, reply.mutable_lease_expire_time());
  return SerializeMessage(reply);
}

bool ForwardedCall::FetchesAgain(const grpc::Status& status) const {
  return !fetched_ && !sent_ && ConcernsCaller(status);
}

void ForwardedCall::Send(grpc::ByteBuffer* message, bool last) {
  std::shared_ptr<SharedReply> left;
  {
    MutexLock lock(mu_);
    if (finished_) return;
    if (last) {
      finished_ = true;
      left = std::move(reply_);
    } else {
      writing_ = true;
    }
  }
  const size_t bytes = message->Length();
  UpstreamCounters& counters = node_.counters();
  if (!last || left != nullptr) UpstreamCounters::Add(counters.sent_bytes, bytes);
  if (!fetched_) UpstreamCounters::Add(counters.saved_bytes, bytes);
  call().AddBytesOut(bytes);
  message_.Swap(message);
  sent_ = true;
  WriteStarted();
  if (!last) return WriteMessage(&message_);
  if (left != nullptr) left->Leave(this);
  if (method_.kind == ForwardKind::kEdit) node_.replies().DropAging();
  WriteLastMessage(&message_, call().End(absl::OkStatus()));
}

void ForwardedCall::SendWhole(const google::protobuf::Message& reply) {
  absl::StatusOr<grpc::ByteBuffer> bytes = SerializeMessage(reply);
  if (!bytes.ok()) return End(bytes.status());
  fetched_ = true;
  Send(&*bytes, true);
}

bool ForwardedCall::BeginEnd() {
  std::shared_ptr<SharedReply> left;
  {
    MutexLock lock(mu_);
    if (finished_ || writing_) return false;
    finished_ = true;
    left = std::move(reply_);
  }
  if (left != nullptr) left->Leave(this);
  return true;
}

void ForwardedCall::End(const absl::Status& status) {
  if (BeginEnd()) FinishCall(call().End(status));
}

void ForwardedCall::EndAs(const grpc::Status& status) {
  if (!BeginEnd()) return;
  call().End(
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message()));
  FinishCall(status);
}

void ForwardedCall::MessageWritten(bool ok) {
  WriteDone();
  message_.Clear();
  bool cancelled = false;
  {
    MutexLock lock(mu_);
    writing_ = false;
    cancelled = cancelled_;
  }
  if (!ok || cancelled) return EndAs(grpc::Status::CANCELLED);
  Pump();
}

void ForwardedCall::Cancelled() {
  Ref();
  Cancel();
  bool waiting = false;
  {
    MutexLock lock(mu_);
    cancelled_ = true;
    waiting = !finished_ && !working_ && !writing_;
  }
  if (waiting) EndAs(grpc::Status::CANCELLED);
  Unref();
}

}  // namespace stagedoor::server
