#ifndef STAGEDOOR_RESOLVER_STORE_OBJECT_CATALOG_H_
#define STAGEDOOR_RESOLVER_STORE_OBJECT_CATALOG_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "resolver/store/cache_directory.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// A catalog of the objects of remote stores: their versions, when they were validated, and which do
// not exist. With a directory, the versions survive the process, so that a cache on disk can be
// used again, even while its origin is down. Bounded; thread-safe.
class ObjectCatalog {
 public:
  using Clock = std::chrono::steady_clock;
  using WallClock = std::chrono::system_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::min();

  struct Options {
    const CacheDirectory* directory = nullptr;  // may be null; must outlive the catalog
    size_t max_entries = 200000;
    std::function<Clock::time_point()> now = Clock::now;
    std::function<WallClock::time_point()> wall_now = WallClock::now;
  };
  struct Known {
    ObjectInfo info;
    absl::Status missing;             // not OK if the object does not exist
    Clock::time_point fresh_until;    // when to ask the store again
    WallClock::time_point validated;  // when the store confirmed it last
    // When the sample of an object whose version is made of a time was read; kNever if another
    // process did, or if the object was expired since.
    Clock::time_point sampled = kNever;
    bool stale = false;               // whether the store was unavailable since
    WallClock::time_point written{};  // when it was written to the directory
  };

  explicit ObjectCatalog(Options options) : options_(std::move(options)) {}

  // The information about an object; nothing if it was not seen yet, or long ago. Information that
  // was read from the directory is not fresh.
  std::optional<Known> Find(const std::string& path);
  // Record an answer of the store: the state of an object, that the store was unavailable for one
  // that is known, or that the object does not exist. Failures to write to the directory are
  // ignored: the next process will ask the store. `generation` is that before the store was asked:
  // if any object was expired since, the answer is not fresh.
  void Put(const std::string& path, const ObjectInfo& info, Clock::duration fresh_for,
           uint64_t generation, Clock::time_point sampled = kNever);
  void PutStale(const std::string& path, Known known, Clock::duration fresh_for,
                uint64_t generation);
  void PutMissing(const std::string& path, absl::Status why, Clock::duration fresh_for,
                  uint64_t generation);

  // Makes the next one who needs the object ask the store.
  void Expire(const std::string& path);
  void ExpireAll();
  // Changes with each Expire and ExpireAll.
  uint64_t generation() const;

  // Encoding in the files of the directory. Decode returns nothing for anything but a complete file
  // about `path`.
  static std::string Encode(const std::string& path, const ObjectInfo& info,
                            WallClock::time_point validated);
  static std::optional<Known> Decode(std::string_view text, const std::string& path);

 private:
  void Keep(const std::string& path, Known known) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Clock::time_point FreshUntil(Clock::duration fresh_for, uint64_t generation) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // When an unchanged entry was last written to the directory.
  WallClock::time_point LastWritten(const std::string& path, const ObjectInfo& info) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::optional<Known> ReadFromDirectory(const std::string& path) const;

  const Options options_;
  mutable Mutex mu_;
  uint64_t generation_ ABSL_GUARDED_BY(mu_) = 0;
  RecencyList<std::string, Known> objects_ ABSL_GUARDED_BY(mu_);  // by path
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_STORE_OBJECT_CATALOG_H_
