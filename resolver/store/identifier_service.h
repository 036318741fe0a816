#ifndef STAGEDOOR_RESOLVER_STORE_IDENTIFIER_SERVICE_H_
#define STAGEDOOR_RESOLVER_STORE_IDENTIFIER_SERVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor {

// Decides what asset paths mean, for stores where that is not a matter of the text alone: a
// resolver service. Complements ObjectStore; without one, StoreResolver anchors asset paths as
// OpenUSD's ArDefaultResolver does, and identifiers are resolved paths.
//
// Thread-safe. Both methods block, observe the deadline and the cancellation of the context while
// they wait, and retry what is worth it. Their errors are those of ObjectStore.
class IdentifierService {
 public:
  virtual ~IdentifierService() = default;

  // The identifier of `asset_path` as written in the layer whose resolved path is `anchor`, which
  // may be empty. Empty for an empty path. See Resolver::CreateIdentifier.
  virtual absl::StatusOr<std::string> CreateIdentifier(RequestContext& context,
                                                       const std::string& asset_path,
                                                       const std::string& anchor) const = 0;

  // Where the asset is now: a path for ObjectStore. NOT_FOUND if there is none.
  virtual absl::StatusOr<std::string> Resolve(RequestContext& context,
                                              const std::string& identifier) const = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_IDENTIFIER_SERVICE_H_
