#include "client/cc/query_coalescer.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "client/cc/query_batch.h"

namespace stagedoor {
namespace {

using std::chrono::milliseconds;

// The first character of the keys of groups.
constexpr char kBlocking = 'b';
constexpr char kAsynchronous = 'a';

// Larger replies per query take longer to send than calls to make.
constexpr size_t kLargeReplyBytes = 16 << 10;

// Deadlines that are closer to each other than this count as equal.
constexpr milliseconds kDeadlineTolerance{1};

using Query = CoalescedQuery;
using Queries = std::vector<std::shared_ptr<Query>>;

bool IsLarge(const Query::Reply& reply, size_t queries) {
  return reply.ok() && reply->ByteSizeLong() > queries * kLargeReplyBytes;
}

// Whether a joined call may have failed because of one query, or because the queries were too many.
bool MayConcernSomeQueries(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return true;
    default:
      return false;
  }
}

std::vector<const Query::Request*> RequestsOf(const Queries& queries) {
  std::vector<const Query::Request*> requests;
  requests.reserve(queries.size());
  for (const auto& query : queries) requests.push_back(&query->request);
  return requests;
}

Query::Request Joined(const Queries& queries) {
  return queries.size() == 1 ? queries.front()->request : JoinQueries(RequestsOf(queries));
}

absl::Status Expired() { return DeadlineExceededError("the deadline of the call has passed"); }

// Answers the queries whose deadline has passed, and removes all that are answered.
void RemoveEnded(RetryClock::Time now, Queries* queries) {
  for (const auto& query : *queries) {
    if (query->deadline <= now) query->Answer(Expired());
  }
  std::erase_if(*queries, [](const auto& query) { return query->answered(); });
}

RetryClock::Time LastDeadline(const Queries& queries) {
  RetryClock::Time last = queries.front()->deadline;
  for (const auto& query : queries) last = std::max(last, query->deadline);
  return last;
}

// The options of the call for queries that have not ended.
CallOptions OptionsFor(const Queries& queries, RetryClock::Time now) {
  CallOptions call;
  call.timeout = std::chrono::ceil<milliseconds>(LastDeadline(queries) - now);
  if (queries.size() == 1) call.cancellation = queries.front()->cancellation;
  return call;
}

}  // namespace

QueryCoalescer::Reply QueryCoalescer::Run(const Request& request, const CallOptions& call) {
  const std::string key = kBlocking + JoinKey(request);
  std::shared_ptr<Query> query;
  std::shared_ptr<Batch> led;
  {
    MutexLock lock(mu_);
    Group& group = groups_[key];
    if (SendsAtOnce(group)) {
      ++group.calls;
    } else {
      query = NewQuery(request, call, /*done=*/nullptr);
      const bool first = group.open == nullptr;
      const std::shared_ptr<Batch> batch = Gather(group, query);
      if (first) led = batch;
    }
  }
  if (query == nullptr) {
    Reply reply = transport_.Call(request, call);
    CallEnded(key, IsLarge(reply, 1));
    return reply;
  }
  if (led != nullptr) Lead(key, led, *query);
  std::optional<Reply> reply = query->WaitFor(query->deadline - clock_.Now());
  return reply.has_value() ? *std::move(reply) : Reply(Expired());
}

void QueryCoalescer::Start(const Request& request, const CallOptions& call, Callback done) {
  transport_.Begin();
  const std::shared_ptr<Query> query =
      NewQuery(request, call, [&transport = transport_, done = std::move(done)](Reply reply) {
        done(std::move(reply));
        transport.End();
      });
  const std::string key = kAsynchronous + JoinKey(request);
  Queries to_send;
  std::weak_ptr<Batch> opened;
  {
    MutexLock lock(mu_);
    Group& group = groups_[key];
    if (SendsAtOnce(group)) {
      ++group.calls;
      to_send = {query};
    } else {
      const bool first = group.open == nullptr;
      const std::shared_ptr<Batch> batch = Gather(group, query);
      if (batch->due) {
        ++group.calls;
        to_send = std::move(batch->queries);
      } else if (first) {
        opened = batch;
      }
    }
  }
  if (!to_send.empty()) return Send(key, std::move(to_send));
  if (opened.expired()) return;
  clock_.RunAfter(options_.window, [weak = weak_from_this(), key, opened] {
    const auto self = weak.lock();
    const auto batch = opened.lock();
    if (self != nullptr && batch != nullptr) self->Flush(key, batch);
  });
}

bool QueryCoalescer::SendsAtOnce(const Group& group) {
  return group.large || (group.calls == 0 && group.open == nullptr);
}

std::shared_ptr<QueryCoalescer::Query> QueryCoalescer::NewQuery(const Request& request,
                                                                const CallOptions& call,
                                                                Callback done) {
  const RetryClock::Time deadline = clock_.Now() + call.timeout.value_or(timeout_);
  auto query = std::make_shared<Query>(request, deadline, call.cancellation, std::move(done));
  query->ObserveCancellation(query);
  return query;
}

std::shared_ptr<QueryCoalescer::Batch> QueryCoalescer::Gather(Group& group,
                                                              const std::shared_ptr<Query>& query) {
  if (group.open == nullptr) group.open = std::make_shared<Batch>();
  std::shared_ptr<Batch> batch = group.open;
  batch->queries.push_back(query);
  if (batch->queries.size() >= options_.max_queries) {
    batch->due = true;
    batch->due_changed.NotifyOne();
    group.open = nullptr;
  }
  return batch;
}

void QueryCoalescer::Lead(const std::string& key, const std::shared_ptr<Batch>& batch,
                          const Query& own) {
  Queries queries;
  {
    MutexLock lock(mu_);
    const auto end = std::chrono::steady_clock::now() + options_.window;
    while (!batch->due && batch->due_changed.WaitUntil(mu_, end)) {
    }
    Group& group = groups_[key];
    ++group.calls;
    if (group.open == batch) group.open = nullptr;
    queries = std::move(batch->queries);
  }
  RemoveEnded(clock_.Now(), &queries);
  // This thread makes the call itself, so that no other has to be woken for the reply, unless its
  // query may end before the others.
  const bool may_end_first =
      own.cancellation != nullptr || own.answered() ||
      (!queries.empty() && own.deadline + kDeadlineTolerance < LastDeadline(queries));
  if (may_end_first || queries.empty()) return Send(key, std::move(queries));
  Reply reply = transport_.Call(Joined(queries), OptionsFor(queries, clock_.Now()));
  Finish(key, queries, std::move(reply));
}

void QueryCoalescer::Flush(const std::string& key, const std::shared_ptr<Batch>& batch) {
  {
    MutexLock lock(mu_);
    const auto group = groups_.find(key);
    if (group == groups_.end() || group->second.open != batch) return;  // sent already
    group->second.open = nullptr;
    ++group->second.calls;
  }
  Send(key, std::move(batch->queries));
}

void QueryCoalescer::Send(const std::string& key, Queries queries) {
  const RetryClock::Time now = clock_.Now();
  RemoveEnded(now, &queries);
  if (queries.empty()) return CallEnded(key, /*large=*/false);
  if (key.front() == kAsynchronous) ScheduleDeadlines(queries, now);
  const CallOptions call = OptionsFor(queries, now);
  const Request request = Joined(queries);
  transport_.CallAsync(request, call,
                       [self = shared_from_this(), key, queries = std::move(queries)](Reply reply) {
                         self->Finish(key, queries, std::move(reply));
                       });
}

void QueryCoalescer::ScheduleDeadlines(const Queries& queries, RetryClock::Time now) {
  const RetryClock::Time last = LastDeadline(queries);
  for (const auto& query : queries) {
    if (query->deadline + kDeadlineTolerance >= last) continue;
    clock_.RunAfter(std::chrono::ceil<milliseconds>(query->deadline - now),
                    [weak = std::weak_ptr<Query>(query)] {
                      if (const auto late = weak.lock()) late->Answer(Expired());
                    });
  }
}

void QueryCoalescer::Finish(const std::string& key, const Queries& queries, Reply reply) {
  const bool large = IsLarge(reply, queries.size());
  absl::Status failure = reply.status();
  std::vector<v1::BatchGetValuesResponse> replies;
  if (queries.size() > 1 && reply.ok()) {
    v1::BatchGetValuesResponse joined;
    joined.Swap(&*reply);
    auto split = SplitReply(RequestsOf(queries), std::move(joined));
    failure = split.status();
    if (split.ok()) replies = *std::move(split);
  }
  const bool again = queries.size() > 1 && MayConcernSomeQueries(failure);
  if (again) {
    MutexLock lock(mu_);
    groups_[key].calls += 2;
  }
  CallEnded(key, large);
  if (again) {
    const auto middle = queries.begin() + static_cast<ptrdiff_t>(queries.size() / 2);
    Send(key, Queries(queries.begin(), middle));
    Send(key, Queries(middle, queries.end()));
  } else if (queries.size() == 1) {
    queries.front()->Answer(std::move(reply));
  } else {
    for (size_t i = 0; i < queries.size(); ++i) {
      queries[i]->Answer(failure.ok() ? Reply(std::move(replies[i])) : Reply(failure));
    }
  }
}

void QueryCoalescer::CallEnded(const std::string& key, bool large) {
  Queries next;
  {
    MutexLock lock(mu_);
    const auto at = groups_.find(key);
    Group& group = at->second;
    group.large = large;
    if (--group.calls == 0) {
      if (group.open == nullptr) {
        groups_.erase(at);
      } else if (key.front() == kBlocking) {
        group.open->due = true;
        group.open->due_changed.NotifyOne();
      } else {
        ++group.calls;
        next = std::move(group.open->queries);
        group.open = nullptr;
      }
    }
  }
  if (!next.empty()) Send(key, std::move(next));
}

}  // namespace stagedoor
