#ifndef STAGEDOOR_RESOLVER_TESTING_CHANGE_RECORDER_H_
#define STAGEDOOR_RESOLVER_TESTING_CHANGE_RECORDER_H_

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "resolver/change_source.h"

namespace stagedoor {

// Records what a ChangeSource reports. Thread-safe.
class ChangeRecorder {
 public:
  ChangeSource::Callback callback() {
    return [this](const AssetChanges& changes) {
      MutexLock lock(mu_);
      paths_.insert(changes.paths.begin(), changes.paths.end());
      all_ |= changes.all;
      changed_.NotifyAll();
    };
  }
  // Waits until `path` is reported and forgets that. False if it takes too long.
  bool WaitFor(const std::string& path) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    MutexLock lock(mu_);
    while (paths_.erase(path) == 0) {
      if (!changed_.WaitUntil(mu_, deadline)) return false;
    }
    return true;
  }
  // Waits until everything is reported to have changed.
  bool WaitForAll() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    MutexLock lock(mu_);
    while (!all_) {
      if (!changed_.WaitUntil(mu_, deadline)) return false;
    }
    return true;
  }
  // Returns and forgets the reported paths that nobody has waited for.
  std::set<std::string> Take() {
    MutexLock lock(mu_);
    return std::exchange(paths_, {});
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::set<std::string> paths_ ABSL_GUARDED_BY(mu_);
  bool all_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_TESTING_CHANGE_RECORDER_H_
