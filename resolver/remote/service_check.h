#ifndef STAGEDOOR_RESOLVER_REMOTE_SERVICE_CHECK_H_
#define STAGEDOOR_RESOLVER_REMOTE_SERVICE_CHECK_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "resolver/remote/resolver_service_options.h"

namespace stagedoor {

class ServiceConnection;

// What a resolver service is checked with.
struct ServiceCheckOptions {
  // Asset paths, absolute, of assets that exist. At least one. Nothing is written to them.
  std::vector<std::string> paths;
  // A local directory whose files the service serves below a URI; both empty if there is none. One
  // file is written there and removed.
  std::string writable_directory;
  std::string writable_uri;
};

// The verdict on one rule of docs/resolver_service.md.
struct CheckedRule {
  enum class Verdict { kOk, kFailed, kSkipped };
  std::string_view rule;  // "ranges agree with the whole content"
  Verdict verdict = Verdict::kOk;
  std::string why;  // unless it is kOk
};

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
