#include "server/rpc/message_fragments.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "stagedoor/v1/streams.pb.h"

namespace stagedoor::server {
namespace {

size_t VarintBytes(size_t number) {
  size_t bytes = 1;
  for (; number >= 0x80; number >>= 7) ++bytes;
  return bytes;
}

void AddVarint(size_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7) out->push_back(static_cast<char>(number | 0x80));
  out->push_back(static_cast<char>(number));
}

// All fields have numbers below 16, so that a tag is one byte.
void AddTag(int field, unsigned wire_type, std::string* out) {
  out->push_back(static_cast<char>(static_cast<unsigned>(field) << 3 | wire_type));
}

// Everything that comes before the bytes of a fragment in its message. `total` is 0 if it is not
// the first fragment.
std::string Head(size_t total, size_t bytes) {
  constexpr unsigned kVarint = 0, kLengthDelimited = 2;
  const size_t total_field = total == 0 ? 0 : 1 + VarintBytes(total);
  const size_t fragment = total_field + 1 + VarintBytes(bytes) + bytes;
  std::string head;
  AddTag(kStreamPartsField, kLengthDelimited, &head);
  AddVarint(1 + VarintBytes(fragment) + fragment, &head);
  AddTag(v1::StreamParts::kFragmentFieldNumber, kLengthDelimited, &head);
  AddVarint(fragment, &head);
  if (total != 0) {
    AddTag(v1::MessageFragment::kTotalBytesFieldNumber, kVarint, &head);
    AddVarint(total, &head);
  }
  AddTag(v1::MessageFragment::kDataFieldNumber, kLengthDelimited, &head);
  AddVarint(bytes, &head);
  return head;
}

}  // namespace

absl::Status MessageFragments::Put(const grpc::ByteBuffer& message) {
  slices_.clear();
  slice_ = offset_ = 0;
  if (!message.Dump(&slices_).ok()) return InternalError("a message cannot be split");
  left_ = message.Length();
  first_ = true;
  return absl::OkStatus();
}

grpc::ByteBuffer MessageFragments::Next() {
  size_t bytes = std::min(kFragmentBytes, left_);
  std::vector<grpc::Slice> parts{
      grpc::Slice(Head(std::exchange(first_, false) ? left_ : 0, bytes))};
  left_ -= bytes;
  while (bytes != 0) {
    const grpc::Slice& from = slices_[slice_];
    const size_t taken = std::min(bytes, from.size() - offset_);
    parts.push_back(from.sub(offset_, offset_ + taken));
    bytes -= taken;
    offset_ += taken;
    if (offset_ == from.size()) {
      ++slice_;
      offset_ = 0;
    }
  }
  if (left_ == 0) slices_.clear();
  return grpc::ByteBuffer(parts.data(), parts.size());
}

}  // namespace stagedoor::server
