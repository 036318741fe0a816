#include "resolver/remote/remote_backend.h"

#include <string>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/remote/remote_identifiers.h"
#include "resolver/remote/remote_store.h"
#include "resolver/remote/service_connection.h"

namespace stagedoor {

std::unique_ptr<RemoteWatch> RemoteBackend::Watch(RemoteWatch::Callback callback) const {
  const std::string& scheme = connection->options().scheme;
  if (scheme.empty()) return nullptr;
  return std::make_unique<RemoteWatch>(
      connection, RemoteWatch::Filter{.prefixes = {Concat(scheme, "://")}}, std::move(callback));
}

absl::StatusOr<RemoteBackend> ConnectToResolverService(const ResolverServiceOptions& options) {
  SD_ASSIGN_OR_RETURN(auto connection, ServiceConnection::Open(options));
  return RemoteBackend{.store = std::make_shared<RemoteStore>(connection),
                       .identifiers = std::make_shared<RemoteIdentifiers>(connection),
                       .connection = connection};
}

absl::StatusOr<ResolverServiceOptions> ParseResolverFlag(std::string_view value) {
  const size_t equals = value.find('=');
  if (equals == std::string_view::npos) {
    return InvalidArgumentError(
        "must be SCHEME=ADDRESS, where ADDRESS is HOST:PORT or unix:PATH, not ", Quoted(value));
  }
  ResolverServiceOptions options;
  options.scheme = value.substr(0, equals);
  options.address = value.substr(equals + 1);
  SD_RETURN_IF_ERROR(CheckServiceScheme(options.scheme));
  SD_RETURN_IF_ERROR(CheckServiceAddress(options.address));
  return options;
}

}  // namespace stagedoor
