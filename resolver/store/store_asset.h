#ifndef STAGEDOOR_RESOLVER_STORE_STORE_ASSET_H_
#define STAGEDOOR_RESOLVER_STORE_STORE_ASSET_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "resolver/asset.h"

namespace stagedoor {

// A remote object, of which parts are fetched when they are read. Thread-safe.
class StoreAsset final : public Asset {
 public:
  StoreAsset(std::string name, AssetVersion version, std::shared_ptr<const SparseBytes> bytes)
      : name_(std::move(name)), version_(std::move(version)), bytes_(std::move(bytes)) {}

  const std::string& name() const override { return name_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return bytes_->bytes().size(); }
  std::optional<SparseView> GetSparseBuffer() const override {
    return SparseView(bytes_, {0, size()});
  }
  absl::Status Check() const override { return bytes_->Check(); }
  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override {
    if (offset >= size() || out.empty()) return size_t{0};
    const ByteRange range{offset, std::min<uint64_t>(out.size(), size() - offset)};
    SD_RETURN_IF_ERROR(bytes_->Ensure(context, {&range, 1}));
    std::memcpy(out.data(), bytes_->bytes().data() + range.offset, range.size);
    SD_RETURN_IF_ERROR(bytes_->Check());
    return static_cast<size_t>(range.size);
  }

 private:
  const std::string name_;
  const AssetVersion version_;
  const std::shared_ptr<const SparseBytes> bytes_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_STORE_ASSET_H_
