#ifndef STAGEDOOR_RESOLVER_CHANGE_SOURCE_CHAIN_H_
#define STAGEDOOR_RESOLVER_CHANGE_SOURCE_CHAIN_H_

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "resolver/change_source.h"

namespace stagedoor {

// Offers each asset to one source after another until one can watch it. The last one should take
// any asset, as PollingChangeSource does. Thread-safe. Callbacks of different sources do not
// overlap.
class ChangeSourceChain final : public ChangeSource {
 public:
  explicit ChangeSourceChain(std::vector<std::unique_ptr<ChangeSource>> sources)
      : sources_(std::move(sources)) {}

  void Start(Callback callback) override;
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override;
  void Unwatch(std::span<const std::string> paths) override;
  Stats GetStats() const override;
  std::vector<std::string> TakeProblems() override;

 private:
  struct Place {
    size_t source;
    size_t count;
  };

  Mutex callback_mu_;  // held during a callback
  Mutex mu_;           // held while an asset is watched, so that each goes to one source
  std::unordered_map<std::string, Place> places_ ABSL_GUARDED_BY(mu_);
  const std::vector<std::unique_ptr<ChangeSource>> sources_;  // destroyed first
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_CHANGE_SOURCE_CHAIN_H_
