#ifndef STAGEDOOR_RESOLVER_REMOTE_SERVICE_CHECK_H_
#define STAGEDOOR_RESOLVER_REMOTE_SERVICE_CHECK_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "resolver/remote/checked_rule.h"
#include "resolver/remote/resolver_service_options.h"

namespace stagedoor {

class ServiceConnection;

struct ServiceCheckCounts {
  size_t ok = 0, failed = 0, skipped = 0;
};

// Checks that a service keeps the rules of the protocol, and passes the verdict on each rule to
// `report` as soon as it is known. Blocks for as long as the service takes, but not longer than the
// options say for one call. UNAVAILABLE if the service cannot be reached at all.
absl::StatusOr<ServiceCheckCounts> CheckService(
    const ResolverServiceOptions& service, const ServiceCheckOptions& options,
    const std::function<void(const CheckedRule&)>& report);
absl::StatusOr<ServiceCheckCounts> CheckService(
    std::shared_ptr<const ServiceConnection> connection, const ServiceCheckOptions& options,
    const std::function<void(const CheckedRule&)>& report);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_SERVICE_CHECK_H_
