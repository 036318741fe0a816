#ifndef STAGEDOOR_CLIENT_CC_QUERY_COALESCER_H_
#define STAGEDOOR_CLIENT_CC_QUERY_COALESCER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/cc/call_options.h"
#include "client/cc/client_options.h"
#include "client/cc/coalesced_query.h"
#include "client/cc/retry_policy.h"

namespace stagedoor {

// Joins small BatchGetValues queries of the same moment for the same stage into one call. A query
// that finds no call in flight is sent at once, so that a single caller notices nothing; others
// gather until that call has ended, the window is over, or the batch is full.
//
// Blocking and asynchronous queries are never in one batch: the thread of the first blocking query
// of a batch makes the call for the others, and must not run their callbacks. Thread-safe. Create
// it with std::make_shared.
class QueryCoalescer : public std::enable_shared_from_this<QueryCoalescer> {
 public:
  using Request = CoalescedQuery::Request;
  using Reply = CoalescedQuery::Reply;
  using Callback = CoalescedQuery::Callback;

  // How calls are made.
  class Transport {
   public:
    virtual ~Transport() = default;
    virtual Reply Call(const Request& request, const CallOptions& call) = 0;
    // `done` runs once, on any thread.
    virtual void CallAsync(const Request& request, const CallOptions& call, Callback done) = 0;
    // Called before an asynchronous query begins and after it has ended. The transport may be
    // destroyed when all have ended.
    virtual void Begin() = 0;
    virtual void End() = 0;
  };

  // `transport` and `clock` must outlive all queries.
  QueryCoalescer(const CoalescingOptions& options, std::chrono::milliseconds timeout,
                 Transport& transport, RetryClock& clock)
      : options_(options), timeout_(timeout), transport_(transport), clock_(clock) {}

  // Both take requests for which IsSmallQuery is true. Errors are those of the query: if a joined
  // call fails for a reason that may be another query's, it is repeated with half of the queries
  // each. A query ends with DEADLINE_EXCEEDED at its own deadline, and with CANCELLED when it is
  // cancelled, even if its call goes on for the other queries.
  Reply Run(const Request& request, const CallOptions& call);
  void Start(const Request& request, const CallOptions& call, Callback done);

 private:
  using Query = CoalescedQuery;
  using Queries = std::vector<std::shared_ptr<Query>>;
  // Queries that wait to be sent.
  struct Batch {
    Queries queries;
    bool due = false;  // for the thread that leads a batch of blocking queries
    CondVar due_changed;
  };
  // The queries that may be joined with each other. The key of a group is their kind, blocking or
  // asynchronous, and their JoinKey.
  struct Group {
    int calls = 0;  // in flight
    // Whether values of the latest reply were so large that joining queries would not pay.
    bool large = false;
    std::shared_ptr<Batch> open;  // null if no queries are waiting
  };
  static bool SendsAtOnce(const Group& group);
  std::shared_ptr<Query> NewQuery(const Request& request, const CallOptions& call, Callback done);
  // Adds a query to the open batch of a group, which is created if needed, and returns the batch. A
  // batch that this makes full is due and not open any more.
  std::shared_ptr<Batch> Gather(Group& group, const std::shared_ptr<Query>& query)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Waits until a batch is due, and makes its call. `own` is the query of this thread.
  void Lead(const std::string& key, const std::shared_ptr<Batch>& batch, const Query& own);
  // Sends a batch of asynchronous queries unless it was sent already.
  void Flush(const std::string& key, const std::shared_ptr<Batch>& batch);
  // Starts one call, which is already counted in Group::calls.
  void Send(const std::string& key, Queries queries);
  // Ends the queries of a call at their own deadlines if these are before that of the call.
  void ScheduleDeadlines(const Queries& queries, RetryClock::Time now);
  // Answers the queries of a call, or sends them again in halves.
  void Finish(const std::string& key, const Queries& queries, Reply reply);
  // Takes note of the end of a call, and sends what has gathered meanwhile.
  void CallEnded(const std::string& key, bool large);

  const CoalescingOptions options_;
  const std::chrono::milliseconds timeout_;
  Transport& transport_;
  RetryClock& clock_;
  Mutex mu_;
  std::unordered_map<std::string, Group> groups_
      ABSL_GUARDED_BY(mu_);  // those with calls or waiting queries
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_QUERY_COALESCER_H_
