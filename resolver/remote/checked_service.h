#ifndef STAGEDOOR_RESOLVER_REMOTE_CHECKED_SERVICE_H_
#define STAGEDOOR_RESOLVER_REMOTE_CHECKED_SERVICE_H_

#include <grpcpp/client_context.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "resolver/remote/service_connection.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// A service that is being checked: its calls as the rules need them, with the codes and messages
// that the service sends, and without retries. Thread-safe.
class CheckedService {
 public:
  template <typename T>
  using Items = absl::StatusOr<std::vector<absl::StatusOr<T>>>;
  using Paths = std::vector<std::string>;

  explicit CheckedService(std::shared_ptr<const ServiceConnection> connection)
      : connection_(std::move(connection)) {}

  // The bulk calls. An error of the call, or a wrong number of results, is an error of the whole.
  Items<std::string> CreateIdentifier(const Paths& asset_paths, const std::string& anchor) const;
  Items<std::string> Resolve(const Paths& identifiers) const;
  Items<ObjectInfo> GetVersions(const Paths& resolved_paths) const;
  // As the calls above, for one item.
  absl::StatusOr<std::string> CreateIdentifierOf(const std::string& asset_path,
                                                 const std::string& anchor) const;
  absl::StatusOr<std::string> ResolveOf(const std::string& identifier) const;
  absl::StatusOr<ObjectInfo> GetVersionOf(const std::string& resolved_path) const;

  struct Reading {
    absl::Status status;  // of the call, or what was wrong with its messages
    size_t messages = 0;
    std::optional<ObjectInfo> info;
    std::string bytes;  // of all ranges
  };
  struct ReadOptions {
    std::string version = {}, known_version = {};
  };
  Reading Read(const std::string& resolved_path, const std::vector<ByteRange>& ranges,
               const ReadOptions& options) const;
  Reading Read(const std::string& resolved_path, const std::vector<ByteRange>& ranges) const {
    return Read(resolved_path, ranges, {});
  }

  // Sends a request of a method in wire form.
  absl::Status CallRaw(const std::string& method, const std::string& request) const;

  const std::shared_ptr<const ServiceConnection>& connection() const { return connection_; }
  const std::string& scheme() const { return connection_->options().scheme; }
  std::chrono::milliseconds timeout() const { return connection_->options().answer_timeout; }
  // Sets the deadline of a call.
  void Prepare(grpc::ClientContext* call) const;

 private:
  const std::shared_ptr<const ServiceConnection> connection_;
};

absl::Status ToStatus(const grpc::Status& status);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_CHECKED_SERVICE_H_
