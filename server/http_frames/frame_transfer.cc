#include "server/http_frames/frame_transfer.h"

#include <string_view>
#include <utility>

#include "server/http_frames/frame_answer.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::seconds kCloseTimeout{10};

// A call that nothing waits for.
struct CloseCall {
  std::shared_ptr<grpc::Channel> channel;  // destroyed last
  std::unique_ptr<v1::StagesService::Stub> stages;
  grpc::ClientContext context;
  v1::CloseStageRequest request;
  v1::CloseStageResponse response;
};

void Authorize(const std::string& authorization, grpc::ClientContext* context) {
  if (!authorization.empty()) context->AddMetadata("authorization", authorization);
}

}  // namespace

std::shared_ptr<FrameTransfer> FrameTransfer::Start(std::shared_ptr<grpc::Channel> channel,
                                                    FrameQuery query, Options options,
                                                    std::function<void()> wake) {
  std::shared_ptr<FrameTransfer> transfer(
      new FrameTransfer(std::move(channel), std::move(query), std::move(options), std::move(wake)));
  transfer->self_ = transfer;
  transfer->Open();
  return transfer;
}

FrameTransfer::FrameTransfer(std::shared_ptr<grpc::Channel> channel, FrameQuery query,
                             Options options, std::function<void()> wake)
    : channel_(std::move(channel)),
      stages_(v1::StagesService::NewStub(channel_)),
      frames_(v1::FrameService::NewStub(channel_)),
      query_(std::move(query)),
      options_(std::move(options)),
      deadline_(std::chrono::system_clock::now() + options_.timeout),
      wake_(std::move(wake)) {}

HttpStream::State FrameTransfer::Next(std::string* piece) {
  bool asks = false;
  {
    MutexLock lock(mu_);
    if (!has_piece_) return then_;
    *piece = std::exchange(piece_, std::string());
    has_piece_ = false;
    asks = std::exchange(reads_, false);
  }
  if (asks) StartRead(&part_);
  return HttpStream::State::kPiece;
}

void FrameTransfer::Abandon() {
  bool held = false;
  {
    MutexLock lock(mu_);
    wake_ = nullptr;
    abandoned_ = true;
    if (running_ != nullptr) running_->TryCancel();
    held = std::exchange(reads_, false);
  }
  // The end of the call is reported to a read, which Next will not ask for any more.
  if (held) StartRead(&part_);
}

bool FrameTransfer::Prepare(grpc::ClientContext* context) {
  context->set_deadline(deadline_);
  Authorize(query_.authorization, context);
  MutexLock lock(mu_);
  if (abandoned_) return false;
  running_ = context;
  return true;
}

void FrameTransfer::Open() {
  open_.set_root_layer(query_.root);
  open_.set_client_name("GET /v1/frame");
  Prepare(&open_context_);
  stages_->async()->OpenStage(&open_context_, &open_, &opened_,
                              [this](const grpc::Status& status) { OnOpened(status); });
}

void FrameTransfer::OnOpened(const grpc::Status& status) {
  if (!status.ok()) return Fail(status);
  fingerprint_.mutable_stage()->set_handle(opened_.handle());
  fingerprint_.mutable_stage()->set_snapshot(opened_.stage().snapshot());
  *fingerprint_.mutable_time() = query_.frame.time();
  if (query_.frame.has_sample_policy()) {
    *fingerprint_.mutable_sample_policy() = query_.frame.sample_policy();
  }
  *fingerprint_.mutable_selection() = query_.frame.selection();
  if (!Prepare(&fingerprint_context_)) return Fail(grpc::Status::CANCELLED);
  frames_->async()->ComputeFrameFingerprint(
      &fingerprint_context_, &fingerprint_, &fingerprint_reply_,
      [this](const grpc::Status& done) { OnFingerprint(done); });
}

void FrameTransfer::OnFingerprint(const grpc::Status& status) {
  if (!status.ok()) return Fail(status);
  tag_ = FrameTag(fingerprint_reply_.fingerprint());
  const bool has_it = MatchesTag(query_.if_none_match, tag_);
  if (has_it || query_.only_head) {
    return HandOut(has_it ? NotModified(tag_) : FrameHeadOnly(tag_, query_.frame.format()),
                   HttpStream::State::kEnd);
  }
  export_ = query_.frame;
  *export_.mutable_stage() = fingerprint_.stage();
  if (!Prepare(&export_context_)) return Fail(grpc::Status::CANCELLED);
  frames_->async()->ExportFrame(&export_context_, &export_, this);
  AddHold();  // for the reads that Next asks for
  StartRead(&part_);
  StartCall();
}

// The head of the answer, which precedes the first piece; empty once it was returned.
std::string FrameTransfer::TakeHead() {
  if (std::exchange(has_head_, true)) return "";
  return FrameHead(tag_, query_.frame.format(), static_cast<size_t>(part_.path_errors_size()));
}

void FrameTransfer::OnReadDone(bool ok) {
  if (!ok) return RemoveHold();
  std::string piece = TakeHead();
  if (!part_.data().empty()) piece += Chunk(part_.data());
  part_.Clear();
  bool gone = false;
  {
    MutexLock lock(mu_);
    gone = abandoned_;
    if (!gone) {
      piece_ = std::move(piece);
      has_piece_ = reads_ = true;
      if (wake_) wake_();
    }
  }
  if (gone) StartRead(&part_);  // until the call, which is cancelled, ends
}

void FrameTransfer::OnDone(const grpc::Status& status) {
  if (!status.ok()) return Fail(status);
  HandOut(TakeHead().append(kLastChunk), HttpStream::State::kEnd);
}

void FrameTransfer::Fail(const grpc::Status& status) {
  if (has_head_) return HandOut("", HttpStream::State::kBroken);
  HandOut(ErrorAnswer(status), HttpStream::State::kEnd);
}

void FrameTransfer::HandOut(const std::string& piece, HttpStream::State then) {
  Close();
  {
    MutexLock lock(mu_);
    running_ = nullptr;
    reads_ = false;
    has_piece_ = has_piece_ || !piece.empty();
    piece_ += piece;
    then_ = then;
    if (wake_) wake_();
  }
  if (options_.ended) options_.ended();
  self_ = nullptr;  // may destroy this
}

// If this fails, the lease expires by itself.
void FrameTransfer::Close() {
  if (opened_.handle().empty()) return;
  auto call = std::make_shared<CloseCall>();
  call->channel = channel_;
  call->stages = v1::StagesService::NewStub(channel_);
  call->context.set_deadline(std::chrono::system_clock::now() + kCloseTimeout);
  Authorize(query_.authorization, &call->context);
  call->request.set_handle(opened_.handle());
  call->stages->async()->CloseStage(&call->context, &call->request, &call->response,
                                    [call](const grpc::Status&) {});
}

}  // namespace stagedoor::server
