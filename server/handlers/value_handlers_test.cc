#include "server/handlers/value_handlers.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "server/error_info.h"
#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;
using States = std::vector<v1::ItemState>;

States StatesOf(const v1::BatchGetValuesResponse& reply) {
  States states;
  for (const int state : reply.states()) states.push_back(static_cast<v1::ItemState>(state));
  return states;
}

// The first numbers of an array.
template <size_t kCount>
Doubles First(const v1::PackedValues& packed) {
  Doubles numbers = Unpack<double>(packed);
  numbers.resize(kCount);
  return numbers;
}

class ValueHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(
def "World"
{
    double x = 5
    double x.timeSamples = { 1: 10, 3: 30 }
    double fixed = 4
    double none.timeSamples = { 1: None, 3: 8 }
}
)");
  }
};

TEST_F(ValueHandlersTest, ReadsAtEveryKindOfTime) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  request.mutable_times()->add_times()->mutable_default_time();
  request.mutable_times()->add_times()->mutable_earliest();
  request.mutable_times()->add_times()->set_numeric(2);
  request.mutable_times()->add_times()->set_pre_time(3);
  EXPECT_EQ(Numbers(request), (Doubles{5, 10, 20, 30}));
  request.mutable_times()->add_times();
  EXPECT_EQ(ErrorReason(client().BatchGetValues(request).status()), "INVALID_TIME");
}

TEST_F(ValueHandlersTest, ExpandsRangesAndInterpolatesAsRequested) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  request.mutable_times()->add_ranges("1:3x0.5");
  EXPECT_EQ(Numbers(request), (Doubles{10, 15, 20, 25, 30}));
  request.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(Numbers(request), (Doubles{10, 10, 10, 10, 30}));
}

TEST_F(ValueHandlersTest, PairedTimesBelongToTheirPaths) {
  v1::BatchGetValuesRequest request = RequestFor<v1::BatchGetValuesRequest>(
      Open(), {"/World.x", "/World.x", "/World.gone", "/World.none", "/World.fixed"},
      {1, 2, 3, 1, 5});
  request.set_paired(true);
  request.set_with_sources(true);
  const auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const ValueBatch values(*reply);
  EXPECT_EQ(values.path_count(), 5u);
  EXPECT_EQ(values.time_count(), 1u);
  EXPECT_EQ(values.GetDouble(0, 0), 10);
  EXPECT_EQ(values.GetDouble(1, 0), 20);
  EXPECT_EQ(values.status(2, 0).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(values.is_blocked(3, 0));
  EXPECT_EQ(values.GetDouble(4, 0), 4);
  EXPECT_EQ(reply->sources_size(), 5);

  request.mutable_times()->add_frames(6);
  EXPECT_EQ(ErrorReason(client().BatchGetValues(request).status()), "INVALID_FIELD");
  ServerOptions options;
  options.limits.max_items = 5;
  Start(options);
  request.mutable_times()->mutable_frames()->RemoveLast();
  *request.mutable_stage() = Open();
  EXPECT_TRUE(client().BatchGetValues(request).ok()) << "five items";
}

TEST_F(ValueHandlersTest, ThreadsThatShareAClientReadTheirOwnValues) {
  const v1::StageRef stage = Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const double time = 1 + (t * 200 + i) % 5 * 0.5;
        EXPECT_EQ(Numbers(stage, "/World.x", {time}), Doubles{time * 10});
      }
      const auto gone = client().BatchGetValues(
          RequestFor<v1::BatchGetValuesRequest>(stage, {"/World.gone"}, {1}));
      ASSERT_TRUE(gone.ok()) << gone.status();
      EXPECT_EQ(gone->path_errors_size(), 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ValueHandlersTest, ReportsBlockedItemsAndSources) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  for (const char* name : {"none", "fixed", "x"}) request.add_paths(Concat("/World.", name));
  request.mutable_times()->add_frames(1);
  request.set_with_sources(true);
  const auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(StatesOf(*reply),
            (States{v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE}));
  ASSERT_EQ(reply->sources_size(), 3);
  EXPECT_EQ(reply->sources(1), v1::VALUE_SOURCE_DEFAULT);
  EXPECT_EQ(reply->sources(2), v1::VALUE_SOURCE_TIME_SAMPLES);
}

TEST_F(ValueHandlersTest, ReadsMorePathsThanArePrefetchedAtOnce) {
  std::string scene = "def \"P\"\n{\n";
  for (int i = 0; i < 300; ++i) scene += Concat("    double a", i, " = ", i, "\n");
  Write("many.usda", scene + "}\n");
  v1::OpenStageRequest open;
  open.set_root_layer("/many.usda");
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open(open);
  Doubles expected;
  for (int i = 0; i < 300; ++i) {
    request.add_paths(Concat("/P.a", i * 7 % 300));
    expected.push_back(i * 7 % 300);
  }
  request.mutable_times()->add_frames(0);
  EXPECT_EQ(Numbers(request), expected) << "attributes compiled by this request";
  EXPECT_EQ(Numbers(request), expected) << "attributes found in the table";
}

TEST_F(ValueHandlersTest, CountsSamplesWithoutTheirTimes) {
  v1::ListTimeSamplesRequest count;
  *count.mutable_stage() = Open();
  count.add_paths("/World.x");
  count.add_paths("/World.fixed");
  count.set_count_only(true);
  const auto reply = client().ListTimeSamples(count);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->attributes(0).count(), 2u);
  EXPECT_EQ(reply->attributes(0).times().count(), 0u);
  EXPECT_TRUE(reply->attributes(0).might_be_time_varying());
  EXPECT_EQ(reply->attributes(1).count(), 0u);
  EXPECT_FALSE(reply->attributes(1).might_be_time_varying());
}

TEST_F(ValueHandlersTest, ListsSamplesOfAnIntervalWithOpenOrClosedEnds) {
  v1::ListTimeSamplesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  const auto times = [&](double start, bool start_open, double end, bool end_open) {
    v1::TimeInterval* interval = request.mutable_interval();
    interval->set_start(start);
    interval->set_end(end);
    interval->set_start_open(start_open);
    interval->set_end_open(end_open);
    const auto reply = client().ListTimeSamples(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    if (!reply.ok()) return Doubles();
    EXPECT_EQ(reply->attributes(0).count(), reply->attributes(0).times().count());
    return Unpack<double>(reply->attributes(0).times());
  };
  EXPECT_EQ(times(1, false, 3, false), (Doubles{1, 3}));
  EXPECT_EQ(times(1, true, 3, false), Doubles{3});
  EXPECT_EQ(times(1, false, 3, true), Doubles{1});
  EXPECT_EQ(times(1, true, 3, true), Doubles{});
  EXPECT_EQ(times(3, false, 1, false), Doubles{}) << "an interval that ends before it starts";
  request.set_count_only(true);
  request.mutable_interval()->set_start(2);
  request.mutable_interval()->set_end(4);
  const auto counted = client().ListTimeSamples(request);
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ(counted->attributes(0).count(), 1u);
  EXPECT_FALSE(counted->attributes(0).has_times());
  request.mutable_interval()->set_end(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ErrorReason(client().ListTimeSamples(request).status()), "INVALID_TIME");
  request.mutable_interval()->set_end(4);
  request.mutable_interval()->set_start(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ErrorReason(client().ListTimeSamples(request).status()), "INVALID_TIME");
}

TEST_F(ValueHandlersTest, OpenEndsDropDescendingSamplesToo) {
  Write("root.usda", "( timeCodesPerSecond = 24\nsubLayers = [@back.usda@] )\n");
  Write("back.usda",
        "( timeCodesPerSecond = -24 )\n"
        "def \"P\" { double x.timeSamples = { 1: 1, 2: 2, 3: 3 }; }\n");
  v1::ListTimeSamplesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/P.x");
  request.mutable_interval()->set_start(-3);
  request.mutable_interval()->set_end(-1);
  for (const auto& [start_open, end_open, expected] :
       {std::tuple(false, false, Doubles{-1, -2, -3}), std::tuple(true, false, Doubles{-1, -2}),
        std::tuple(false, true, Doubles{-2, -3}), std::tuple(true, true, Doubles{-2})}) {
    request.mutable_interval()->set_start_open(start_open);
    request.mutable_interval()->set_end_open(end_open);
    const auto reply = client().ListTimeSamples(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(Unpack<double>(reply->attributes(0).times()), expected) << start_open << end_open;
  }
}

TEST_F(ValueHandlersTest, ClipsThatCannotBeOpenedAreWarnings) {
  WriteClips(2);
  Write("clip.2.usda", "not a layer {{{");
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/P.x");
  request.mutable_times()->add_frames(1);
  auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->warnings_size(), 0);
  request.mutable_times()->add_frames(2);
  request.mutable_times()->add_frames(2);
  reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->warnings_size(), 1);
  EXPECT_EQ(reply->warnings(0).kind(), v1::Warning::KIND_UNREADABLE_ASSET);
  EXPECT_NE(reply->warnings(0).asset().find("clip.2.usda"), std::string::npos);
}

TEST_F(ValueHandlersTest, MissingPathsHaveNoValuesOrSamples) {
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = Open();
  for (const char* path : {"/World.nothing", "/World.fixed", "/Nobody.x", "no path"}) {
    values.add_paths(path);
  }
  values.mutable_times()->add_frames(1);
  values.set_with_sources(true);
  const auto reply = client().BatchGetValues(values);
  ASSERT_TRUE(reply.ok()) << reply.status();
  Strings errors;
  for (const v1::ItemStatus& error : reply->path_errors()) {
    errors.push_back(Concat(error.item(), " ", ReasonName(error.reason())));
  }
  EXPECT_EQ(errors, (Strings{"0 ATTRIBUTE_NOT_FOUND", "2 PRIM_NOT_FOUND", "3 INVALID_PATH"}));
  ASSERT_EQ(reply->sources_size(), 4);
  EXPECT_EQ(reply->sources(0), v1::VALUE_SOURCE_UNSPECIFIED);
  EXPECT_EQ(reply->sources(1), v1::VALUE_SOURCE_DEFAULT);
  ASSERT_EQ(reply->columns_size(), 1);
  EXPECT_EQ(reply->columns(0).items_size(), 1);
  EXPECT_EQ(reply->columns(0).items(0), 1u);

  v1::ListTimeSamplesRequest samples;
  *samples.mutable_stage() = values.stage();
  *samples.mutable_paths() = values.paths();
  const auto listed = client().ListTimeSamples(samples);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->attributes_size(), 4);
  EXPECT_EQ(listed->path_errors_size(), 3);
}

TEST_F(ValueHandlersTest, LimitsPathsTimesAndItems) {
  ServerOptions options;
  options.limits.max_paths = 3;
  options.limits.max_times = 4;
  options.limits.max_items = 6;
  Start(options);
  const v1::StageRef stage = Open();
  const auto reason = [&](int paths, int times) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage;
    for (int i = 0; i < paths; ++i) request.add_paths("/World.x");
    for (int i = 0; i < times; ++i) request.mutable_times()->add_frames(i);
    const absl::Status status = client().BatchGetValues(request).status();
    return status.ok() ? "" : ErrorReason(status);
  };
  EXPECT_EQ(reason(3, 2), "");
  EXPECT_EQ(reason(1, 4), "");
  EXPECT_EQ(reason(4, 1), "REQUEST_TOO_LARGE") << "paths";
  EXPECT_EQ(reason(1, 5), "REQUEST_TOO_LARGE") << "times";
  EXPECT_EQ(reason(2, 4), "REQUEST_TOO_LARGE") << "items";
}

TEST_F(ValueHandlersTest, FindsTheSamplesAroundATime) {
  v1::GetBracketingTimeSamplesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.x");
  request.add_paths("/World.fixed");
  for (const double time : {0.0, 1.0, 2.0, 9.0}) request.add_times(time);
  const auto reply = client().GetBracketingTimeSamples(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(First<4>(reply->lower()), (Doubles{1, 1, 1, 3}));
  EXPECT_EQ(First<4>(reply->upper()), (Doubles{1, 1, 3, 3}));
  ASSERT_EQ(reply->has_samples_size(), 8);
  EXPECT_TRUE(reply->has_samples(0));
  EXPECT_FALSE(reply->has_samples(4));
  request.add_times(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ErrorReason(client().GetBracketingTimeSamples(request).status()), "INVALID_TIME");
}

TEST_F(ValueHandlersTest, MissingPathsKeepTheirItems) {
  v1::ListTimeSamplesRequest request;
  *request.mutable_stage() = Open();
  for (const char* path : {"/World.nothing", "/World.x", "/World.none"}) request.add_paths(path);
  const auto reply = client().ListTimeSamples(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  ASSERT_EQ(reply->attributes_size(), 3);
  EXPECT_EQ(reply->attributes(0).count(), 0u);
  EXPECT_EQ(reply->attributes(1).count(), 2u);
  EXPECT_EQ(Unpack<double>(reply->attributes(2).times())[1], 3);
  request.set_count_only(true);
  const auto counts = client().ListTimeSamples(request);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->attributes(2).count(), 2u);
  request.mutable_interval()->set_start(2);
  request.mutable_interval()->set_end(9);
  const auto some = client().ListTimeSamples(request);
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->attributes(1).count(), 1u);
  EXPECT_EQ(some->attributes(2).count(), 1u);

  v1::GetBracketingTimeSamplesRequest around;
  *around.mutable_stage() = request.stage();
  *around.mutable_paths() = request.paths();
  around.add_times(2);
  const auto found = client().GetBracketingTimeSamples(around);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->snapshot().size(), 32u);
  ASSERT_EQ(found->lower().count(), 3u);
  EXPECT_FALSE(found->has_samples(0));
  EXPECT_EQ(Unpack<double>(found->lower())[0], 0);
  EXPECT_EQ(Unpack<double>(found->upper())[0], 0);
  EXPECT_EQ(Unpack<double>(found->lower())[2], 1);
  EXPECT_EQ(found->path_errors_size(), 1);
}

TEST_F(ValueHandlersTest, BatchReportsSnapshotAndCounts) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  for (const char* path : {"/World.none", "/World.fixed"}) request.add_paths(path);
  for (const double frame : {1., 2., 3.}) request.mutable_times()->add_frames(frame);
  const auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  EXPECT_EQ(reply->path_count(), 2u);
  EXPECT_EQ(reply->time_count(), 3u);
  EXPECT_EQ(reply->sources_size(), 0) << "not requested";
  const ValueBatch batch(*reply);
  EXPECT_TRUE(batch.is_blocked(0, 0));
  EXPECT_TRUE(batch.is_blocked(0, 1)) << "held until the next sample";
  EXPECT_EQ(batch.GetDouble(0, 2), 8);
  EXPECT_EQ(batch.GetDouble(1, 2), 4);
}

TEST_F(ValueHandlersTest, NoValueIsNotABlock) {
  Write("root.usda", R"(
def "World"
{
    double none
    double blocked = None
    double spline.spline = { 1: 5, 3: 5 }
}
)");
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  for (const char* path : {"/World.none", "/World.blocked"}) request.add_paths(path);
  request.mutable_times()->add_times()->mutable_default_time();
  request.mutable_times()->add_frames(1);
  const auto reply = client().BatchGetValues(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(StatesOf(*reply), (States{v1::ITEM_STATE_NONE, v1::ITEM_STATE_NONE,
                                      v1::ITEM_STATE_BLOCKED, v1::ITEM_STATE_BLOCKED}));
  EXPECT_EQ(Numbers(Open(), "/World.spline", {2}), Doubles{5});
}

TEST_F(ValueHandlersTest, StatesAreLeftOutIfAllItemsHaveValues) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  for (const char* path : {"/World.fixed", "/World.x"}) request.add_paths(path);
  for (const double frame : {1., 2.}) request.mutable_times()->add_frames(frame);
  EXPECT_EQ(StatesOf(*client().BatchGetValues(request)), States());
  request.add_paths("/World.nothing");
  EXPECT_EQ(StatesOf(*client().BatchGetValues(request)),
            (States{v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE, v1::ITEM_STATE_VALUE,
                    v1::ITEM_STATE_VALUE, v1::ITEM_STATE_ERROR, v1::ITEM_STATE_ERROR}));
}

TEST_F(ValueHandlersTest, StatesCountTowardsTheReply) {
  ServerOptions options;
  options.limits.max_reply_bytes = 3000;
  Start(options);
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = Open();
  request.add_paths("/World.none");
  request.mutable_times()->add_ranges("1:2x0.002");
  request.mutable_times()->add_frames(2.5);
  EXPECT_TRUE(client().BatchGetValues(request).ok()) << "4 bytes for each of 502 items";
  request.mutable_times()->add_ranges("1:2x0.002");
  EXPECT_EQ(ErrorReason(client().BatchGetValues(request).status()), "REQUEST_TOO_LARGE");
}

TEST_F(ValueHandlersTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 500;
  Start(options);
  v1::BatchGetValuesRequest values;
  *values.mutable_stage() = Open();
  values.add_paths("/World.x");
  values.mutable_times()->add_ranges("1:3");
  EXPECT_TRUE(client().BatchGetValues(values).ok());
  values.mutable_times()->add_ranges("1:100");
  EXPECT_EQ(ErrorReason(client().BatchGetValues(values).status()), "REQUEST_TOO_LARGE");
  v1::GetBracketingTimeSamplesRequest around;
  *around.mutable_stage() = values.stage();
  around.add_paths("/World.x");
  // Two messages of packed numbers, and 17 bytes for each item.
  const size_t fit = (500 - 2 * sizeof(v1::PackedValues) - 1) / 17;
  for (size_t i = 0; i < fit; ++i) around.add_times(static_cast<double>(i));
  EXPECT_TRUE(client().GetBracketingTimeSamples(around).ok());
  for (int i = 0; i < 2; ++i) around.add_times(1);
  EXPECT_EQ(ErrorReason(client().GetBracketingTimeSamples(around).status()), "REQUEST_TOO_LARGE");
  v1::ListTimeSamplesRequest samples;
  *samples.mutable_stage() = values.stage();
  samples.add_paths("/World.x");
  EXPECT_TRUE(client().ListTimeSamples(samples).ok());
  for (int i = 0; i < 10; ++i) samples.add_paths("/World.x");
  EXPECT_EQ(ErrorReason(client().ListTimeSamples(samples).status()), "REQUEST_TOO_LARGE");
  v1::BatchGetValuesRequest missing;
  *missing.mutable_stage() = values.stage();
  missing.mutable_times()->add_frames(1);
  for (int i = 0; i < 10; ++i) missing.add_paths("/Nobody.x");
  EXPECT_EQ(ErrorReason(client().BatchGetValues(missing).status()), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
