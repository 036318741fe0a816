#ifndef STAGEDOOR_RESOLVER_STORE_OBJECT_STORE_H_
#define STAGEDOOR_RESOLVER_STORE_OBJECT_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "resolver/asset.h"
#include "resolver/byte_range.h"

namespace stagedoor {

// One object of a store at one time.
struct ObjectInfo {
  AssetVersion version;
  uint64_t size = 0;
  // The store's handle for requesting exactly this version again, for example the version id of S3;
  // may be empty. Opaque to others. Holds no secret: it is kept on disk.
  std::string handle;
  // Whether `version` follows from a modification time and a size alone, so that another content
  // may have the same.
  bool by_time = false;
  // If so, a fingerprint of parts of the content, as StoreResolver has read them. Stores do not
  // need it.
  std::string sample;

  // The version of assets: `version` and the sample.
  AssetVersion asset_version() const {
    return sample.empty() ? version : AssetVersion(version.token() + "." + sample);
  }
};

// Objects in another place, of which ranges can be read: what StoreResolver needs of HTTP, S3 or
// another service. Knows neither caches nor identifiers. Objects are named by resolved paths
// ("https://host/a.usd").
//
// Thread-safe. All methods block, observe the deadline and the cancellation of the context while
// they wait, and retry what is worth it. Errors name the path and no credential: NOT_FOUND,
// PERMISSION_DENIED (also for what the operator has not allowed), INVALID_ARGUMENT (not a possible
// path), UNAVAILABLE (the store cannot be reached, or does not answer sensibly),
// FAILED_PRECONDITION (it cannot be read as the daemon is configured, so that trying again
// does not help), RESOURCE_EXHAUSTED, and those of the context.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  struct Opened {
    ObjectInfo info;
    // The first bytes of the object at this version: as many as were asked for, fewer only if the
    // object is smaller. Empty if the version is the one that is known.
    std::string head;
  };
  // Finds the current version, and fetches the first bytes with the same request if that is not
  // `known`, which may be null. `head_bytes` may be 0.
  virtual absl::StatusOr<Opened> Open(RequestContext& context, const std::string& path,
                                      const ObjectInfo* known, size_t head_bytes) const = 0;

  // As GetInfo, for many objects at once, in parallel or in one request, without their first bytes.
  // The results are in the order of `paths`.
  virtual std::vector<absl::StatusOr<ObjectInfo>> GetInfo(
      RequestContext& context, std::span<const std::string> paths) const = 0;

  // Receives the bytes of a range in order, in pieces of any size; pieces of different ranges may
  // alternate, but calls do not overlap. A status that is not OK ends the fetch and becomes its
  // result.
  using Sink = std::function<absl::Status(uint64_t offset, std::span<const std::byte> bytes)>;

  // Fetches ranges, which are not empty and lie within the object, in parallel as far as is
  // sensible. DATA_LOSS if the object does not have the version of `info` any more, or the store
  // sent something else than what was asked for; the sink may have received a part of the bytes
  // then, but none of another version.
  virtual absl::Status Fetch(RequestContext& context, const std::string& path,
                             const ObjectInfo& info, std::span<const ByteRange> ranges,
                             const Sink& sink) const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_OBJECT_STORE_H_
