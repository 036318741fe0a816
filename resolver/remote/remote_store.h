#ifndef STAGEDOOR_RESOLVER_REMOTE_REMOTE_STORE_H_
#define STAGEDOOR_RESOLVER_REMOTE_REMOTE_STORE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "resolver/store/object_store.h"

namespace stagedoor {

class ServiceConnection;

// The assets of a resolver service, named by the resolved paths that it gives. Fetches the ranges
// of an asset over one stream, up to 1,000 at a time; after a lost connection, only what is
// missing. Answers that contradict the protocol are UNAVAILABLE, or DATA_LOSS from Fetch, and name
// the service; the sink does not get bytes that were not asked for. `ObjectInfo::handle` is empty.
class RemoteStore final : public ObjectStore {
 public:
  explicit RemoteStore(std::shared_ptr<const ServiceConnection> connection)
      : connection_(std::move(connection)) {}

  absl::StatusOr<Opened> Open(RequestContext& context, const std::string& path,
                              const ObjectInfo* known, size_t head_bytes) const override;
  std::vector<absl::StatusOr<ObjectInfo>> GetInfo(
      RequestContext& context, std::span<const std::string> paths) const override;
  absl::Status Fetch(RequestContext& context, const std::string& path, const ObjectInfo& info,
                     std::span<const ByteRange> ranges, const Sink& sink) const override;

 private:
  // GetInfo for paths that fit into one request and are possible.
  std::vector<absl::StatusOr<ObjectInfo>> GetBatch(RequestContext& context,
                                                   std::span<const std::string> paths) const;

  const std::shared_ptr<const ServiceConnection> connection_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_REMOTE_STORE_H_
