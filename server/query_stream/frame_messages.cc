#include "server/query_stream/frame_messages.h"

#include <grpcpp/support/slice.h>

#include <memory>
#include <utility>

#include "server/query_socket/query_frame_writer.h"

namespace stagedoor::server {
namespace {

// A slice that owns a text, without a copy.
grpc::Slice SliceOf(std::string text) {
  auto owned = std::make_unique<std::string>(std::move(text));
  std::string* const moved = owned.release();
  return grpc::Slice(
      moved->data(), moved->size(), [](void* owner) { delete static_cast<std::string*>(owner); },
      moved);
}

}  // namespace

void FrameMessages::Add(const v1::ServerFrame& frame) {
  const size_t size = frame.ByteSizeLong();
  if (messages_.empty() || messages_.back().size() + size > kMessageBytes) {
    messages_.emplace_back();
    messages_.back().reserve(size);
  }
  std::string& message = messages_.back();
  const size_t before = message.size();
  AppendFrame(frame, &message);
  bytes_ += message.size() - before;
}

grpc::ByteBuffer FrameMessages::Take() {
  bytes_ -= messages_.front().size();
  const grpc::Slice slice = SliceOf(std::move(messages_.front()));
  messages_.pop_front();
  return grpc::ByteBuffer(&slice, 1);
}

void FrameMessages::Clear() {
  messages_.clear();
  bytes_ = 0;
}

}  // namespace stagedoor::server
