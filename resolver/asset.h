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

namespace stagedoor {

// What state of its content an asset had. Opaque: compare for equality only. The empty version
// means "unknown" and equals nothing that was read.
class AssetVersion {
 public:
  AssetVersion() = default;
  explicit AssetVersion(std::string token) : token_(std::move(token)) {}

  bool known() const { return !token_.empty(); }
  const std::string& token() const { return token_; }  // for cache keys and messages

  friend bool operator==(const AssetVersion&, const AssetVersion&) = default;

 private:
  std::string token_;
};

// Bytes that stay where they are as long as `pin` (or a copy of it) lives.
struct PinnedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> pin;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// The content of one asset at one version: what a resolver opens.
//
// Thread-safe and immutable. An asset may have to fetch its bytes (Read blocks, so it runs on the
// executor), or it has them in memory (Mapping). Whoever keeps views into the mapping keeps its
// pin; the asset itself may go.
class Asset {
 public:
  virtual ~Asset() = default;

  // The resolved path it was opened by, for messages and as cache key.
  virtual const std::string& name() const = 0;
  virtual const AssetVersion& version() const = 0;
  virtual uint64_t size() const = 0;

  // Copies bytes from `offset` on into `out` and returns how many: fewer than asked for only at the
  // end of the asset, 0 behind it. DATA_LOSS if the content changed or was damaged since it was
  // opened; UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED from those that fetch.
  virtual absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                                      std::span<std::byte> out) const = 0;

  // The whole content without copying, if it is in memory.
  virtual std::optional<PinnedBytes> Mapping() const { return std::nullopt; }

  // DATA_LOSS if the mapped content was changed or cut by someone since it was opened: bytes read
  // through the mapping are then not to be trusted. Costs a system call at most; call it after
  // parsing, and before keeping what was parsed.
  virtual absl::Status Check() const { return absl::OkStatus(); }
};

// All bytes of `asset`: its mapping, or a copy if it has none. RESOURCE_EXHAUSTED above
// `max_bytes`.
absl::StatusOr<PinnedBytes> ReadAll(RequestContext& context, const Asset& asset,
                                    uint64_t max_bytes);

// An asset over bytes that something else owns.
class PinnedAsset final : public Asset {
 public:
  // `check`, if given, answers Check().
  PinnedAsset(std::string name, AssetVersion version, PinnedBytes content,
              std::function<absl::Status()> check = nullptr)
      : name_(std::move(name)),
        version_(std::move(version)),
        content_(std::move(content)),
        check_(std::move(check)) {}

  // An asset that owns a copy of `content`.
  static std::shared_ptr<const Asset> Own(std::string name, AssetVersion version,
                                          std::string content);

  const std::string& name() const override { return name_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return content_.bytes.size(); }
  absl::StatusOr<size_t> Read(RequestContext& context, uint64_t offset,
                              std::span<std::byte> out) const override;
  std::optional<PinnedBytes> Mapping() const override { return content_; }
  absl::Status Check() const override { return check_ ? check_() : absl::OkStatus(); }

 private:
  const std::string name_;
  const AssetVersion version_;
  const PinnedBytes content_;
  const std::function<absl::Status()> check_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ASSET_H_
