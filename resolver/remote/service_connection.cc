#include "resolver/remote/service_connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

// The latest message of a service that is quoted in an error.
constexpr size_t kMaxQuotedBytes = 500;

// The end of one attempt of a unary call.
class CallEnd {
 public:
  void Set(const grpc::Status& status) {
    MutexLock lock(mu_);
    status_ = status;
    changed_.NotifyAll();
  }

  // Waits for the end, which is soon once the request is over.
  grpc::Status Wait(RequestContext& context, grpc::ClientContext& call) {
    if (!WaitWhileAlive(context)) call.TryCancel();
    MutexLock lock(mu_);
    while (!status_.has_value()) changed_.Wait(mu_);
    return *status_;
  }

 private:
  // Returns false if the request is over first.
  bool WaitWhileAlive(RequestContext& context) {
    MutexLock lock(mu_);
    while (!status_.has_value()) {
      if (!CancellableWait(context, mu_, changed_).ok()) return false;
    }
    return true;
  }

  Mutex mu_;
  CondVar changed_;
  std::optional<grpc::Status> status_ ABSL_GUARDED_BY(mu_);
};

// The message of a service, safe to print and not too long.
std::string Printable(std::string_view message) {
  const std::string quoted = Quoted(message, kMaxQuotedBytes);
  return quoted.substr(1, quoted.rfind('\'') - 1);
}

// The code that callers see for one of the service.
absl::StatusCode CodeFor(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::NOT_FOUND:
      return absl::StatusCode::kNotFound;
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return absl::StatusCode::kPermissionDenied;
    case grpc::StatusCode::INVALID_ARGUMENT:
      return absl::StatusCode::kInvalidArgument;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return absl::StatusCode::kResourceExhausted;
    case grpc::StatusCode::UNIMPLEMENTED:  // another server, or an unfinished one
      return absl::StatusCode::kFailedPrecondition;
    case grpc::StatusCode::FAILED_PRECONDITION:  // the version is gone
    case grpc::StatusCode::DATA_LOSS:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  // All gRPC servers accept pings with five minutes between them by default.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 310'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no limit: Watch may be silent
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Not through a proxy that the environment names: the operator has named the service.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(4 << 20);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ServiceConnection>> ServiceConnection::Open(
    const ResolverServiceOptions& options) {
  SD_RETURN_IF_ERROR(CheckServiceAddress(options.address));
  SD_RETURN_IF_ERROR(CheckServiceScheme(options.scheme));
  return std::make_shared<const ServiceConnection>(MakeChannel(options.address), options);
}

ServiceConnection::ServiceConnection(std::shared_ptr<grpc::Channel> channel,
                                     ResolverServiceOptions options)
    : options_(std::move(options)),
      channel_(std::move(channel)),
      stub_(resolver::v1::ResolverService::NewStub(channel_)) {}

grpc::Status ServiceConnection::Call(RequestContext& context, const Start& start) const {
  ServiceAttempts attempts(options_);
  for (;;) {
    if (!context.Check().ok()) return grpc::Status::CANCELLED;
    grpc::ClientContext call;
    SetDeadline(context, options_.answer_timeout, &call);
    AddTrace(&call);
    CallEnd end;
    start(&call, [&end](const grpc::Status& status) { end.Set(status); });
    grpc::Status status = end.Wait(context, call);
    if (status.ok() || !attempts.Again(context, status)) return status;
  }
}

void ServiceConnection::AddTrace(grpc::ClientContext* call) {
  RequestNotes* const notes = RequestScope::Current().notes;
  const std::string parent = notes == nullptr ? std::string() : notes->TraceParent();
  if (!parent.empty()) call->AddMetadata("traceparent", parent);
}

void ServiceConnection::SetDeadline(const RequestContext& context, milliseconds timeout,
                                    grpc::ClientContext* call) {
  // A little later than the request's, which is observed here, so that the error is the request's.
  constexpr milliseconds kLater{200};
  RequestContext::Clock::duration left = timeout;
  if (context.has_deadline()) {
    left = std::min(left, context.deadline() - RequestContext::Clock::now() + kLater);
  }
  call->set_deadline(std::chrono::system_clock::now() +
                     std::chrono::duration_cast<std::chrono::microseconds>(left));
}

absl::Status ServiceConnection::Error(const RequestContext& context, const grpc::Status& status,
                                      std::string_view path) const {
  SD_RETURN_IF_ERROR(context.Check());
  const absl::StatusCode code = CodeFor(status.error_code());
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    return Nonsense(path, Concat("does not answer within ", options_.answer_timeout.count(),
                                 " ms; is it overloaded?"));
  }
  return MakeStatus(
      code, Concat(Quoted(path), ": resolver service ", Quoted(options_.address),
                   code == absl::StatusCode::kUnavailable ? " is not available: " : " answers: ",
                   Printable(status.error_message())));
}

absl::Status ServiceConnection::Error(const resolver::v1::ItemError& error,
                                      std::string_view path) const {
  const int number = error.code();  // any number that the service has sent
  const bool known = number > 0 && number <= grpc::StatusCode::UNAUTHENTICATED;
  const absl::StatusCode code =
      CodeFor(known ? static_cast<grpc::StatusCode>(number) : grpc::StatusCode::UNKNOWN);
  return MakeStatus(code, Concat(Quoted(path), ": resolver service ", Quoted(options_.address),
                                 " answers: ", Printable(error.message())));
}

absl::Status ServiceConnection::Nonsense(std::string_view path, std::string_view what) const {
  return UnavailableError(Quoted(path), ": resolver service ", Quoted(options_.address), " ", what);
}

absl::Status ServiceConnection::Misconfigured(std::string_view path, std::string_view what) const {
  return FailedPreconditionError(Quoted(path), ": resolver service ", Quoted(options_.address), " ",
                                 what);
}

ServiceAttempts::ServiceAttempts(const ResolverServiceOptions& options) : options_(options) {
  Reset();
}

void ServiceAttempts::Reset() {
  left_ = options_.max_attempts - 1;
  backoff_ = options_.initial_backoff;
}

bool ServiceAttempts::Again(RequestContext& context, const grpc::Status& status) {
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE || left_ <= 0) return false;
  --left_;
  const auto end = RequestContext::Clock::now() + Jittered(backoff_);
  backoff_ = std::min(backoff_ * 2, options_.max_backoff);
  if (context.deadline() <= end) return false;
  Mutex mu;
  CondVar never;
  MutexLock lock(mu);
  while (RequestContext::Clock::now() < end) {
    if (!CancellableWait(context, mu, never).ok()) return false;
  }
  return true;
}

milliseconds Jittered(milliseconds pause) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return milliseconds(pause.count() / 2 + static_cast<int64_t>(random() % (pause.count() / 2 + 1)));
}

}  // namespace stagedoor
