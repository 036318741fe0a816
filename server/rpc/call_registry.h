#ifndef STAGEDOOR_SERVER_RPC_CALL_REGISTRY_H_
#define STAGEDOOR_SERVER_RPC_CALL_REGISTRY_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "server/rpc/intrusive_list.h"

namespace stagedoor::server {

// The current activity of a call in flight.
enum class CallState {
  kWaiting,  // for a thread
  kWorking,
  kSending,    // a message, which its client has to take
  kSuspended,  // until there is something to send
};

// A call in flight, as operators see it.
struct CallInFlight {
  std::string_view method;  // lives as long as the server's counters
  std::string identity;     // empty if it is not known
  std::string peer;
  std::string request_id;
  std::string stage;  // the root layer; empty if it is not known
  std::chrono::nanoseconds age{0};
  CallState state = CallState::kWorking;
  size_t reserved_bytes = 0;
  uint64_t steps = 0;
};

// The calls in flight that have waited for a thread or for their client, to be listed. A call that
// is answered at once on gRPC's thread is never added, and so pays nothing. Adding a call allocates
// nothing, and takes one of several locks. Thread-safe; outlives its entries.
class CallRegistry {
 public:
  using Clock = std::chrono::steady_clock;

  class Entry : public IntrusiveList<Entry>::Link {
   public:
    explicit Entry(Clock::time_point arrived) : arrived_(arrived) {}

    Clock::time_point arrived() const { return arrived_; }
    // Thread-safe.
    CallState state() const { return state_.load(std::memory_order_relaxed); }
    void set_state(CallState state) { state_.store(state, std::memory_order_relaxed); }

   protected:
    ~Entry() = default;
    // Fills everything but the age and the state. Called on any thread while the entry is in the
    // registry, whose lock is held.
    virtual void Describe(CallInFlight* out) = 0;

   private:
    friend class CallRegistry;
    const Clock::time_point arrived_;
    std::atomic<CallState> state_{CallState::kWorking};
    bool is_added_ = false;  // of the threads of the call
  };

  // Adds a call unless that was done before. Must not run at the same time as another call for the
  // same entry.
  void Add(Entry& entry);
  // Removes a call if it was added; to be called before what it describes is destroyed.
  void Remove(Entry& entry);

  struct Listing {
    std::vector<CallInFlight> longest;  // first the one that arrived first
    size_t waiting = 0;                 // of all calls
  };
  // At most `limit` calls, with their ages at `now`. Calls that come or go meanwhile may be
  // missing.
  Listing List(size_t limit, Clock::time_point now = Clock::now()) const;

 private:
  static constexpr size_t kShards = 16;
  struct alignas(64) Shard {
    mutable Mutex mu;
    IntrusiveList<Entry> calls ABSL_GUARDED_BY(mu);
  };

  static size_t ShardOf(const Entry& entry);
  // When the last of the first `limit` calls arrived. Counts those that wait.
  Clock::time_point FindLatest(size_t limit, size_t* waiting) const;

  std::array<Shard, kShards> shards_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_REGISTRY_H_
