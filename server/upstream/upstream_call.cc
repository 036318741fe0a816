#include "server/upstream/upstream_call.h"

#include <grpcpp/client_context.h>
#include <grpcpp/impl/rpc_method.h>

#include <random>

#include "base/status.h"
#include "server/rpc/grpc_status.h"
#include "server/rpc/reply_terms.h"

namespace stagedoor::server {
namespace {

using grpc::internal::ClientCallbackReaderFactory;
using grpc::internal::RpcMethod;
using std::chrono::milliseconds;

// After what time a process should repeat a call for which no daemon could be reached.
constexpr milliseconds kRetryDelay{500};

uint32_t RandomForBackoff() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return static_cast<uint32_t>(random());
}

milliseconds TimeLeft(std::chrono::system_clock::time_point deadline, RetryClock::Time now) {
  constexpr milliseconds kMost = std::chrono::hours(24);
  if (deadline > now + kMost) return kMost;
  return std::chrono::duration_cast<milliseconds>(deadline - now);
}

// The listener of a unary call.
class WholeReplyListener final : public UpstreamListener {
 public:
  explicit WholeReplyListener(WholeReply done) : done_(std::move(done)) {}

  void OnStart(std::shared_ptr<UpstreamCall>) override {}
  void OnMessage(const grpc::ByteBuffer& message) override { reply_ = message; }
  void OnEnd(const UpstreamEnd& end) override {
    if (!end.status.ok()) reply_.Clear();
    done_(end, reply_);
  }

 private:
  const WholeReply done_;
  grpc::ByteBuffer reply_;
};

}  // namespace

// One attempt. Deletes itself when gRPC is done with it.
class UpstreamCall::Attempt {
 public:
  virtual ~Attempt() = default;

  virtual void Start() = 0;
  // Asks for one more message of a stream.
  virtual void Read() = 0;
  void Cancel() { context_.TryCancel(); }

 protected:
  Attempt(std::shared_ptr<UpstreamCall> call, RpcMethod::RpcType type)
      : owner_(std::move(call)), method_(owner_->request_.method->path.c_str(), type) {
    const UpstreamRequest& request = owner_->request_;
    UpstreamAddresses& addresses = owner_->environment_.addresses;
    context_.set_deadline(request.deadline);
    for (const auto& [key, value] : request.caller.trace) context_.AddMetadata(key, value);
    if (!request.routing_key.empty()) {
      context_.AddMetadata(kRoutingKey, request.routing_key);
    }
    if (request.method->kind == ForwardKind::kQuery) context_.AddMetadata(kAskReplyTerms, "1");
    const std::string authorization = request.caller.authorization.empty()
                                          ? addresses.Authorization()
                                          : request.caller.authorization;
    if (!authorization.empty()) context_.AddMetadata("authorization", authorization);
  }

  void Take(const grpc::ByteBuffer& message) { owner_->Take(this, message); }
  // The last use of the object.
  void Ended(const grpc::Status& status) {
    const bool lasting =
        status.ok() && context_.GetServerTrailingMetadata().contains(kLastingReply);
    const std::shared_ptr<UpstreamCall> call = std::move(owner_);
    call->AttemptEnded(status, lasting);
    delete this;
  }

  std::shared_ptr<UpstreamCall> owner_;
  const RpcMethod method_;
  grpc::ClientContext context_;
  grpc::ByteBuffer message_;
};

class UpstreamCall::StreamAttempt final : public Attempt,
                                          public grpc::ClientReadReactor<grpc::ByteBuffer> {
 public:
  StreamAttempt(std::shared_ptr<UpstreamCall> call, size_t address)
      : Attempt(std::move(call), RpcMethod::SERVER_STREAMING) {
    ClientCallbackReaderFactory<grpc::ByteBuffer>::Create(
        &owner_->environment_.addresses.channel(address), method_, &context_,
        &owner_->request_.message, this);
  }

  void Start() override {
    AddHold();  // for reads that other threads begin
    StartRead(&message_);
    StartCall();
  }
  void Read() override { StartRead(&message_); }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return RemoveHold();
    grpc::ByteBuffer message;
    message.Swap(&message_);
    Take(message);
  }
  void OnDone(const grpc::Status& status) override { Ended(status); }
};

// gRPC calls back once for all of a unary call made with a function, twice for one with a reactor,
// and for each part of a stream. Each time, it may wake another thread.
class UpstreamCall::UnaryAttempt final : public Attempt {
 public:
  UnaryAttempt(std::shared_ptr<UpstreamCall> call, size_t address)
      : Attempt(std::move(call), RpcMethod::NORMAL_RPC), address_(address) {}

  void Start() override {
    grpc::internal::CallbackUnaryCall(&owner_->environment_.addresses.channel(address_), method_,
                                      &context_, &owner_->request_.message, &message_,
                                      [this](const grpc::Status& status) { Done(status); });
  }
  void Read() override {}

 private:
  void Done(const grpc::Status& status) {
    if (status.ok()) Take(message_);
    Ended(status);
  }

  const size_t address_;
};

UpstreamCall::UpstreamCall(const Environment& environment, UpstreamRequest&& request,
                           std::shared_ptr<UpstreamListener> listener)
    : environment_(environment),
      owner_(environment.owner.lock()),
      request_(std::move(request)),
      policy_(environment.addresses.options(), environment.clock.Now(),
              TimeLeft(request_.deadline, environment.clock.Now())),
      order_(environment.addresses.Order(request_.routing_key)),
      listener_(std::move(listener)) {
  if (!request_.address.has_value()) return;
  std::erase(order_, *request_.address);
  order_.insert(order_.begin(), *request_.address);
}

std::shared_ptr<UpstreamCall> UpstreamCall::Start(const Environment& environment,
                                                  UpstreamRequest request,
                                                  std::shared_ptr<UpstreamListener> listener) {
  std::shared_ptr<UpstreamCall> call(
      new UpstreamCall(environment, std::move(request), std::move(listener)));
  call->Begin();
  return call;
}

void UpstreamCall::Begin() {
  std::shared_ptr<UpstreamListener> listener;
  {
    MutexLock lock(mu_);
    listener = listener_;
  }
  listener->OnStart(shared_from_this());
  StartAttempt();
}

void UpstreamCall::StartAttempt() {
  const size_t address = order_[tried_];
  UpstreamCounters::Add(environment_.counters.calls);
  if (!request_.caller.authorization.empty() && !environment_.addresses.MaySendTokens(address)) {
    return End(ToGrpcStatus(FailedPreconditionError(
                   "tokens are sent upstream only with TLS, because others could read them; see "
                   "--upstream-ca-file")),
               false);
  }
  Attempt* attempt = nullptr;
  if (request_.method->streams) {
    attempt = new StreamAttempt(shared_from_this(), address);
  } else {
    attempt = new UnaryAttempt(shared_from_this(), address);
  }
  bool cancelled = false;
  {
    MutexLock lock(mu_);
    attempt_ = attempt;
    reading_ = true;
    cancelled = cancelled_;
  }
  attempt->Start();
  if (cancelled) Cancel();
}

void UpstreamCall::Take(Attempt* attempt, const grpc::ByteBuffer& message) {
  UpstreamCounters::Add(environment_.counters.received_bytes, message.Length());
  delivered_ = true;
  std::shared_ptr<UpstreamListener> listener;
  bool cancelled = false;
  {
    MutexLock lock(mu_);
    cancelled = cancelled_;
    reading_ = cancelled;
    listener = listener_;
  }
  if (cancelled) return attempt->Read();
  listener->OnMessage(message);
}

void UpstreamCall::ReadNext() {
  if (!request_.method->streams) return;  // its message comes with the end
  Attempt* attempt = nullptr;
  {
    MutexLock lock(mu_);
    if (reading_ || attempt_ == nullptr) return;
    reading_ = true;
    attempt = attempt_;
  }
  attempt->Read();  // it is not deleted while a read may begin
}

void UpstreamCall::Cancel() {
  {
    MutexLock lock(mu_);
    cancelled_ = true;
    if (attempt_ == nullptr) return;
    attempt_->Cancel();
  }
  ReadNext();  // the end is read like a message
}

void UpstreamCall::AttemptEnded(const grpc::Status& status, bool lasting) {
  {
    MutexLock lock(mu_);
    attempt_ = nullptr;
  }
  const bool answered = status.ok() || !IsConnectionFailure(status);
  environment_.addresses.Report(order_[tried_], answered);
  if (!status.ok() && TryAgain(status)) return;
  End(answered || delivered_ ? status : Unreachable(status), lasting);
}

bool UpstreamCall::TryAgain(const grpc::Status& status) {
  if (delivered_ || !request_.repeatable) return false;
  {
    MutexLock lock(mu_);
    if (cancelled_) return false;
  }
  const bool reachable = !IsConnectionFailure(status);
  if (!reachable && tried_ + 1 < order_.size()) {
    ++tried_;
    UpstreamCounters::Add(environment_.counters.retries);
    StartAttempt();
    return true;
  }
  // Daemons are known by configuration, so they are waited for even if none has ever answered.
  const auto pause =
      policy_.NextBackoff(status, true, environment_.clock.Now(), RandomForBackoff());
  if (!pause.has_value()) return false;
  if (!reachable) tried_ = 0;
  UpstreamCounters::Add(environment_.counters.retries);
  environment_.clock.RunAfter(*pause, [call = shared_from_this()] {
    bool cancelled = false;
    {
      MutexLock lock(call->mu_);
      cancelled = call->cancelled_;
    }
    if (cancelled) return call->End(grpc::Status::CANCELLED, false);
    call->StartAttempt();
  });
  return true;
}

void UpstreamCall::End(grpc::Status status, bool lasting) {
  if (!status.ok()) UpstreamCounters::Add(environment_.counters.failures);
  std::shared_ptr<UpstreamListener> listener;
  {
    MutexLock lock(mu_);
    listener = std::move(listener_);
  }
  listener->OnEnd({.status = std::move(status), .lasting = lasting, .address = order_[tried_]});
}

grpc::Status UpstreamCall::Unreachable(const grpc::Status& status) const {
  return ToGrpcStatus(
      WithRetryDelay(UnavailableError("no upstream daemon can be reached at ",
                                      environment_.addresses.text(), ": ", status.error_message()),
                     kRetryDelay));
}

void CallUpstream(const UpstreamCall::Environment& environment, UpstreamRequest request,
                  WholeReply done) {
  auto listener = std::make_shared<WholeReplyListener>(std::move(done));
  UpstreamCall::Start(environment, std::move(request), listener);
}

}  // namespace stagedoor::server
