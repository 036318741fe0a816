#ifndef STAGEDOOR_CLIENT_CC_COALESCED_QUERY_H_
#define STAGEDOOR_CLIENT_CC_COALESCED_QUERY_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/cc/cancellation.h"
#include "client/cc/retry_policy.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor {

// One query that may travel with others. It is answered once: by its reply, or before by its
// deadline or cancellation. Thread-safe.
class CoalescedQuery {
 public:
  using Request = v1::BatchGetValuesRequest;
  using Reply = absl::StatusOr<v1::BatchGetValuesResponse>;
  using Callback = std::function<void(Reply)>;

  // `done` receives the answer, on the thread that gives it; null for a query that is waited for.
  // `canceller` may be null.
  CoalescedQuery(const Request& wanted, RetryClock::Time last,
                 std::shared_ptr<Cancellation> canceller, Callback done)
      : request(wanted),
        deadline(last),
        cancellation(std::move(canceller)),
        done_(std::move(done)) {}

  // Makes the cancellation end the query. `self` is this object.
  void ObserveCancellation(const std::shared_ptr<CoalescedQuery>& self);
  // Has no effect if the query is answered already.
  void Answer(Reply reply);
  bool answered() const;
  // Waits for the answer, which can be taken once. `timeout` is real time.
  std::optional<Reply> WaitFor(std::chrono::steady_clock::duration timeout);

  const Request request;
  const RetryClock::Time deadline;
  const std::shared_ptr<Cancellation> cancellation;  // may be null

 private:
  const Callback done_;
  std::optional<CancellationHook> hook_;
  mutable Mutex mu_;
  CondVar changed_;
  bool answered_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<Reply> reply_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_COALESCED_QUERY_H_
