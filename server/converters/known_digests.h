#ifndef STAGEDOOR_SERVER_CONVERTERS_KNOWN_DIGESTS_H_
#define STAGEDOOR_SERVER_CONVERTERS_KNOWN_DIGESTS_H_

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/values/array_digest.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The arrays that a client has, by their digests. Immutable.
class KnownDigests {
 public:
  static constexpr size_t kMost = 1'000'000;

  // Digests of other daemons, with another size, are left out. RESOURCE_EXHAUSTED
  // (REQUEST_TOO_LARGE) for more than kMost, or if the context's memory does not suffice.
  static absl::StatusOr<KnownDigests> Parse(RequestContext& context,
                                            const v1::DigestOptions& options);

  bool Contains(const ArrayDigest& digest) const {
    return std::binary_search(digests_.begin(), digests_.end(), digest);
  }

 private:
  std::vector<ArrayDigest> digests_;  // sorted
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_KNOWN_DIGESTS_H_
