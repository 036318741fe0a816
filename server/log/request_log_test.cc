#include "server/log/request_log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/status.h"
#include "server/log/testing/log_file_test.h"

namespace stagedoor::server {
namespace {

using absl::StatusCode;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Calls = RequestLogOptions::Calls;
using Kind = RequestCosts::Kind;

RequestRecord Record() {
  RequestRecord record;
  record.method = "test.Service/Method";
  record.duration = microseconds(1500);
  record.queued = microseconds(250);
  record.worked = microseconds(1000);
  record.bytes_in = 7;
  record.bytes_out = 3000000000;
  record.request_id = "r1";
  record.peer = "ipv4:127.0.0.1:5";
  return record;
}

RequestCosts::Cost& CostOf(RequestRecord& record, Kind kind) {
  return record.costs[static_cast<size_t>(kind)];
}

TEST(RequestLogAdmissionTest, TheModeSelectsCalls) {
  const auto admits = [](Calls calls, StatusCode code, milliseconds spent) {
    return RequestLog({.calls = calls, .slow = milliseconds(50)}).Admit(code, spent).has_value();
  };
  const milliseconds quick(49), slow(50);
  EXPECT_FALSE(admits(Calls::kNone, StatusCode::kInternal, slow));
  EXPECT_FALSE(admits(Calls::kErrors, StatusCode::kOk, slow));
  EXPECT_TRUE(admits(Calls::kErrors, StatusCode::kNotFound, quick));
  EXPECT_TRUE(admits(Calls::kSlow, StatusCode::kOk, slow));
  EXPECT_FALSE(admits(Calls::kSlow, StatusCode::kOk, quick));
  EXPECT_FALSE(admits(Calls::kSlow, StatusCode::kNotFound, quick));
  for (const StatusCode fault :
       {StatusCode::kInternal, StatusCode::kUnknown, StatusCode::kDataLoss}) {
    EXPECT_TRUE(admits(Calls::kSlow, fault, quick)) << static_cast<int>(fault);
  }
  EXPECT_TRUE(admits(Calls::kAll, StatusCode::kOk, quick));
}

TEST(RequestLogAdmissionTest, RecordsPerSecondAreLimited) {
  RequestLog::Clock::time_point now{};
  RequestLog log({.calls = Calls::kAll}, [&now] { return now; });
  const auto admit = [&log] { return log.Admit(StatusCode::kOk, nanoseconds(0)); };
  for (int i = 0; i < RequestLog::kPerSecond; ++i) EXPECT_EQ(admit(), 0u) << i;
  EXPECT_FALSE(admit().has_value());
  EXPECT_FALSE(admit().has_value());
  now += milliseconds(10);
  EXPECT_EQ(admit(), 2u) << "the number of suppressed records";
  EXPECT_FALSE(admit().has_value());
}

TEST(RequestLogAdmissionTest, CallsThatAreNotWantedDoNotCount) {
  RequestLog::Clock::time_point now{};
  RequestLog log({.calls = Calls::kErrors}, [&now] { return now; });
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(log.Admit(StatusCode::kOk, seconds(9)).has_value());
  EXPECT_EQ(log.Admit(StatusCode::kAborted, seconds(9)), 0u);
}

TEST(RequestLogAdmissionTest, ModesAreKnownByName) {
  EXPECT_EQ(ParseLoggedCalls("none"), Calls::kNone);
  EXPECT_EQ(ParseLoggedCalls("errors"), Calls::kErrors);
  EXPECT_EQ(ParseLoggedCalls("slow"), Calls::kSlow);
  EXPECT_EQ(ParseLoggedCalls("all"), Calls::kAll);
  EXPECT_EQ(ParseLoggedCalls("ALL"), std::nullopt);
}

TEST(SlowCallReasonsTest, NamesWhatWasOpenedAndFetched) {
  RequestRecord record;
  EXPECT_EQ(SlowCallReasons(record), "");
  CostOf(record, Kind::kLayerOpen) = {12, 3400000, milliseconds(820), {"/a.usd", "/b.usd"}};
  CostOf(record, Kind::kClipOpen) = {1, 999, microseconds(1260), {"/c.usd"}};
  CostOf(record, Kind::kFetch) = {2, 16384, seconds(12), {"s3://b/x", "s3://b/y"}};
  record.queued = milliseconds(300);
  EXPECT_EQ(SlowCallReasons(record),
            "opened 12 layers (3.4 MB, 820 ms): /a.usd, /b.usd, …; "
            "opened 1 clip (999 bytes, 1.3 ms): /c.usd; "
            "fetched 2 ranges (16.4 kB, 12 s): s3://b/x, s3://b/y; "
            "waited 300 ms in the queue");
}

TEST(SlowCallReasonsTest, SmallWaitsAreNotReasons) {
  RequestRecord record;
  record.queued = microseconds(999);
  EXPECT_EQ(SlowCallReasons(record), "");
  record.queued = milliseconds(1);
  EXPECT_EQ(SlowCallReasons(record), "waited 1 ms in the queue");
}

TEST(SlowCallReasonsTest, LongNamesKeepTheirEnds) {
  RequestRecord record;
  CostOf(record, Kind::kLayerOpen) = {
      1, 999960000, milliseconds(9), {std::string(300, 'x') + ".usd"}};
  EXPECT_EQ(SlowCallReasons(record),
            "opened 1 layer (1 GB, 9 ms): …" + std::string(196, 'x') + ".usd");
}

class RequestLogTest : public LogFileTest {
 protected:
  RequestLogTest() : LogFileTest("requests.log") {}
  // The line of a record, without its time.
  std::string Line(const RequestRecord& record, uint64_t suppressed = 0) {
    log_.Write(record, suppressed);
    const std::string text = Text();
    const size_t begin = text.find("] ");
    return begin == std::string::npos ? text : text.substr(begin + 2);
  }

  RequestLog log_{{.calls = Calls::kAll, .slow = milliseconds(50)}};
};

TEST_F(RequestLogTest, EmptyFieldsAreLeftOut) {
  EXPECT_EQ(Line(Record()),
            "[info] call method=test.Service/Method status=OK duration_ms=1.5 queue_ms=0.25 "
            "work_ms=1 bytes_in=7 bytes_out=3000000000 request_id=r1 peer=ipv4:127.0.0.1:5\n");
}

TEST_F(RequestLogTest, SlowCallsHaveReasons) {
  RequestRecord record = Record();
  record.queued = milliseconds(20);
  record.worked = milliseconds(30);
  record.trace_id = "t";
  record.span_id = "s";
  record.parent_id = "p";
  record.identity = "user:alice";
  record.stage = "/show/a b.usda";
  record.status = NotFoundError("no prim\n'/x'");
  EXPECT_EQ(Line(record, 5),
            "[warning] slow call method=test.Service/Method status=NOT_FOUND duration_ms=1.5 "
            "queue_ms=20 work_ms=30 bytes_in=7 bytes_out=3000000000 request_id=r1 trace_id=t "
            "span_id=s parent_id=p peer=ipv4:127.0.0.1:5 identity=user:alice "
            "stage=\"/show/a b.usda\" error=\"no prim\\n'/x'\" "
            "reasons=\"waited 20 ms in the queue\" suppressed=5\n");
}

TEST_F(RequestLogTest, FaultsOfTheDaemonAreWarnings) {
  RequestRecord record = Record();
  record.status = InternalError("oops");
  EXPECT_TRUE(Line(record).starts_with("[warning] call ")) << Text();
}

}  // namespace
}  // namespace stagedoor::server
