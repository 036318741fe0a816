#include "daemon_asset.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace stagedoor::openusd {
namespace {

constexpr uint64_t kBlockBytes = uint64_t{1} << 20;

}  // namespace

Result<std::shared_ptr<ArAsset>> DaemonAsset::Open(std::shared_ptr<const AssetSource> source,
                                                   const std::string& resolved_path) {
  Result<AssetReply> first = source->Read(resolved_path, /*version=*/"", 0, kBlockBytes);
  if (!first.ok()) return first.failure();
  auto bytes = std::make_shared<const AssetReply>(std::move(*first));
  return std::shared_ptr<ArAsset>(new DaemonAsset(std::move(source), resolved_path, bytes));
}

DaemonAsset::DaemonAsset(std::shared_ptr<const AssetSource> source, std::string resolved_path,
                         const AssetBlocks::Bytes& first)
    : source_(std::move(source)),
      resolved_path_(std::move(resolved_path)),
      version_(first->version()),
      size_(first->size()),
      id_(AssetBlocks::OfProcess().NewAsset()) {
  AssetBlocks::OfProcess().Store(id_, 0, first);
}

AssetBlocks::Bytes DaemonAsset::Fetch(uint64_t offset, uint64_t length) const {
  Result<AssetReply> reply = source_->Read(resolved_path_, version_, offset, length);
  if (reply.ok()) return std::make_shared<const AssetReply>(std::move(*reply));
  TF_RUNTIME_ERROR("stagedoor: cannot read '%s': %s", resolved_path_.c_str(),
                   reply.failure().message.c_str());
  return nullptr;
}

AssetBlocks::Bytes DaemonAsset::FindBlock(uint64_t index) const {
  AssetBlocks& blocks = AssetBlocks::OfProcess();
  if (AssetBlocks::Bytes held = blocks.Find(id_, index)) return held;
  AssetBlocks::Bytes bytes = Fetch(index * kBlockBytes, kBlockBytes);
  if (bytes != nullptr) blocks.Store(id_, index, bytes);
  return bytes;
}

std::shared_ptr<const char> DaemonAsset::GetBuffer() const {
  if (size_ == 0) return std::shared_ptr<const char>(std::make_shared<char>());
  const auto bytes = size_ <= kBlockBytes ? FindBlock(0) : Fetch(0, size_);
  if (bytes == nullptr) return nullptr;
  return {bytes, bytes->data().data()};
}

size_t DaemonAsset::Read(void* buffer, size_t count, size_t offset) const {
  if (offset >= size_) return 0;
  const size_t wanted = std::min<uint64_t>(count, size_ - offset);
  for (size_t done = 0; done < wanted;) {
    const uint64_t at = offset + done;
    const auto block = FindBlock(at / kBlockBytes);
    if (block == nullptr) return 0;
    const std::string_view rest = block->data().substr(at % kBlockBytes);
    const size_t part = std::min(rest.size(), wanted - done);
    if (part == 0) return 0;
    std::memcpy(static_cast<char*>(buffer) + done, rest.data(), part);
    done += part;
  }
  return wanted;
}

}  // namespace stagedoor::openusd
