#ifndef STAGEDOOR_RESOLVER_REMOTE_REMOTE_BACKEND_H_
#define STAGEDOOR_RESOLVER_REMOTE_REMOTE_BACKEND_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "resolver/remote/remote_watch.h"
#include "resolver/remote/resolver_service_options.h"
#include "resolver/store/identifier_service.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// The interfaces of a resolver service (docs/resolver_service.md) that StoreResolver needs, and its
// changes. The parts share one connection; each keeps it alive. This header is all that the engine
// includes of this folder, and knows neither gRPC nor protobuf.
struct RemoteBackend {
  std::shared_ptr<const ObjectStore> store;
  std::shared_ptr<const IdentifierService> identifiers;
  std::shared_ptr<const ServiceConnection> connection;

  // Watches all assets of the service's scheme. Null if the service has no scheme, because there is
  // no prefix then that covers its assets.
  std::unique_ptr<RemoteWatch> Watch(RemoteWatch::Callback callback) const;
};

// Connects to a service, without waiting for it: a service that is not there is an error of the
// calls. INVALID_ARGUMENT for an address or a scheme that cannot be one.
absl::StatusOr<RemoteBackend> ConnectToResolverService(const ResolverServiceOptions& options);

// The value of a flag `--resolver SCHEME=ADDRESS`; the scheme may be empty. INVALID_ARGUMENT, with
// what is expected.
absl::StatusOr<ResolverServiceOptions> ParseResolverFlag(std::string_view value);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_REMOTE_BACKEND_H_
