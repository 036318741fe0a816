#include "server/upstream/node_queries.h"

#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "client/cc/error_details.h"
#include "server/error_info.h"
#include "server/rpc/grpc_status.h"
#include "server/upstream/reply_fetch.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kBatchGetValues = "/stagedoor.v1.QueryService/BatchGetValues";

// The error of a call upstream, with the reason that it states.
absl::Status StatusOf(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status error =
      MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  for (const std::string& info : FindDetails(status.error_details(), kErrorInfoType)) {
    v1::ErrorReason reason{};
    const std::string name = Concat("ERROR_REASON_", ParseErrorInfo(info).reason);
    if (v1::ErrorReason_Parse(name, &reason)) error = WithReason(std::move(error), reason);
  }
  return error;
}

// One query, which is answered exactly once. The reply that it waits for keeps it alive, and so
// does the caller that may cancel it, as long as it has not ended. Thread-safe.
class NodeQuery final : public QuerySource::Pending,
                        private ReplyReader,
                        public std::enable_shared_from_this<NodeQuery> {
 public:
  NodeQuery(Node& node, std::shared_ptr<StageRequest> request, QuerySource::Done done)
      : node_(node), request_(std::move(request)), done_(std::move(done)) {}

  // To be called once.
  void Start() {
    if (!NodeSessions::IsOwn(request_->handle())) return Pass();
    const auto stage = node_.sessions().Find(request_->handle());
    if (!stage.ok()) return Finish(stage.status(), nullptr);
    stage_ = *stage;
    const std::string snapshot =
        request_->snapshot().empty() ? stage_->newest() : request_->snapshot();
    if (snapshot.empty()) return Pass();
    if (MayReadKept(node_, *stage_, request_->caller)) return Join(snapshot);
    AskToReadKept(node_, stage_, request_->caller,
                  [self = shared_from_this(), snapshot](const grpc::Status& status) {
                    if (!status.ok()) return self->Finish(StatusOf(status), nullptr);
                    self->Join(snapshot);
                  });
  }

  void Cancel() override { Finish(CancelledError("the query was cancelled"), nullptr); }

 private:
  void Join(const std::string& snapshot) {
    JoinedReply joined = JoinKeptReply(node_, request_, stage_, snapshot, this);
    fetched_ = joined.fetched;
    Follow(std::move(joined.reply));
  }

  void Pass() {
    JoinedReply joined = JoinOwnReply(node_, request_, stage_, this);
    fetched_ = true;
    joined.reply->Start();
    Follow(std::move(joined.reply));
  }

  void Follow(std::shared_ptr<SharedReply> reply) {
    {
      MutexLock lock(mu_);
      if (done_ != nullptr) reply_.swap(reply);
    }
    Pump();
    // Leaves the reply that was followed before, or that came too late.
    if (reply != nullptr) reply->Leave(this);
  }

  void Pump() {
    std::shared_ptr<SharedReply> reply;
    {
      MutexLock lock(mu_);
      reply = reply_;
    }
    if (reply == nullptr) return;
    grpc::ByteBuffer message;
    grpc::Status status;
    const SharedReply::Result result = reply->Next(this, &message, &status);
    if (result == SharedReply::Result::kWait) return;
    if (result == SharedReply::Result::kEnd) {
      if (!fetched_ && ConcernsCaller(status)) return Pass();
      return Finish(StatusOf(status), nullptr);
    }
    UpstreamCounters::Add(node_.counters().sent_bytes, message.Length());
    if (!fetched_) UpstreamCounters::Add(node_.counters().saved_bytes, message.Length());
    Finish(absl::OkStatus(), &message);
  }

  // Ends the query, once.
  void Finish(const absl::Status& status, grpc::ByteBuffer* message) {
    std::shared_ptr<SharedReply> left;
    QuerySource::Done done;
    {
      MutexLock lock(mu_);
      done.swap(done_);
      left.swap(reply_);
    }
    if (left != nullptr) left->Leave(this);
    if (done != nullptr) done(status, message);
  }

  void Wake() override { Pump(); }
  void Retain() override {
    MutexLock lock(mu_);
    if (holds_++ == 0) self_ = shared_from_this();
  }
  void Unretain() override {
    std::shared_ptr<NodeQuery> released;  // destroyed without the lock
    MutexLock lock(mu_);
    if (--holds_ == 0) released = std::move(self_);
  }

  Node& node_;
  const std::shared_ptr<StageRequest> request_;
  // Used by the thread that takes the next step of the query.
  NodeSessions::Stage stage_;
  bool fetched_ = false;

  Mutex mu_;
  QuerySource::Done done_ ABSL_GUARDED_BY(mu_);              // null at the end
  std::shared_ptr<SharedReply> reply_ ABSL_GUARDED_BY(mu_);  // that is followed
  std::shared_ptr<NodeQuery> self_ ABSL_GUARDED_BY(mu_);     // while it is retained
  int holds_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace

NodeQueries::NodeQueries(Node& node) : node_(node), method_(node.Method(kBatchGetValues)) {}

std::shared_ptr<QuerySource::Pending> NodeQueries::Ask(
    const v1::BatchGetValuesRequest& request, std::chrono::system_clock::time_point deadline,
    Done done) {
  std::shared_ptr<StageRequest> copy = StageRequest::Copy(method_, request);
  copy->deadline = deadline;
  const auto query = std::make_shared<NodeQuery>(node_, std::move(copy), std::move(done));
  query->Start();
  return query;
}

}  // namespace stagedoor::server
