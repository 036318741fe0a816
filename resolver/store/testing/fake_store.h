#ifndef STAGEDOOR_RESOLVER_STORE_TESTING_FAKE_STORE_H_
#define STAGEDOOR_RESOLVER_STORE_TESTING_FAKE_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// A store in memory, which counts what is asked of it and can fail. Thread-safe.
class FakeStore final : public ObjectStore {
 public:
  void Put(const std::string& path, std::string content);
  void Remove(const std::string& path);

  absl::StatusOr<Opened> Open(RequestContext& context, const std::string& path,
                              const ObjectInfo* known, size_t head_bytes) const override;
  std::vector<absl::StatusOr<ObjectInfo>> GetInfo(
      RequestContext& context, std::span<const std::string> paths) const override;
  absl::Status Fetch(RequestContext& context, const std::string& path, const ObjectInfo& info,
                     std::span<const ByteRange> ranges, const Sink& sink) const override;

  // Whether old versions can still be fetched, as in a bucket with versions.
  std::atomic<bool> keeps_versions{true};
  // Whether versions are the size only, as those of web servers are if all times are equal.
  std::atomic<bool> by_time{false};
  std::atomic<bool> unavailable{false};
  // How many calls of Fetch say that the object was changed, although it was not.
  mutable std::atomic<int> refusals{0};
  std::atomic<bool> misconfigured{false};  // FAILED_PRECONDITION when opened
  // How many bytes of all ranges of a Fetch are sent before it fails.
  std::atomic<uint64_t> fails_after{UINT64_MAX};
  // Called at the beginning of each Fetch, and after each Open has looked for the object, without
  // a lock. May be set while nobody fetches or opens.
  std::function<void()> on_fetch;
  std::function<void()> on_open;

  mutable std::atomic<int> opens{0};
  mutable std::atomic<int> infos{0};    // objects asked for by GetInfo
  mutable std::atomic<int> fetches{0};  // calls of Fetch
  mutable std::atomic<int> ranges{0};   // in all of them
  mutable std::atomic<uint64_t> bytes{0};

 private:
  absl::StatusOr<ObjectInfo> Find(const std::string& path) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  mutable Mutex mu_;
  std::map<std::string, std::string> current_ ABSL_GUARDED_BY(mu_);   // version by path
  std::map<std::string, std::string> contents_ ABSL_GUARDED_BY(mu_);  // by version
  int last_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_TESTING_FAKE_STORE_H_
