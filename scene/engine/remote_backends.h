#ifndef STAGEDOOR_SCENE_ENGINE_REMOTE_BACKENDS_H_
#define STAGEDOOR_SCENE_ENGINE_REMOTE_BACKENDS_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "resolver/backend_info.h"
#include "resolver/caching_resolver.h"
#include "resolver/change_source.h"
#include "resolver/dispatching_resolver.h"
#include "resolver/http/http_client.h"
#include "resolver/remote/remote_backend.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/store_resolver.h"
#include "scene/engine/remote_options.h"

namespace stagedoor {

// The backends for assets on other machines, with the HTTP client and the cache that they share.
// Immutable and thread-safe. Must outlive its resolvers and their assets.
class RemoteBackends {
 public:
  // Without allowed URLs and services, there are no backends, and no cache. INVALID_ARGUMENT names
  // the option that is wrong; otherwise the errors of BlockCache::Create.
  static absl::StatusOr<std::unique_ptr<const RemoteBackends>> Create(const RemoteOptions& options);

  // By URI scheme.
  const DispatchingResolver::Backends& by_scheme() const { return by_scheme_; }
  // The backend for paths without a scheme; null if that is the file system.
  const std::shared_ptr<const Resolver>& without_scheme() const { return without_scheme_; }
  const std::vector<BackendInfo>& infos() const { return infos_; }
  // The sources of changes of the services that report them.
  std::vector<std::unique_ptr<ChangeSource>> MakeChangeSources() const;
  // Null if there are no backends.
  const BlockCache* cache() const { return cache_.get(); }
  // See BlockCache::SetRelief.
  void SetRelief(std::function<void()> relief) const {
    if (cache_ != nullptr) cache_->SetRelief(std::move(relief));
  }
  // See BlockCache::CloseUnused.
  void CloseUnused() const {
    if (cache_ != nullptr) cache_->CloseUnused();
  }
  // Null if no URL is allowed.
  const HttpClient* http_client() const { return http_client_.get(); }

 private:
  RemoteBackends() = default;
  absl::Status AddUrls(const RemoteOptions& options);
  absl::Status AddService(const RemoteOptions& options, const std::string& flag);
  void Add(std::shared_ptr<const Resolver> resolver, const BackendInfo& info);

  struct Service {
    RemoteBackend backend;
    std::string scheme;
    std::shared_ptr<const StoreResolver> resolver;
    std::shared_ptr<CachingResolver> paths;  // remembers what it resolved
  };
  std::unique_ptr<BlockCache> cache_;
  std::shared_ptr<HttpClient> http_client_;
  DispatchingResolver::Backends by_scheme_;
  std::shared_ptr<const Resolver> without_scheme_;
  std::vector<BackendInfo> infos_;
  std::vector<Service> services_;  // those with a scheme
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_ENGINE_REMOTE_BACKENDS_H_
