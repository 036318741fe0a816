#ifndef STAGEDOOR_CLIENT_OPENUSD_ASSET_SOURCE_H_
#define STAGEDOOR_CLIENT_OPENUSD_ASSET_SOURCE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "asset_arguments.h"
#include "connections.h"
#include "result.h"

namespace stagedoor::openusd {

// Bytes of an asset, and which asset it is: a reply of the daemon. Movable.
class AssetReply {
 public:
  explicit AssetReply(sd_asset* asset) : asset_(asset) {}

  std::string identifier() const { return sd_asset_identifier(asset_.get()); }
  std::string resolved_path() const { return sd_asset_resolved_path(asset_.get()); }
  std::string version() const { return sd_asset_version(asset_.get()); }
  uint64_t size() const { return sd_asset_size(asset_.get()); }
  // Valid as long as this object.
  std::string_view data() const;

 private:
  struct Destroy {
    void operator()(sd_asset* asset) const { sd_asset_destroy(asset); }
  };
  std::unique_ptr<sd_asset, Destroy> asset_;
};

// A daemon that assets are read from, and how their paths are resolved there. Connects on the first
// call, again in a child process and when STAGEDOOR_ADDRESS, if it counts, has another value.
// Thread-safe.
class AssetSource {
 public:
  explicit AssetSource(AssetArguments arguments);

  const AssetArguments& arguments() const { return arguments_; }

  // Finds the asset at a path that is written in the layer at `anchor`, which may be empty.
  Result<AssetReply> Find(const std::string& path, const std::string& anchor) const;
  // Reads bytes of an asset by its resolved path, at a version unless that is empty. Fewer than
  // `length` at the end.
  Result<AssetReply> Read(const std::string& resolved_path, const std::string& version,
                          uint64_t offset, uint64_t length) const;

 private:
  Result<std::shared_ptr<const DaemonConnection>> Connection() const;
  Result<AssetReply> Call(const std::string& path, const sd_asset_options& options) const;

  const AssetArguments arguments_;
  const std::string resolver_context_;  // a serialized message
  mutable std::mutex mu_;
  mutable std::shared_ptr<const DaemonConnection> connection_;  // guarded by mu_; keeps it open
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_ASSET_SOURCE_H_
