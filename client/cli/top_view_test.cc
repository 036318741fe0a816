#include "client/cli/top_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/strings.h"
#include "client/cli/safe_text.h"

namespace stagedoor {
namespace {

using Lines = std::vector<std::string>;

class TopViewTest : public ::testing::Test {
 protected:
  // `seconds` after the daemon started.
  static TopSample At(int seconds) {
    TopSample sample;
    sample.time = std::chrono::steady_clock::time_point(std::chrono::seconds(seconds));
    sample.version = "0.9";
    sample.server.emplace();
    sample.server->mutable_uptime()->set_seconds(seconds);
    sample.server->set_resident_bytes(512000000);
    sample.server->set_leases(3);
    sample.server->set_open_stages(2);
    return sample;
  }
  static void AddMethod(TopSample& sample, const std::string& name, uint64_t calls,
                        uint64_t milliseconds, uint64_t bytes) {
    auto* method = sample.server->add_methods();
    method->set_method(Concat("stagedoor.v1.", name));
    method->set_calls(calls);
    method->set_errors(calls / 10);
    method->set_bytes_in(bytes);
    method->set_bytes_out(2 * bytes);
    method->mutable_handling_time()->set_seconds(static_cast<int64_t>(milliseconds / 1000));
    method->mutable_handling_time()->set_nanos(static_cast<int>(milliseconds % 1000) * 1000000);
  }
  static void AddCall(TopSample& sample, const std::string& stage) {
    if (!sample.calls.has_value()) sample.calls.emplace();
    auto* call = sample.calls->add_calls();
    call->set_method("stagedoor.v1.QueryService/Traverse");
    call->set_identity("user:ann");
    call->set_peer("ipv4:10.0.0.7:41000");
    call->set_request_id("r1");
    call->set_root_layer(stage);
    call->mutable_age()->set_seconds(3);
    call->set_state(v1::CallInFlight::STATE_WORKING);
    call->set_reserved_bytes(3400000);
    call->set_steps(1200);
    sample.calls->set_calls_in_flight(static_cast<uint64_t>(sample.calls->calls_size()));
  }
  static void AddSlowest(TopSample& sample) {
    if (!sample.calls.has_value()) sample.calls.emplace();
    auto* call = sample.calls->add_slowest_calls();
    call->set_method("stagedoor.v1.StagesService/OpenStage");
    call->set_identity("anonymous");
    call->set_peer("ipv4:10.0.0.8:41000");
    call->set_root_layer("/b.usda");
    call->mutable_work_time()->set_seconds(2);
    call->mutable_queue_time()->set_nanos(5000000);
    call->mutable_ended_ago()->set_seconds(61);
    call->set_code(5);
    call->set_message("no\nsuch layer");
    call->set_reasons("opened 1 layer");
  }
};

TEST_F(TopViewTest, ShowsEverything) {
  TopSample before = At(100);
  AddMethod(before, "QueryService/Traverse", 100, 1000, 1000);
  AddMethod(before, "StagesService/OpenStage", 7, 100, 0);
  TopSample now = At(110);
  AddMethod(now, "QueryService/Traverse", 150, 1500, 21000);
  AddMethod(now, "StagesService/OpenStage", 7, 100, 0);
  AddMethod(now, "StagesService/GetStage", 200, 20, 0);
  AddCall(now, "/a.usda");
  now.calls->set_waiting_calls(0);
  AddSlowest(now);
  now.stages.emplace();
  for (const int leases : {1, 2}) {
    auto* stage = now.stages->add_stages();
    stage->set_root_layer(Concat("/", leases, ".usda"));
    stage->set_lease_count(static_cast<uint32_t>(leases));
  }
  now.caches.emplace();
  auto* cache = now.caches->add_caches();
  cache->set_name("layers");
  cache->set_entries(4);
  cache->set_bytes(5000);
  cache->set_budget_bytes(1000000);
  cache->set_hits(3);
  cache->set_misses(1);
  EXPECT_EQ(
      TopLines(now, &before, TopSize()),
      (Lines{"stagedoord 0.9, up 1:50, 512 MB resident, 2 stages, 3 leases",
             "1 calls in flight, 0 of them waiting, 25.0 calls/s, 2.0 kB/s in, 4.0 kB/s out", "",
             "  AGE  STATE    METHOD                 CALLER    MEMORY  STEPS  REQUEST  STAGE",
             "3.0 s  working  QueryService/Traverse  user:ann  3.4 MB   1200  r1       /a.usda", "",
             "CALLS/S     MEAN  ERRORS    IN/S   OUT/S  METHOD",
             "   20.0   100 µs      20     0 B     0 B  StagesService/GetStage",
             "    5.0  10.0 ms       5  2.0 kB  4.0 kB  QueryService/Traverse", "", "LEASES  STAGE",
             "     2  /2.usda", "     1  /1.usda", "",
             "CACHE   ENTRIES   BYTES  BUDGET    HITS  EVICTIONS",
             "layers        4  5.0 kB  1.0 MB  75.0 %          0", "",
             " WORK   QUEUE   AGO  METHOD                   CALLER               STAGE    REASONS",
             Concat("2.0 s  5.0 ms  1:01  StagesService/OpenStage  ipv4:10.0.0.8:41000  /b.usda  ",
                    "opened 1 layer; NOT_FOUND: no\\nsuch layer")}));
}

TEST_F(TopViewTest, TheFirstViewShowsRatesSinceTheStart) {
  TopSample now = At(100);
  AddMethod(now, "QueryService/Traverse", 150, 1500, 0);
  EXPECT_EQ(TopLines(now, nullptr, TopSize()).at(1),
            "1.5 calls/s, 0 B/s in, 0 B/s out (since the start)");
}

TEST_F(TopViewTest, ARestartedDaemonCountsFromZero) {
  TopSample before = At(1000);
  AddMethod(before, "QueryService/Traverse", 500, 5000, 0);
  TopSample now = At(2);
  now.time = before.time + std::chrono::seconds(10);
  AddMethod(now, "QueryService/Traverse", 10, 100, 0);
  EXPECT_EQ(TopLines(now, &before, TopSize()).at(1), "5.0 calls/s, 0 B/s in, 0 B/s out");
}

TEST_F(TopViewTest, SaysWhatIsMissing) {
  TopSample now;
  now.version = "0.9\x1b[2J";
  now.missing = {"calls: 'user:ann' may not\ncall it", "caches: no"};
  EXPECT_EQ(TopLines(now, nullptr, TopSize()),
            (Lines{"stagedoord 0.9\\x1b[2J", "not shown: calls: 'user:ann' may not\\ncall it",
                   "not shown: caches: no"}));
}

TEST_F(TopViewTest, FitsTheScreen) {
  TopSample now = At(100);
  for (int i = 0; i < 30; ++i) AddCall(now, Concat("/a/", std::string(100, 'x'), "\x1b[2J", i));
  for (int i = 0; i < 3; ++i) AddMethod(now, Concat("Q/M", i), 10, 10, 10);
  for (int i = 0; i < 30; ++i) AddSlowest(now);
  for (size_t rows = 0; rows < 90; ++rows) {
    for (const size_t columns : {size_t{1}, size_t{40}, size_t{80}}) {
      const Lines lines = TopLines(now, nullptr, {rows, columns});
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) {
        EXPECT_LE(CountColumns(line), columns) << line;
        EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
      }
    }
  }
  // The header, 3 empty lines and 3 titles leave 16 entries, of which there are 3 methods.
  const Lines lines = TopLines(now, nullptr, {24, 200});
  EXPECT_EQ(lines.size(), 24u);
  const auto count = [&](const std::string& part) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  };
  EXPECT_EQ(count("Q/M"), 3);
  EXPECT_EQ(count("Traverse"), 7);
  EXPECT_EQ(count("OpenStage"), 6);
}

}  // namespace
}  // namespace stagedoor
