#ifndef STAGEDOOR_RESOLVER_REMOTE_TESTING_FAKE_SERVICE_H_
#define STAGEDOOR_RESOLVER_REMOTE_TESTING_FAKE_SERVICE_H_

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "resolver/remote/service_connection.h"
#include "stagedoor/resolver/v1/resolver.grpc.pb.h"

namespace stagedoor {

// A resolver service in memory that keeps the rules, and breaks those that a test wants broken. Its
// assets have URIs such as "asset://show/a.usd". Thread-safe, except for the hooks, which are set
// before the first call.
class FakeService final : public resolver::v1::ResolverService::Service {
 public:
  using Identifiers = resolver::v1::CreateIdentifierResponse;
  using Paths = resolver::v1::ResolveResponse;
  using Versions = resolver::v1::GetVersionsResponse;
  using Messages = std::vector<resolver::v1::ReadResponse>;

  void Write(const std::string& path, const std::string& content);
  void Remove(const std::string& path);

  // Runs before each call; a status that is not OK is the answer.
  std::function<grpc::Status(const grpc::ServerContext&)> before;
  // Change right answers into wrong ones.
  std::function<void(const resolver::v1::CreateIdentifierRequest&, Identifiers*)> spoil_identifiers;
  std::function<void(const resolver::v1::ResolveRequest&, Paths*)> spoil_paths;
  std::function<void(const resolver::v1::GetVersionsRequest&, Versions*)> spoil_versions;
  std::function<void(const resolver::v1::ReadRequest&, Messages*, grpc::Status*)> spoil_read;
  // Called now and then by Watch; what it returns is sent, if it has an event.
  std::function<resolver::v1::WatchResponse()> look_for_changes;
  bool can_watch = true;
  bool versions_are_sizes = false;
  size_t piece_bytes = 1000;

  // Makes `before` answer UNAVAILABLE this many times.
  void FailNextCalls(int count);
  // Returns when the caller has cancelled.
  static grpc::Status WaitForCancellation(const grpc::ServerContext& call);

  // Sends a message to all watchers, and ends their calls.
  void Send(const resolver::v1::WatchResponse& message);
  void EndWatches();
  void WaitForWatchers(size_t count);
  // The request of the last Watch.
  resolver::v1::WatchRequest watched() const;

  std::vector<resolver::v1::ReadRequest> reads() const;

 private:
  struct Watcher {
    std::list<resolver::v1::WatchResponse> pending;
    bool ending = false;
  };

  grpc::Status CreateIdentifier(grpc::ServerContext* call,
                                const resolver::v1::CreateIdentifierRequest* request,
                                Identifiers* response) override;
  grpc::Status Resolve(grpc::ServerContext* call, const resolver::v1::ResolveRequest* request,
                       Paths* response) override;
  grpc::Status GetVersions(grpc::ServerContext* call,
                           const resolver::v1::GetVersionsRequest* request,
                           Versions* response) override;
  grpc::Status Read(grpc::ServerContext* call, const resolver::v1::ReadRequest* request,
                    grpc::ServerWriter<resolver::v1::ReadResponse>* writer) override;
  grpc::Status Watch(grpc::ServerContext* call, const resolver::v1::WatchRequest* request,
                     grpc::ServerWriter<resolver::v1::WatchResponse>* writer) override;
  // The messages that answer a request, and the status after them.
  grpc::Status Answer(const resolver::v1::ReadRequest& request, Messages* messages) const;
  std::string VersionOf(const std::string& content) const;
  // Null if there is no such asset.
  std::shared_ptr<const std::string> Find(const std::string& path) const;

  mutable Mutex mu_;
  CondVar changed_;
  std::map<std::string, std::shared_ptr<const std::string>> assets_ ABSL_GUARDED_BY(mu_);
  std::list<Watcher> watchers_ ABSL_GUARDED_BY(mu_);
  resolver::v1::WatchRequest watched_ ABSL_GUARDED_BY(mu_);
  std::vector<resolver::v1::ReadRequest> reads_ ABSL_GUARDED_BY(mu_);
};

// A FakeService that is served within the process.
class FakeServer {
 public:
  // Also listens on `address` if it is not empty.
  explicit FakeServer(const std::string& address = "");
  ~FakeServer();

  FakeService& service() { return service_; }
  // A connection for the scheme "asset", with short backoffs.
  std::shared_ptr<const ServiceConnection> Connect() const;
  std::shared_ptr<const ServiceConnection> Connect(const ResolverServiceOptions& options) const;

 private:
  FakeService service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_TESTING_FAKE_SERVICE_H_
