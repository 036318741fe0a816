#ifndef STAGEDOOR_CLIENT_CC_QUERY_LINK_H_
#define STAGEDOOR_CLIENT_CC_QUERY_LINK_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/frame_reader.h"
#include "base/mutex.h"
#include "client/cc/cancellation.h"
#include "client/cc/frame_carrier.h"
#include "client/cc/query_numbers.h"
#include "client/cc/shared_segments.h"
#include "stagedoor/v1/frames.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

class SharedArrays;

// A channel to a daemon, over its query socket or another carrier, which asks BatchGetValues
// requests as query frames. Queries of several threads share it; each has its own deadline,
// cancellation and reply.
//
// One of the threads that wait for replies reads for all of them, so that a single caller waits in
// the system call that brings its reply. Callbacks run on a thread of the link, which starts with
// the first asynchronous query. Thread-safe.
class QueryLink : public std::enable_shared_from_this<QueryLink> {
 public:
  using Clock = std::chrono::steady_clock;
  using Request = v1::BatchGetValuesRequest;
  // A reply, as the daemon has sent it: large arrays may be in memory that is shared with it.
  struct Answer {
    v1::BatchGetValuesResponse values;
    std::shared_ptr<const SharedArrays> arrays;  // null if there are none
  };
  // The reply or error of a query, with all arrays in it. Nothing if it should be asked in another
  // way: the connection is broken, or the daemon cannot answer it at the moment.
  using Outcome = std::optional<absl::StatusOr<v1::BatchGetValuesResponse>>;
  using Callback = std::function<void(Outcome)>;
  using SharedOutcome = std::optional<absl::StatusOr<Answer>>;

  // Connects to the socket at a path. UNAVAILABLE if no daemon listens there, or announces no
  // window within a second.
  static absl::StatusOr<std::shared_ptr<QueryLink>> Connect(const std::string& path,
                                                            size_t max_message_bytes);
  // Uses a carrier. UNAVAILABLE as for Connect.
  static absl::StatusOr<std::shared_ptr<QueryLink>> Over(std::unique_ptr<FrameCarrier> carrier,
                                                         size_t max_message_bytes);
  // Requires Close, unless there were no asynchronous queries.
  ~QueryLink() = default;
  QueryLink(const QueryLink&) = delete;
  QueryLink& operator=(const QueryLink&) = delete;

  // Whether a request can be asked here: it names no path set, and is small.
  static bool Suits(const Request& request);

  // All require Suits. `cancellation` may be null. The callback may run before Start returns.
  Outcome Run(const Request& request, Clock::time_point deadline,
              const std::shared_ptr<Cancellation>& cancellation);
  // As Run, without a copy of the arrays that are in shared memory.
  SharedOutcome RunShared(const Request& request, Clock::time_point deadline,
                          const std::shared_ptr<Cancellation>& cancellation);
  void Start(const Request& request, Clock::time_point deadline,
             const std::shared_ptr<Cancellation>& cancellation, const Callback& done);

  bool broken() const;
  FrameCarrier::Kind kind() const { return carrier_->kind(); }
  // Whether no query is in flight.
  bool idle() const;
  // Tells the daemon that arrays are not used any more.
  void ReleaseArrays(const std::vector<v1::SharedSegment>& arrays);

  // Breaks the connection, and waits until its queries have ended. Not from a callback.
  void Close();

 private:
  struct Query {
    Clock::time_point deadline;
    Callback done;  // empty for a blocking query
    std::unique_ptr<CancellationHook> hook;
    bool ended = false;
    SharedOutcome outcome;
    CondVar changed;  // for a blocking query: it has ended, or should read
  };
  using QueryPtr = std::shared_ptr<Query>;
  // A frame of the daemon, and the arrays in shared memory that it refers to.
  struct Received {
    v1::ServerFrame frame;
    std::shared_ptr<const SharedArrays> arrays;
  };

  QueryLink(std::unique_ptr<FrameCarrier> carrier, size_t max_message_bytes)
      : carrier_(std::move(carrier)), reader_(max_message_bytes) {}

  // Waits for the window.
  bool Begin();
  // Sends a query. Null if the connection is broken or too many are in flight.
  QueryPtr Send(const Request& request, Clock::time_point deadline, Callback done, uint64_t* id);
  void AddMessage(const v1::ClientFrames& frames) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Sends what waits, as far as the daemon takes it without waiting.
  void SendPending() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Reads once, until about `deadline`, and parses what has come. False if the connection is
  // broken. For the thread that has the right to read.
  bool Read(Clock::time_point deadline, bool can_send, std::vector<Received>* frames);
  // Takes a frame apart that was read. False for one that cannot be true.
  bool Take(std::string_view content, std::vector<Received>* frames);
  // Reads once, and ends the queries whose replies have come.
  void ReadAndDeliver(Clock::time_point deadline) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Whether an error may be due to the daemon or the identity that a stream has kept, while calls
  // have others by now.
  bool IsOfOtherDaemon(const v1::ItemStatus& error) const;
  void Deliver(Received& received) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Lets another thread read, if one waits for replies.
  void PassReading() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Break() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Ends a query; the daemon is asked to do so too if it may still answer.
  void End(uint64_t id, SharedOutcome outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Abandon(uint64_t id, absl::Status status) ABSL_LOCKS_EXCLUDED(mu_);
  void AbandonLocked(uint64_t id, absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AbandonOverdue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  void RunThread();
  // Runs the callbacks of queries that have ended, and sends what they ask.
  void RunCallbacks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::unique_ptr<FrameCarrier> carrier_;
  // For the thread that has the right to read.
  FrameReader reader_;
  SharedSegments segments_;

  mutable Mutex mu_;
  QueryNumbers numbers_ ABSL_GUARDED_BY(mu_);
  std::string unsent_ ABSL_GUARDED_BY(mu_);
  uint64_t last_id_ ABSL_GUARDED_BY(mu_) = 0;
  size_t window_ ABSL_GUARDED_BY(mu_) = 0;
  std::unordered_map<uint64_t, QueryPtr> queries_ ABSL_GUARDED_BY(mu_);
  std::list<QueryPtr> blocked_ ABSL_GUARDED_BY(mu_);  // blocking queries that do not read
  size_t asynchronous_ ABSL_GUARDED_BY(mu_) = 0;      // queries in flight
  bool reading_ ABSL_GUARDED_BY(mu_) = false;
  bool broken_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_ ABSL_GUARDED_BY(mu_);
  CondVar thread_wakes_;
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<std::pair<Callback, SharedOutcome>> ended_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_LINK_H_
