#include "server/upstream/shared_reply.h"

#include <algorithm>
#include <utility>

#include "server/rpc/grpc_status.h"

namespace stagedoor::server {

SharedReply::SharedReply(const Options& options, std::unique_ptr<ReplyOrigin> origin)
    : options_(options),
      origin_(std::move(origin)),
      keeps_(options.keep),
      reserved_(options.pool) {}

void SharedReply::Complete(const std::vector<grpc::ByteBuffer>& messages) {
  for (const grpc::ByteBuffer& message : messages) OnMessage(message);
  OnEnd({.status = grpc::Status::OK, .lasting = true});
}

bool SharedReply::Join(ReplyReader* reader) {
  MutexLock lock(mu_);
  if (dropped_ > 0 || abandoned_) return false;
  if (!keeps_ && !positions_.empty()) return false;
  positions_.emplace(reader, 0);
  return true;
}

void SharedReply::Leave(ReplyReader* reader) {
  std::shared_ptr<UpstreamCall> unwanted;
  std::shared_ptr<UpstreamCall> next;
  bool waited = false;
  {
    MutexLock lock(mu_);
    if (positions_.erase(reader) == 0) return;
    waited = std::erase(waiting_, reader) > 0;
    if (positions_.empty() && !ended_) {
      abandoned_ = true;
      unwanted = call_;
    } else if (!keeps_) {
      DropTaken();
      if (NeedsMore()) next = call_;
    }
  }
  if (unwanted != nullptr) unwanted->Cancel();
  if (next != nullptr) next->ReadNext();
  if (waited) reader->Unretain();
}

SharedReply::Result SharedReply::Next(ReplyReader* reader, grpc::ByteBuffer* message,
                                      grpc::Status* status) {
  std::shared_ptr<UpstreamCall> next;
  Result result = Result::kWait;
  {
    MutexLock lock(mu_);
    const auto position = positions_.find(reader);
    if (position == positions_.end()) return Result::kWait;  // it has left
    const size_t index = position->second - dropped_;
    const bool held_back = options_.single && !ended_;
    if (index < messages_.size() && !held_back) {
      *message = messages_[index];
      ++position->second;
      const bool last = ended_ && status_.ok() && index + 1 == messages_.size();
      result = last ? Result::kLastMessage : Result::kMessage;
      if (!keeps_) DropTaken();
    } else if (ended_) {
      *status = status_;
      return Result::kEnd;
    } else {
      reader->Retain();
      waiting_.push_back(reader);
    }
    if (NeedsMore()) next = call_;
  }
  if (next != nullptr) next->ReadNext();
  return result;
}

bool SharedReply::NeedsMore() const {
  return !ended_ && !keeps_ && messages_.empty() && call_ != nullptr;
}

void SharedReply::StopKeeping() {
  keeps_ = false;
  reserved_.Release();
  DropTaken();
}

void SharedReply::DropTaken() {
  size_t least = dropped_ + messages_.size();
  for (const auto& [reader, position] : positions_) least = std::min(least, position);
  const auto end = messages_.begin() + static_cast<ptrdiff_t>(least - dropped_);
  for (auto message = messages_.begin(); message != end; ++message) bytes_ -= message->Length();
  messages_.erase(messages_.begin(), end);
  dropped_ = least;
}

void SharedReply::OnStart(std::shared_ptr<UpstreamCall> call) {
  bool abandoned = false;
  {
    MutexLock lock(mu_);
    call_ = call;
    abandoned = abandoned_;
  }
  if (abandoned) call->Cancel();
}

void SharedReply::Interrupt(const grpc::Status& status) {
  Readers woken;
  std::shared_ptr<UpstreamCall> unwanted;
  {
    MutexLock lock(mu_);
    if (ended_) return;
    ended_ = true;
    status_ = status;
    unwanted = std::move(call_);
    woken.swap(waiting_);
  }
  if (unwanted != nullptr) unwanted->Cancel();
  Wake(woken);
}

void SharedReply::OnMessage(const grpc::ByteBuffer& message) {
  if (filler_ == nullptr) return Add({&message, 1});
  const auto filled = filler_->Take(message);
  if (!filled.ok()) return Fail(filled.status());
  Add(*filled);
}

void SharedReply::Fail(const absl::Status& status) {
  std::shared_ptr<UpstreamCall> unwanted;
  {
    MutexLock lock(mu_);
    unwanted = call_;
  }
  OnEnd({.status = ToGrpcStatus(status)});
  if (unwanted != nullptr) unwanted->Cancel();
}

void SharedReply::Add(std::span<const grpc::ByteBuffer> messages) {
  Readers woken;
  std::shared_ptr<UpstreamCall> next;
  {
    MutexLock lock(mu_);
    if (ended_) return;
    for (const grpc::ByteBuffer& message : messages) {
      const size_t bytes = message.Length();
      messages_.push_back(message);
      bytes_ += bytes;
      if (keeps_) reserved_.Add(bytes);
    }
    if (keeps_ && bytes_ > options_.max_bytes) StopKeeping();
    // The end of a single message comes without asking for another one.
    if (keeps_ || options_.single || NeedsMore()) next = call_;
    if (!options_.single && !messages.empty()) woken.swap(waiting_);
  }
  if (next != nullptr) next->ReadNext();
  Wake(woken);
}

void SharedReply::OnEnd(const UpstreamEnd& end) {
  bool nothing = false;
  {
    MutexLock lock(mu_);
    if (ended_) return;
    nothing = dropped_ == 0 && messages_.empty() && !abandoned_;
  }
  if (nothing && origin_ != nullptr && origin_->Recover(shared_from_this(), end)) return;
  const std::unique_ptr<ReplyOrigin> origin = std::move(origin_);
  const std::unique_ptr<ArrayFiller> filler = std::move(filler_);
  if (filler != nullptr && end.status.ok()) filler->Finish();
  Readers woken;
  {
    MutexLock lock(mu_);
    call_ = nullptr;
    ended_ = true;
    status_ = end.status;
    woken.swap(waiting_);
  }
  if (origin != nullptr) origin->Ended(shared_from_this(), end);
  Wake(woken);
}

void SharedReply::Wake(const Readers& readers) {
  for (ReplyReader* const reader : readers) {
    reader->Wake();
    reader->Unretain();
  }
}

bool SharedReply::is_whole() const {
  MutexLock lock(mu_);
  return ended_ && status_.ok() && keeps_ && dropped_ == 0;
}

std::vector<grpc::ByteBuffer> SharedReply::messages() const {
  MutexLock lock(mu_);
  return messages_;
}

size_t SharedReply::bytes() const {
  MutexLock lock(mu_);
  return bytes_;
}

}  // namespace stagedoor::server
