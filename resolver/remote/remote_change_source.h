#ifndef STAGEDOOR_RESOLVER_REMOTE_REMOTE_CHANGE_SOURCE_H_
#define STAGEDOOR_RESOLVER_REMOTE_REMOTE_CHANGE_SOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "resolver/change_source.h"
#include "resolver/remote/remote_backend.h"
#include "resolver/remote/remote_watch.h"

namespace stagedoor {

// The changes that a resolver service reports, for the assets of its scheme. While the service does
// not report any, because it cannot be reached or does not support watching, it takes no assets.
// Thread-safe.
class RemoteChangeSource final : public ChangeSource {
 public:
  // Called before a change is passed on, so that its receiver sees the new versions.
  using Forget = std::function<void(const AssetChanges&)>;

  // `backend` is that of a service with a scheme.
  RemoteChangeSource(RemoteBackend backend, std::string scheme, Forget forget)
      : backend_(std::move(backend)), scheme_(std::move(scheme)), forget_(std::move(forget)) {}

  void Start(Callback callback) override;
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override;
  void Unwatch(std::span<const std::string> paths) override;
  Stats GetStats() const override;

 private:
  void Report(const RemoteWatch::Change& change);

  const RemoteBackend backend_;
  const std::string scheme_;
  const Forget forget_;
  Callback callback_;  // set before the watch starts

  mutable Mutex mu_;
  std::unordered_map<std::string, size_t> watched_ ABSL_GUARDED_BY(mu_);  // how often, by path
  std::unique_ptr<RemoteWatch> watch_;                                    // destroyed first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_REMOTE_CHANGE_SOURCE_H_
