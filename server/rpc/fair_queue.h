#ifndef STAGEDOOR_SERVER_RPC_FAIR_QUEUE_H_
#define STAGEDOOR_SERVER_RPC_FAIR_QUEUE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "server/access/rpc_group.h"
#include "server/rpc/intrusive_list.h"

namespace stagedoor::server {

// Calls that wait for a thread of one lane, and the order in which they get one:
//
// - Priority classes have weights: of 21 turns, interactive calls have 16, normal ones 4 and batch
//   calls 1. A class without waiting calls leaves its turns to the others, so none starves.
// - Within a class, the shares (clients, as access control knows them) take turns; within a share,
//   its flows (connections, for example); within a flow, calls are served in order of arrival. A
//   client with thousands of waiting calls so delays each call of another by one call of its own.
// - Calls that run for long leave their thread of the short lane and continue beside it
//   (LaneExecutor); once too many do so, they fill the lane. No flow may therefore have more calls
//   running than the threads plus the number of calls that may still overrun, and no share more
//   than the threads plus three times that number: one share alone always leaves a quarter of them
//   to others. A share without running calls is never held back.
//
// Take looks at each share or flow that is held back, of which there are at most as many as there
// are running calls, and TakeOverdue at all flows; the other operations are O(log n). Shares and
// flows without calls are dropped. Not thread-safe: CallQueue locks it.
class FairQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  class Flow;

  struct Options {
    size_t threads = 1;
    // The number of running calls that need no thread of the lane (see LaneExecutor).
    size_t max_overrunning = 0;
    size_t max_waiting_per_share = 1000;
  };

  // Where a call belongs. `share` and `flow` are the names of its client and of the client's
  // connection; calls of different flows are not kept in order.
  struct Place {
    PriorityClass priority = PriorityClass::kNormal;
    std::string_view share;
    uint64_t flow = 0;
    // A further step of a call that has run before, which is not refused: its client already has
    // a part of the reply.
    bool continues = false;
  };

  // Base of waiting calls. Not thread-safe either.
  class Entry : public IntrusiveList<Entry>::Link {
   public:
    // When it was added.
    Time since() const { return since_; }
    // For an overdue call, whether other calls of its share had turns while it waited. Then its
    // client asked for too much; otherwise the server is too busy for all.
    bool share_was_served() const { return share_was_served_; }

   private:
    friend class FairQueue;
    Flow* flow_ = nullptr;  // null unless it waits
    Time since_;
    uint64_t turns_ = 0;  // of its share before it was added
    bool continues_ = false;
    bool share_was_served_ = false;
  };

  // The right of a call to run, to be given back with Finish. Without an entry, no call may run.
  struct Turn {
    Entry* entry = nullptr;
    Flow* flow = nullptr;
  };

  explicit FairQueue(Options options);
  ~FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // Adds a call, which must be alive until it is taken or removed. False if its share has too many
  // waiting calls. If an allocation fails, the queue is as before.
  bool Add(Entry& entry, const Place& place, Time now);

  // Takes the call whose turn it is.
  Turn Take();
  // Whether any waiting call may run.
  bool CanTake() const;
  void Finish(Flow& flow);

  // Removes a call. False if it does not wait.
  bool Remove(Entry& entry);

  // Moves the calls that were added at `since` or before, and may be refused, to `overdue`. The
  // times of calls must not decrease from one Add to the next.
  void TakeOverdue(Time since, IntrusiveList<Entry>* overdue);

  size_t waiting() const { return waiting_; }
  size_t waiting(PriorityClass priority) const { return ClassOf(priority).waiting; }
  size_t running() const { return running_; }
  // The number of shares that are remembered.
  size_t shares() const;

 private:
  struct Share;
  struct Class {
    IntrusiveList<Share> ready;  // those with waiting calls
    std::map<std::string, Share, std::less<>> shares;
    size_t waiting = 0;
    // The virtual time of its next turn: each turn adds the inverse of the weight.
    uint64_t next_turn = 0;
  };

  Class& ClassOf(PriorityClass priority) { return classes_[static_cast<size_t>(priority)]; }
  const Class& ClassOf(PriorityClass priority) const {
    return classes_[static_cast<size_t>(priority)];
  }
  Flow& FlowOf(const Place& place);
  // The number of further calls that may overrun.
  size_t Spare() const;
  bool MayRun(const Share& share) const;
  bool MayRun(const Flow& flow) const;
  // The next flow of a class that may run a call; null if there is none.
  Flow* NextFlow(const Class& of) const;
  Entry* Serve(Flow& flow);
  void TakeOverdue(Flow& flow, Time since, IntrusiveList<Entry>* overdue);
  // Takes a waiting call out of its lists.
  void Unlink(Entry& entry);
  void DropIfUnused(Flow& flow);

  const Options options_;
  std::array<Class, kPriorityClassNames.size()> classes_;
  uint64_t virtual_time_ = 0;  // of the last turn
  size_t waiting_ = 0;
  size_t running_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_FAIR_QUEUE_H_
