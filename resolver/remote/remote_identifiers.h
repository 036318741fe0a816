#ifndef STAGEDOOR_RESOLVER_REMOTE_REMOTE_IDENTIFIERS_H_
#define STAGEDOOR_RESOLVER_REMOTE_REMOTE_IDENTIFIERS_H_

#include <memory>
#include <string>
#include <utility>

#include "resolver/store/identifier_service.h"

namespace stagedoor {

class ServiceConnection;

// Asks a resolver service for identifiers and resolved paths. Its answers must have the scheme that
// it serves, so that they lead back to it and not to files of the daemon's host; the only exception
// is an asset path that stays what it is. Remembers nothing.
class RemoteIdentifiers final : public IdentifierService {
 public:
  explicit RemoteIdentifiers(std::shared_ptr<const ServiceConnection> connection)
      : connection_(std::move(connection)) {}

  absl::StatusOr<std::string> CreateIdentifier(RequestContext& context,
                                               const std::string& asset_path,
                                               const std::string& anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const std::string& identifier) const override;

 private:
  const std::shared_ptr<const ServiceConnection> connection_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_REMOTE_IDENTIFIERS_H_
