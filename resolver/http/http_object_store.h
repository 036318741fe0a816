#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_STORE_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_STORE_H_

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "resolver/http/fetch_exchange.h"
#include "resolver/http/http_client.h"
#include "resolver/http/http_object_protocol.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// Objects that are read over HTTP, of plain servers or of S3 (see HttpObjectProtocol).
//
// Opens with one GET of the first bytes, revalidates with conditions, and fetches ranges in pieces
// of up to kPieceBytes, kParallelPieces at once. A server that does not support ranges, and answers
// with the whole object, is remembered: further fetches are one request each, from the beginning of
// the object. What a server without ETags and dates sends is read whole, up to kMaxWholeBytes, and
// identified by its content; the last few of these objects are kept.
class HttpObjectStore final : public ObjectStore {
 public:
  static constexpr uint64_t kPieceBytes = uint64_t{2} << 20;
  static constexpr size_t kParallelPieces = 8;
  static constexpr size_t kParallelInspections = 16;

  HttpObjectStore(std::shared_ptr<HttpClient> client,
                  std::shared_ptr<const HttpObjectProtocol> protocol);

  absl::StatusOr<Opened> Open(RequestContext& context, const std::string& path,
                              const ObjectInfo* known, size_t head_bytes) const override;
  std::vector<absl::StatusOr<ObjectInfo>> GetInfo(
      RequestContext& context, std::span<const std::string> paths) const override;
  absl::Status Fetch(RequestContext& context, const std::string& path, const ObjectInfo& info,
                     std::span<const ByteRange> ranges, const Sink& sink) const override;

 private:
  struct Whole {
    AssetVersion version;
    std::shared_ptr<const std::string> content;
  };

  // Fetches in pieces; sets `got_whole` and returns an error if the server ignores ranges.
  absl::Status FetchPieces(RequestContext& context, const HttpRequest& request,
                           const ObjectInfo& info, RangeDelivery* delivery, bool* got_whole) const;
  absl::Status FetchWhole(RequestContext& context, const std::string& path,
                          const HttpRequest& request, const ObjectInfo& info,
                          RangeDelivery* delivery) const;

  bool HasNoRanges(const std::string& origin) const;
  void RememberNoRanges(const std::string& origin) const;
  std::shared_ptr<const std::string> FindWhole(const std::string& path,
                                               const AssetVersion& version) const;
  void KeepWhole(const std::string& path, const AssetVersion& version,
                 std::shared_ptr<const std::string> content) const;

  const std::shared_ptr<HttpClient> client_;
  const std::shared_ptr<const HttpObjectProtocol> protocol_;

  mutable Mutex mu_;
  mutable std::set<std::string> without_ranges_ ABSL_GUARDED_BY(mu_);    // origins
  mutable RecencyList<std::string, Whole> wholes_ ABSL_GUARDED_BY(mu_);  // by path
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_OBJECT_STORE_H_
