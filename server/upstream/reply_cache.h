#ifndef STAGEDOOR_SERVER_UPSTREAM_REPLY_CACHE_H_
#define STAGEDOOR_SERVER_UPSTREAM_REPLY_CACHE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/memory_pool.h"
#include "base/mutex.h"
#include "base/recency_list.h"
#include "server/upstream/shared_reply.h"
#include "server/upstream/upstream_counters.h"

namespace stagedoor::server {

// Replies of upstream daemons by their keys (ReplyKey), those that are still arriving among them,
// so that equal calls at the same time are one call upstream. Evicts the least recently used ones
// of those that are complete. Replies that depend on value clips are used for a while only.
// Thread-safe.
class ReplyCache {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    size_t max_bytes = size_t{256} << 20;
    std::chrono::milliseconds clip_age{2000};
    std::function<Clock::time_point()> now = Clock::now;
  };
  // Takes a reply that stays right for ever, to keep it on disk as well.
  using Keep = std::function<void(const std::string& key, const std::shared_ptr<SharedReply>&)>;

  ReplyCache(const Options& options, UpstreamCounters& counters)
      : options_(options), counters_(counters), pool_("replies", options.max_bytes) {}
  ReplyCache(const ReplyCache&) = delete;
  ReplyCache& operator=(const ReplyCache&) = delete;

  // To be called before the first reply. `keep` may be null.
  void SetKeep(Keep keep) { keep_ = std::move(keep); }

  struct Found {
    std::shared_ptr<SharedReply> reply;
    // Whether the caller has to start the call upstream, and passes its end to Ended.
    bool is_new = false;
  };
  // The reply of a key, which `reader` has joined. A new one is made by `make`.
  Found Join(const std::string& key, ReplyReader* reader,
             const std::function<std::shared_ptr<SharedReply>()>& make);
  // To be called when a reply has ended that Join has made.
  void Ended(const std::string& key, const std::shared_ptr<SharedReply>& reply, bool lasting);

  // Drops the replies that depend on value clips, because these may have changed.
  void DropAging();
  // Drops all that are complete. Returns their number and bytes.
  struct Dropped {
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Dropped DropAll();

  MemoryPool& pool() { return pool_; }
  size_t bytes() const { return pool_.used(); }
  size_t max_bytes() const { return options_.max_bytes; }
  size_t size() const;
  // The largest reply that is kept.
  size_t max_reply_bytes() const { return options_.max_bytes / 4; }

 private:
  struct Entry {
    std::shared_ptr<SharedReply> reply;
    bool done = false;
    bool lasting = false;
    Clock::time_point expires = Clock::time_point::max();
    uint64_t epoch = 0;  // of the clips, when the call began
  };
  using List = RecencyList<std::string, Entry>;

  // Moves entries above the budget to `out`, which is to be destroyed without the lock.
  void Evict(List::List* out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  template <typename Predicate>
  Dropped DropIf(const Predicate& predicate);

  const Options options_;
  UpstreamCounters& counters_;
  Keep keep_;
  MemoryPool pool_;  // of the bytes of messages
  mutable Mutex mu_;
  List entries_ ABSL_GUARDED_BY(mu_);
  uint64_t epoch_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_REPLY_CACHE_H_
