#include "server/upstream/reply_fetch.h"

#include <chrono>
#include <functional>
#include <utility>

namespace stagedoor::server {
namespace {

// A call upstream for one request. If upstream has lost the stage meanwhile and it could be opened
// again, there is a second one.
class Fetch : public ReplyOrigin {
 public:
  // `stage` may be null.
  Fetch(Node& node, std::shared_ptr<StageRequest> request, NodeSessions::Stage stage,
        std::string snapshot)
      : node_(node),
        request_(std::move(request)),
        stage_(std::move(stage)),
        snapshot_(std::move(snapshot)) {}

  void Start(const std::shared_ptr<SharedReply>& reply) override {
    if (stage_ != nullptr) generation_ = stage_->generation();
    if (stage_ != nullptr) stage_->Use(NodeStage::Clock::now());
    UpstreamCall::Start(node_.environment(), request_->ForUpstream(stage_.get(), snapshot_), reply);
  }

  bool Recover(const std::shared_ptr<SharedReply>& reply, const UpstreamEnd& end) override {
    if (stage_ == nullptr || tried_ || !NodeSessions::IsLost(end.status)) return false;
    tried_ = true;
    // The reply keeps this object until its end.
    node_.sessions().Reopen(stage_, generation_,
                            [this, reply, lost = end](const grpc::Status& status) {
                              if (status.ok()) return Start(reply);
                              UpstreamEnd failed = lost;
                              failed.status = status;
                              reply->OnEnd(failed);
                            });
    return true;
  }

  void Ended(const std::shared_ptr<SharedReply>&, const UpstreamEnd&) override {}

 protected:
  Node& node() { return node_; }

 private:
  Node& node_;
  const std::shared_ptr<StageRequest> request_;
  const NodeSessions::Stage stage_;
  const std::string snapshot_;
  uint64_t generation_ = 0;  // of the lease that was used
  bool tried_ = false;
};

// A Fetch whose reply is kept.
class KeptFetch final : public Fetch {
 public:
  KeptFetch(Node& node, std::shared_ptr<StageRequest> request, NodeSessions::Stage stage,
            std::string snapshot, std::string key)
      : Fetch(node, std::move(request), std::move(stage), std::move(snapshot)),
        key_(std::move(key)) {}

  void Ended(const std::shared_ptr<SharedReply>& reply, const UpstreamEnd& end) override {
    node().replies().Ended(key_, reply, end.lasting);
  }

 private:
  const std::string key_;
};

}  // namespace

JoinedReply JoinKeptReply(Node& node, const std::shared_ptr<StageRequest>& request,
                          const NodeSessions::Stage& stage, const std::string& snapshot,
                          ReplyReader* reader) {
  const std::string key = request->ReplyKeyFor(*stage, snapshot);
  ReplyCache& replies = node.replies();
  const auto make = [&] {
    const SharedReply::Options options{.keep = true,
                                       .max_bytes = replies.max_reply_bytes(),
                                       .pool = &replies.pool(),
                                       .single = !request->method().streams};
    return std::make_shared<SharedReply>(
        options, std::make_unique<KeptFetch>(node, request, stage, snapshot, key));
  };
  ReplyCache::Found found = replies.Join(key, reader, std::ref(make));
  if (found.is_new) {
    // Others may wait for it, too; each of them ends at its own deadline.
    request->deadline = std::chrono::system_clock::time_point::max();
    const std::string kind = request->ArrayKind(*stage);
    const auto fetch = [&node, request, key, kind, reply = found.reply] {
      reply->SetFiller(request->ExpectArrays(kind, node.arrays(), node.counters()));
      node.Fetch(key, reply);
    };
    if (node.CanRestoreArrays(kind)) {
      node.RestoreArrays(kind, fetch);
    } else {
      fetch();
    }
  }
  return {.reply = std::move(found.reply), .fetched = found.is_new};
}

JoinedReply JoinOwnReply(Node& node, const std::shared_ptr<StageRequest>& request,
                         const NodeSessions::Stage& stage, ReplyReader* reader) {
  UpstreamCounters::Add(node.counters().passed);
  auto reply = std::make_shared<SharedReply>(
      SharedReply::Options{.single = !request->method().streams},
      std::make_unique<Fetch>(node, request, stage, request->snapshot()));
  reply->Join(reader);
  return {.reply = std::move(reply), .fetched = true};
}

bool MayReadKept(Node& node, const NodeStage& stage, const ForwardedCaller& caller) {
  return stage.IsAdmitted(caller.authorization, NodeStage::Clock::now(), node.options().access_age);
}

void AskToReadKept(Node& node, const NodeSessions::Stage& stage, const ForwardedCaller& caller,
                   std::function<void(const grpc::Status&)> done) {
  node.sessions().CheckAccess(stage, caller,
                              [&node, stage, authorization = caller.authorization,
                               done = std::move(done)](const grpc::Status& status) {
                                const bool away =
                                    status.error_code() == grpc::StatusCode::UNAVAILABLE &&
                                    stage->IsAdmitted(authorization, NodeStage::Clock::now(),
                                                      node.options().access_age_away);
                                done(away ? grpc::Status::OK : status);
                              });
}

bool ConcernsCaller(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAUTHENTICATED ||
         status.error_code() == grpc::StatusCode::PERMISSION_DENIED ||
         status.error_code() == grpc::StatusCode::CANCELLED;
}

}  // namespace stagedoor::server
