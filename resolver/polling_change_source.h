#ifndef STAGEDOOR_RESOLVER_POLLING_CHANGE_SOURCE_H_
#define STAGEDOOR_RESOLVER_POLLING_CHANGE_SOURCE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/change_source.h"
#include "resolver/resolver.h"

namespace stagedoor {

struct PollingOptions {
  using Clock = std::chrono::steady_clock;

  // How often the version of an asset is compared. Each time is moved at random by up to a tenth,
  // so that daemons that started together do not ask a server at the same moment.
  std::chrono::milliseconds interval{5000};
  // How many versions are asked for in a second at most. With more assets, the interval grows.
  size_t max_versions_per_second = 500;
  size_t max_batch = 256;                 // versions per call of GetVersions
  std::chrono::seconds call_timeout{30};  // of a call of GetVersions
  std::function<Clock::time_point()> now = Clock::now;
  bool start_thread = true;  // if false, only calls of Poll compare versions; for tests
};

// Notices changes by comparing versions at an interval (Resolver::GetVersions). Takes all assets;
// each is asked for once, however many callers watch it. An asset whose version cannot be
// determined at the moment counts as unchanged. Has one thread of its own.
class PollingChangeSource final : public ChangeSource {
 public:
  using Clock = PollingOptions::Clock;

  PollingChangeSource(std::shared_ptr<const Resolver> resolver, PollingOptions options);
  ~PollingChangeSource() override;

  void Start(Callback callback) override;
  // Compares the versions for the first time within the interval.
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override;
  void Unwatch(std::span<const std::string> paths) override;
  Stats GetStats() const override;

  // Compares the versions that are due, as far as the rate allows, and reports the changes. Returns
  // when to call it again; the maximum if nothing is watched.
  Clock::time_point Poll();

 private:
  struct Asset {
    size_t count = 0;     // of Watch
    std::string version;  // the last known one; empty if missing
    Clock::time_point due;
  };
  struct Batch {
    std::vector<std::string> paths;
    Clock::time_point next;  // when to poll again if `paths` is empty
  };

  Clock::time_point NextDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Schedule(const std::string& path, Asset& asset, Clock::time_point due)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The assets that are due now, at most those that a call may ask for.
  Batch TakeDue();
  std::vector<absl::StatusOr<AssetVersion>> GetVersions(RequestContext& context,
                                                        const std::vector<std::string>& paths);
  void Run();

  const std::shared_ptr<const Resolver> resolver_;
  const PollingOptions options_;
  Callback callback_;  // set before the thread starts

  mutable Mutex mu_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::unordered_map<std::string, Asset> assets_ ABSL_GUARDED_BY(mu_);
  std::multimap<Clock::time_point, std::string> due_ ABSL_GUARDED_BY(mu_);
  Clock::time_point allowed_ ABSL_GUARDED_BY(mu_);  // when the rate permits the next call
  std::minstd_rand random_ ABSL_GUARDED_BY(mu_){std::random_device()()};
  RequestContext* running_ ABSL_GUARDED_BY(mu_) = nullptr;  // of the call in progress
  bool lost_ = false;  // whether memory was too short for a report; used by one thread
  std::thread thread_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_POLLING_CHANGE_SOURCE_H_
