#ifndef STAGEDOOR_RESOLVER_ASSET_H_
#define STAGEDOOR_RESOLVER_ASSET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/sparse_bytes.h"

namespace stagedoor {

// Identifies the content of an asset at some time. Opaque: compare for equality only. The empty
// version means "unknown" and equals no version that was read. Plays the role of OpenUSD's
// ArTimestamp.
class AssetVersion {
 public:
  AssetVersion() = default;
  explicit AssetVersion(std::string token)
      : token_(std::move(token)), content_bytes_(token_.size()) {}
  // `content` is the part that is the same wherever the asset is read: on all machines that share
  // the file, and on those that have a faithful copy of it. `local` tells changes apart that
  // `content` does not show, but differs between machines.
  AssetVersion(std::string_view content, std::string_view local)
      : token_(std::string(content).append("@").append(local)), content_bytes_(content.size()) {}

  // The version of a part of the asset, named by `part`.
  AssetVersion OfPart(std::string_view part) const {
    const std::string_view local = std::string_view(token_).substr(content_bytes_);
    AssetVersion version;
    version.token_ = std::string(content()).append(part);
    version.content_bytes_ = version.token_.size();
    version.token_.append(local);
    return version;
  }

  const std::string& token() const { return token_; }  // for cache keys and messages
  std::string_view content() const { return std::string_view(token_).substr(0, content_bytes_); }

  friend bool operator==(const AssetVersion& a, const AssetVersion& b) {
    return a.token_ == b.token_;
  }

 private:
  std::string token_;
  size_t content_bytes_ = 0;
};

// Bytes that stay at their address as long as `pin` or a copy of it exists.
struct PinnedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> pin;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// The content of one asset at one version, as opened by a resolver. Corresponds to OpenUSD's
// ArAsset.
//
// Thread-safe and immutable. An asset either has to fetch its bytes (Read blocks, so it runs on the
// executor), as far as they are needed (GetSparseBuffer), or has them in memory (GetBuffer). Code
// that keeps views into the mapping keeps its pin or the SparseView; the asset itself may be
// destroyed.
class Asset {
 public:
  virtual ~Asset() = default;

  // The resolved path by which it was opened; used in messages and as cache key.
  virtual const std::string& name() const = 0;
  virtual const AssetVersion& version() const = 0;
  virtual uint64_t size() const = 0;

  // Copies bytes from `offset` on into `out` and returns their number, which is less than the size
  // of `out` only at the end of the asset, and 0 behind it. DATA_LOSS if the content was changed or
  // damaged since the asset was opened; UNAVAILABLE, DEADLINE_EXCEEDED or CANCELLED from assets
  // that fetch their bytes.
  virtual absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                                      std::span<std::byte> out) const = 0;

  // The whole content without a copy, if it is in memory. Corresponds to ArAsset::GetBuffer.
  virtual std::optional<PinnedBytes> GetBuffer() const { return std::nullopt; }

  // The whole content at fixed addresses, if it is not in memory but parts of it can be fetched.
  // Assets have either this or a GetBuffer, or neither.
  virtual std::optional<SparseView> GetSparseBuffer() const { return std::nullopt; }

  // DATA_LOSS if the mapped content was changed or truncated since the asset was opened, in which
  // case bytes read through the mapping must not be trusted. Costs at most a system call. Call it
  // after parsing, and before keeping what was parsed.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// Returns all bytes of `asset`: its mapping, fetched as far as necessary, or a copy if it has none.
// RESOURCE_EXHAUSTED above `max_bytes`.
absl::StatusOr<PinnedBytes> ReadAll(RequestContext& context, const Asset& asset,
                                    uint64_t max_bytes);

// An asset over bytes that something else owns. Comparable to OpenUSD's ArInMemoryAsset.
class InMemoryAsset final : public Asset {
 public:
  // `check` implements Check(). May be null, in which case the content never changes.
  InMemoryAsset(std::string name, AssetVersion version, PinnedBytes content,
                std::function<absl::Status()> check = nullptr)
      : name_(std::move(name)),
        version_(std::move(version)),
        content_(std::move(content)),
        check_(std::move(check)) {}

  // An asset that owns a copy of `content`.
  static std::shared_ptr<const Asset> FromString(std::string name, AssetVersion version,
                                                 std::string content);

  const std::string& name() const override { return name_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return content_.bytes.size(); }
  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override;
  std::optional<PinnedBytes> GetBuffer() const override { return content_; }
  absl::Status Check() const override { return check_ ? check_() : absl::OkStatus(); }

 private:
  const std::string name_;
  const AssetVersion version_;
  const PinnedBytes content_;
  const std::function<absl::Status()> check_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ASSET_H_
