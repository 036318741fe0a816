#ifndef STAGEDOOR_CLIENT_OPENUSD_DAEMON_ASSET_H_
#define STAGEDOOR_CLIENT_OPENUSD_DAEMON_ASSET_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "asset_blocks.h"
#include "asset_source.h"
#include "result.h"
#include "usd.h"

namespace stagedoor::openusd {

// An asset that is read through a daemon, all of it at the version that it had when it was opened:
// reading bytes of an asset that has changed since is an error (TfError), never bytes of another
// version. Bytes are fetched in blocks, of which the last ones that were used are kept.
// Thread-safe.
class DaemonAsset final : public ArAsset {
 public:
  static Result<std::shared_ptr<ArAsset>> Open(std::shared_ptr<const AssetSource> source,
                                               const std::string& resolved_path);

  ~DaemonAsset() override { AssetBlocks::OfProcess().Remove(id_); }

  size_t GetSize() const override { return size_; }
  std::shared_ptr<const char> GetBuffer() const override;
  size_t Read(void* buffer, size_t count, size_t offset) const override;
  std::pair<FILE*, size_t> GetFileUnsafe() const override { return {nullptr, 0}; }

 private:
  DaemonAsset(std::shared_ptr<const AssetSource> source, std::string resolved_path,
              const AssetBlocks::Bytes& first);

  // Bytes of the version that was opened. Null, and an error is posted, if they cannot be read.
  AssetBlocks::Bytes Fetch(uint64_t offset, uint64_t length) const;
  // The bytes from index × the size of a block on.
  AssetBlocks::Bytes FindBlock(uint64_t index) const;

  const std::shared_ptr<const AssetSource> source_;
  const std::string resolved_path_;
  const std::string version_;
  const uint64_t size_;
  const AssetBlocks::Asset id_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_DAEMON_ASSET_H_
