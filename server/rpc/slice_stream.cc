#include "server/rpc/slice_stream.h"

#include <google/protobuf/io/coded_stream.h>

#include <utility>

namespace stagedoor::server {
namespace {

constexpr size_t kBlock = size_t{64} << 10;     // bytes copied at a time
constexpr size_t kMaxCopied = size_t{1} << 20;  // bytes of a slice of them, about
// Smaller texts are copied, which is cheaper than a slice of their own.
constexpr int kSmallestSlice = 64 << 10;
// The message is kept if at most one byte of so many is copied.
constexpr int64_t kMostlyAliased = 4;

using Pin = std::shared_ptr<const google::protobuf::MessageLite>;

// A slice of some bytes that keeps an object until it was sent.
template <typename Held>
grpc::Slice SliceThatKeeps(std::unique_ptr<Held> held, const void* data, size_t size) {
  const auto drop = [](void* object) { delete static_cast<Held*>(object); };
  return grpc::Slice(const_cast<void*>(data), size, drop, held.release());
}

}  // namespace

grpc::ByteBuffer SliceStream::Serialize() && {
  {
    google::protobuf::io::CodedOutputStream coded(this);
    coded.EnableAliasing(true);
    message_->SerializeWithCachedSizes(&coded);
  }
  Flush();
  if (bytes_ - aliased_bytes_ > bytes_ / kMostlyAliased) CopyAliased();
  return grpc::ByteBuffer(slices_.data(), slices_.size());
}

bool SliceStream::Next(void** data, int* size) {
  if (copied_.size() >= kMaxCopied) Flush();
  const size_t before = copied_.size();
  copied_.resize(before + kBlock);
  *data = copied_.data() + before;
  *size = kBlock;
  bytes_ += kBlock;
  return true;
}

void SliceStream::BackUp(int count) {
  copied_.resize(copied_.size() - static_cast<size_t>(count));
  bytes_ -= count;
}

bool SliceStream::WriteAliasedRaw(const void* data, int size) {
  bytes_ += size;
  if (size < kSmallestSlice) {
    copied_.append(static_cast<const char*>(data), static_cast<size_t>(size));
    return true;
  }
  Flush();
  aliased_.push_back(slices_.size());
  aliased_bytes_ += size;
  slices_.push_back(
      SliceThatKeeps(std::make_unique<Pin>(message_), data, static_cast<size_t>(size)));
  return true;
}

void SliceStream::CopyAliased() {
  for (const size_t i : aliased_) slices_[i] = grpc::Slice(slices_[i].begin(), slices_[i].size());
}

void SliceStream::Flush() {
  if (copied_.empty()) return;
  auto held = std::make_unique<std::string>(std::move(copied_));
  copied_.clear();
  const char* const data = held->data();
  const size_t size = held->size();
  slices_.push_back(SliceThatKeeps(std::move(held), data, size));
}

}  // namespace stagedoor::server
