// Joining of queries, with a transport whose calls end when the test says so, and a clock that
// stands still until the test moves it.
#include "client/cc/query_coalescer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/cc/value_batch.h"

namespace stagedoor {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Request = QueryCoalescer::Request;
using Reply = QueryCoalescer::Reply;

class ManualClock final : public RetryClock {
 public:
  Time Now() override {
    MutexLock lock(mu_);
    return now_;
  }
  void Sleep(milliseconds) override { ADD_FAILURE() << "nothing sleeps"; }
  void RunAfter(microseconds pause, std::function<void()> fn) override {
    MutexLock lock(mu_);
    timers_.emplace(now_ + pause, std::move(fn));
  }
  void Advance(microseconds step) {
    std::multimap<Time, std::function<void()>> due;
    {
      MutexLock lock(mu_);
      now_ += step;
      while (!timers_.empty() && timers_.begin()->first <= now_) {
        due.insert(timers_.extract(timers_.begin()));
      }
    }
    for (const auto& [time, fn] : due) fn();
  }

 private:
  Mutex mu_;
  Time now_ ABSL_GUARDED_BY(mu_){};
  std::multimap<Time, std::function<void()>> timers_ ABSL_GUARDED_BY(mu_);
};

// The value of a path is its text.
Reply Answer(const Request& request) {
  v1::BatchGetValuesResponse reply;
  reply.set_path_count(static_cast<uint32_t>(request.paths_size()));
  reply.set_time_count(1);
  v1::ValueColumn* column = reply.add_columns();
  for (const std::string& path : request.paths()) column->add_strings(path);
  return reply;
}

// Holds calls until they are ended.
class HeldTransport final : public QueryCoalescer::Transport {
 public:
  struct HeldCall {
    Request request;
    CallOptions options;
    QueryCoalescer::Callback done;
  };

  Reply Call(const Request& request, const CallOptions& options) override {
    std::promise<Reply> ended;
    CallAsync(request, options, [&](Reply reply) { ended.set_value(std::move(reply)); });
    return ended.get_future().get();
  }
  void CallAsync(const Request& request, const CallOptions& options,
                 QueryCoalescer::Callback done) override {
    MutexLock lock(mu_);
    calls_.push_back({request, options, std::move(done)});
    ++made_;
    changed_.NotifyAll();
  }
  void Begin() override { ++running; }
  void End() override { --running; }

  // Waits for the next call.
  HeldCall Next() {
    MutexLock lock(mu_);
    while (calls_.empty()) changed_.Wait(mu_);
    HeldCall call = std::move(calls_.front());
    calls_.erase(calls_.begin());
    return call;
  }
  size_t waiting() {
    MutexLock lock(mu_);
    return calls_.size();
  }
  size_t made() {
    MutexLock lock(mu_);
    return made_;
  }

  std::atomic<int> running{0};

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<HeldCall> calls_ ABSL_GUARDED_BY(mu_);
  size_t made_ ABSL_GUARDED_BY(mu_) = 0;
};

// The paths of a call, separated by spaces.
std::string PathsOf(const Request& request) {
  std::string paths;
  for (const std::string& path : request.paths()) paths += (paths.empty() ? "" : " ") + path;
  return paths;
}

class QueryCoalescerTest : public ::testing::Test {
 protected:
  QueryCoalescerTest() { Create({}); }
  void Create(const CoalescingOptions& options) {
    coalescer_ = std::make_shared<QueryCoalescer>(options, seconds(60), transport_, clock_);
  }
  static Request MakeRequest(const std::string& path) {
    Request request;
    request.mutable_stage()->set_handle("h");
    request.add_paths(path);
    request.mutable_times()->add_frames(1);
    return request;
  }
  // Starts a query, whose result will be in results_ under its path.
  void Start(const std::string& path, const CallOptions& call = {}) {
    Start(path, MakeRequest(path), call);
  }
  void Start(const std::string& name, const Request& request, const CallOptions& call = {}) {
    coalescer_->Start(request, call,
                      [this, name](const Reply& reply) { results_[name] = TextOf(reply); });
  }
  // The value or the error of a query.
  static std::string TextOf(const Reply& reply) {
    if (!reply.ok()) return std::string(Message(reply.status()));
    return std::string(ValueBatch(*reply).GetString(0, 0).value_or("nothing"));
  }
  // Ends a call with values.
  static void End(const HeldTransport::HeldCall& call) { call.done(Answer(call.request)); }

  ManualClock clock_;
  HeldTransport transport_;
  std::shared_ptr<QueryCoalescer> coalescer_;
  std::map<std::string, std::string> results_;
};

TEST_F(QueryCoalescerTest, QueryIsSentAtOnceAndUnchangedIfNoneIsInFlight) {
  Start("/A.x");
  HeldTransport::HeldCall call = transport_.Next();
  EXPECT_EQ(call.request.SerializeAsString(), MakeRequest("/A.x").SerializeAsString());
  EXPECT_EQ(call.options.timeout, seconds(60));
  End(call);
  EXPECT_EQ(results_["/A.x"], "/A.x");
  Start("/A.y");
  EXPECT_EQ(transport_.waiting(), 1u);
  End(transport_.Next());
  EXPECT_EQ(transport_.running, 0);
}

TEST_F(QueryCoalescerTest, QueriesGatherWhileACallIsInFlight) {
  for (const char* path : {"/A.x", "/B.x", "/C.x", "/D.x"}) Start(path);
  EXPECT_EQ(transport_.waiting(), 1u);
  End(transport_.Next());
  HeldTransport::HeldCall call = transport_.Next();
  EXPECT_EQ(PathsOf(call.request), "/B.x /C.x /D.x");
  EXPECT_EQ(results_.size(), 1u);
  End(call);
  EXPECT_EQ(results_["/B.x"], "/B.x");
  EXPECT_EQ(results_["/C.x"], "/C.x");
  EXPECT_EQ(results_["/D.x"], "/D.x");
  EXPECT_EQ(transport_.made(), 2u);
}

TEST_F(QueryCoalescerTest, GatheredQueriesAreSentWhenTheWindowIsOver) {
  Start("/A.x");
  Start("/B.x");
  Start("/C.x");
  clock_.Advance(microseconds(29));
  EXPECT_EQ(transport_.waiting(), 1u);
  clock_.Advance(microseconds(1));
  EXPECT_EQ(transport_.waiting(), 2u);
  HeldTransport::HeldCall first = transport_.Next();
  EXPECT_EQ(PathsOf(transport_.Next().request), "/B.x /C.x");
  Start("/D.x");
  clock_.Advance(microseconds(29));
  EXPECT_EQ(transport_.waiting(), 0u) << "the next batch has a window of its own";
}

TEST_F(QueryCoalescerTest, FullBatchIsSentAtOnce) {
  Create({.max_queries = 2});
  for (const char* path : {"/A.x", "/B.x", "/C.x", "/D.x"}) Start(path);
  EXPECT_EQ(transport_.waiting(), 2u);
  const HeldTransport::HeldCall first = transport_.Next();
  EXPECT_EQ(PathsOf(transport_.Next().request), "/B.x /C.x");
  clock_.Advance(microseconds(30));
  EXPECT_EQ(PathsOf(transport_.Next().request), "/D.x");
}

TEST_F(QueryCoalescerTest, OtherStagesAndOptionsAreNotJoined) {
  Start("/A.x");
  Request other = MakeRequest("/B.x");
  other.mutable_stage()->set_handle("other");
  Start("/B.x", other);
  other = MakeRequest("/C.x");
  other.set_interpolation(v1::INTERPOLATION_HELD);
  Start("/C.x", other);
  EXPECT_EQ(transport_.waiting(), 3u) << "no call of theirs is in flight";
}

TEST_F(QueryCoalescerTest, TimesNeedNotBeEqual) {
  Start("/A.x");
  for (const double frame : {2, 3}) {
    Request request = MakeRequest("/B.x");
    request.mutable_times()->set_frames(0, frame);
    Start("frame", request);
  }
  End(transport_.Next());
  const Request joined = transport_.Next().request;
  EXPECT_TRUE(joined.paired());
  EXPECT_EQ(joined.times().frames(0), 2);
  EXPECT_EQ(joined.times().frames(1), 3);
}

// -------------------------------------------------------------------------- deadlines and
// cancelling

TEST_F(QueryCoalescerTest, BatchHasTheLatestDeadlineAndEachQueryItsOwn) {
  Start("/A.x");
  Start("/B.x", {.timeout = seconds(5)});
  Start("/C.x", {.timeout = seconds(20)});
  End(transport_.Next());
  HeldTransport::HeldCall call = transport_.Next();
  EXPECT_EQ(call.options.timeout, seconds(20));
  clock_.Advance(milliseconds(4999));
  EXPECT_FALSE(results_.contains("/B.x"));
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(results_["/B.x"], "the deadline of the call has passed");
  End(call);
  EXPECT_EQ(results_["/B.x"], "the deadline of the call has passed") << "answered once";
  EXPECT_EQ(results_["/C.x"], "/C.x");
}

TEST_F(QueryCoalescerTest, QueryThatExpiresWhileItGathersIsNotSent) {
  Create({.window = hours(1)});
  Start("/A.x");
  Start("/B.x", {.timeout = seconds(5)});
  Start("/C.x");
  clock_.Advance(seconds(6));
  End(transport_.Next());
  EXPECT_EQ(PathsOf(transport_.Next().request), "/C.x");
  EXPECT_EQ(results_["/B.x"], "the deadline of the call has passed");
}

TEST_F(QueryCoalescerTest, CancellingOneQueryDoesNotConcernTheOthers) {
  const auto gathering = std::make_shared<Cancellation>(), sent = std::make_shared<Cancellation>();
  Start("/A.x");
  Start("/B.x", {.cancellation = gathering});
  Start("/C.x", {.cancellation = sent});
  Start("/D.x");
  gathering->Cancel();
  EXPECT_EQ(results_["/B.x"], "the call was cancelled");
  End(transport_.Next());
  HeldTransport::HeldCall call = transport_.Next();
  EXPECT_EQ(PathsOf(call.request), "/C.x /D.x");
  EXPECT_EQ(call.options.cancellation, nullptr);
  sent->Cancel();
  EXPECT_EQ(results_["/C.x"], "the call was cancelled");
  EXPECT_FALSE(results_.contains("/D.x"));
  End(call);
  EXPECT_EQ(results_["/C.x"], "the call was cancelled");
  EXPECT_EQ(results_["/D.x"], "/D.x");
  EXPECT_EQ(transport_.running, 0);
}

TEST_F(QueryCoalescerTest, QueryThatTravelsAloneCancelsItsCall) {
  const auto cancellation = std::make_shared<Cancellation>();
  Start("/A.x", {.cancellation = cancellation});
  EXPECT_EQ(transport_.Next().options.cancellation, cancellation);
}

TEST_F(QueryCoalescerTest, NothingIsSentIfAllGatheredQueriesAreCancelled) {
  const auto cancellation = std::make_shared<Cancellation>();
  Start("/A.x");
  Start("/B.x", {.cancellation = cancellation});
  Start("/C.x", {.cancellation = cancellation});
  cancellation->Cancel();
  End(transport_.Next());
  EXPECT_EQ(transport_.waiting(), 0u);
  Start("/D.x");
  EXPECT_EQ(transport_.waiting(), 1u) << "no call is in flight any more";
}

// -------------------------------------------------------------------------------------------
// errors

TEST_F(QueryCoalescerTest, QueriesThatWouldSucceedAloneAreNotAffectedByTheFailureOfABatch) {
  Start("/A.x");
  for (const char* path : {"/B.x", "/large.x", "/C.x", "/D.x", "/E.x"}) Start(path);
  End(transport_.Next());
  // Calls with more than two paths are too large, and those with one of them at all.
  while (transport_.waiting() != 0) {
    HeldTransport::HeldCall call = transport_.Next();
    const std::string paths = PathsOf(call.request);
    const bool large = call.request.paths_size() > 2 || paths.find("large") != std::string::npos;
    call.done(large ? Reply(ResourceExhaustedError("too large: ", paths)) : Answer(call.request));
  }
  EXPECT_EQ(results_["/large.x"], "too large: /large.x");
  for (const char* path : {"/B.x", "/C.x", "/D.x", "/E.x"}) EXPECT_EQ(results_[path], path);
  EXPECT_EQ(transport_.running, 0);
}

TEST_F(QueryCoalescerTest, FailuresThatConcernTheStageOrTheConnectionAreNotRepeated) {
  for (const absl::Status& failure :
       {NotFoundError("no stage"), UnavailableError("gone"), DeadlineExceededError("late"),
        FailedPreconditionError("expired")}) {
    const size_t before = transport_.made();
    Start("/A.x");
    Start("/B.x");
    Start("/C.x");
    End(transport_.Next());
    transport_.Next().done(failure);
    EXPECT_EQ(results_["/B.x"], Message(failure));
    EXPECT_EQ(results_["/C.x"], Message(failure));
    EXPECT_EQ(transport_.made(), before + 2);
  }
}

TEST_F(QueryCoalescerTest, ReplyThatDoesNotFitIsAskedForAgain) {
  Start("/A.x");
  Start("/B.x");
  Start("/C.x");
  End(transport_.Next());
  transport_.Next().done(v1::BatchGetValuesResponse());
  End(transport_.Next());
  End(transport_.Next());
  EXPECT_EQ(results_["/B.x"], "/B.x");
  EXPECT_EQ(results_["/C.x"], "/C.x");
}

TEST_F(QueryCoalescerTest, QueriesWithLargeRepliesAreNotJoined) {
  Start("/A.x");
  Start("/B.x");
  v1::BatchGetValuesResponse large;
  large.add_columns()->add_strings(std::string(20000, 'x'));
  transport_.Next().done(large);
  EXPECT_EQ(PathsOf(transport_.Next().request), "/B.x");
  Start("/C.x");
  EXPECT_EQ(PathsOf(transport_.Next().request), "/C.x") << "although /B.x is in flight";
}

// -------------------------------------------------------------------------------- blocking queries

class BlockingQueriesTest : public QueryCoalescerTest {
 protected:
  BlockingQueriesTest() { Create({.window = hours(1)}); }
  ~BlockingQueriesTest() override {
    for (std::thread& thread : threads_) thread.join();
  }
  std::future<std::string> Run(const std::string& path, const CallOptions& call = {}) {
    std::promise<std::string> ended;
    std::future<std::string> result = ended.get_future();
    threads_.emplace_back([this, path, call, ended = std::move(ended)]() mutable {
      ended.set_value(TextOf(coalescer_->Run(MakeRequest(path), call)));
    });
    return result;
  }

  std::vector<std::thread> threads_;
};

TEST_F(BlockingQueriesTest, ThreadsShareCalls) {
  Create({.window = hours(1), .max_queries = 3});
  std::future<std::string> a = Run("/A.x");
  HeldTransport::HeldCall first = transport_.Next();
  std::map<std::string, std::future<std::string>> others;
  for (const char* path : {"/B.x", "/C.x", "/D.x"}) others[path] = Run(path);
  HeldTransport::HeldCall call = transport_.Next();
  EXPECT_EQ(call.request.paths_size(), 3) << "a full batch";
  End(call);
  for (auto& [path, result] : others) EXPECT_EQ(result.get(), path);
  End(first);
  EXPECT_EQ(a.get(), "/A.x");
  EXPECT_EQ(transport_.made(), 2u);
}

TEST_F(BlockingQueriesTest, EndOfACallSendsWhatHasGathered) {
  std::future<std::string> a = Run("/A.x");
  HeldTransport::HeldCall first = transport_.Next();
  std::future<std::string> b = Run("/B.x");
  End(first);
  End(transport_.Next());  // "/B.x" has gathered, or finds no call in flight
  EXPECT_EQ(a.get(), "/A.x");
  EXPECT_EQ(b.get(), "/B.x");
}

TEST_F(BlockingQueriesTest, WindowEndsWithoutTheCallInFlight) {
  Create({.window = microseconds(0)});
  std::future<std::string> a = Run("/A.x");
  HeldTransport::HeldCall first = transport_.Next();
  std::future<std::string> b = Run("/B.x");
  End(transport_.Next());
  EXPECT_EQ(b.get(), "/B.x");
  End(first);
  EXPECT_EQ(a.get(), "/A.x");
}

TEST_F(BlockingQueriesTest, AreNotJoinedWithAsynchronousOnes) {
  Start("/A.x");
  std::future<std::string> b = Run("/B.x");
  HeldTransport::HeldCall first = transport_.Next();
  HeldTransport::HeldCall second = transport_.Next();
  EXPECT_EQ(PathsOf(first.request), "/A.x");
  End(second);
  EXPECT_EQ(b.get(), "/B.x");
  End(first);
}

TEST_F(BlockingQueriesTest, CancelledLeaderLeavesTheOthersTheirCall) {
  Create({.window = hours(1), .max_queries = 2});
  const auto cancellation = std::make_shared<Cancellation>();
  std::future<std::string> a = Run("/A.x");
  HeldTransport::HeldCall first = transport_.Next();
  std::future<std::string> b = Run("/B.x", {.cancellation = cancellation});
  std::future<std::string> c = Run("/C.x");
  HeldTransport::HeldCall call = transport_.Next();
  cancellation->Cancel();
  EXPECT_EQ(b.get(), "the call was cancelled");
  End(call);
  EXPECT_EQ(c.get(), "/C.x");
  End(first);
  EXPECT_EQ(a.get(), "/A.x");
}

TEST_F(BlockingQueriesTest, FailedBatchIsRepeatedInParts) {
  Create({.window = hours(1), .max_queries = 2});
  std::future<std::string> a = Run("/A.x");
  HeldTransport::HeldCall first = transport_.Next();
  std::future<std::string> b = Run("/B.x"), c = Run("/C.x");
  transport_.Next().done(ResourceExhaustedError("too large"));
  End(transport_.Next());
  End(transport_.Next());
  EXPECT_EQ(b.get(), "/B.x");
  EXPECT_EQ(c.get(), "/C.x");
  End(first);
  EXPECT_EQ(a.get(), "/A.x");
}

}  // namespace
}  // namespace stagedoor
