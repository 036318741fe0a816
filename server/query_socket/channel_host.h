#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_HOST_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_HOST_H_

#include <atomic>
#include <cstddef>

#include "base/in_flight_count.h"
#include "base/memory_pool.h"
#include "server/query_socket/query_source.h"
#include "server/rpc/call_admission.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {

// The objects that the channels of one carrier share: query state, the admission of calls, memory.
// Queries are calls of BatchGetValues to all that count, log, limit and permit calls. Thread-safe;
// outlives the channels.
class ChannelHost {
 public:
  // The slot that light calls of gRPC have, for channels that gRPC's threads read.
  static constexpr int kSlotOfGrpc = -1;

  // `inline_slots` is the number of light queries that may run on the threads that read them at the
  // same time, or kSlotOfGrpc. `source`, unless it is null, answers queries instead of the stages.
  ChannelHost(CallAdmission& admission, const QueryState& state, int inline_slots,
              QuerySource* source = nullptr);

  CallAdmission& admission() { return admission_; }
  MethodCounters& counters() { return counters_; }
  const QueryState& state() const { return state_; }
  QuerySource* source() const { return source_; }
  // The memory of all its channels: what is bound, and frames that are not complete or not sent. At
  // most a quarter of that of calls in flight, which it is not a part of.
  MemoryPool& memory() { return memory_; }

  // Takes one of the slots for light queries, to be given back with ReleaseInlineSlot. False if all
  // are taken.
  bool TryAcquireInlineSlot();
  void ReleaseInlineSlot();

  // The queries that wait for a thread or run on one of a lane.
  InFlightCount& queued() { return queued_; }
  // The queries that the source may still answer, until the thread that brings the answer has
  // released the channel. Nobody joins these threads.
  InFlightCount& asked() { return asked_; }

 private:
  CallAdmission& admission_;
  const QueryState& state_;
  QuerySource* const source_;
  MethodCounters& counters_;
  MemoryPool memory_;
  const bool has_own_slots_;
  std::atomic<int> free_slots_;
  InFlightCount queued_;
  InFlightCount asked_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_CHANNEL_HOST_H_
