#include "client/cli/stage_options.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

using Args = std::vector<std::string>;

absl::StatusOr<v1::OpenStageRequest> Request(const Args& args) {
  const auto line = CommandLine::Parse(args);
  if (!line.ok()) return line.status();
  return MakeOpenStageRequest(*line, line->arguments().front());
}

std::string Times(std::string_view text) {
  const auto times = ParseTimes(text);
  if (!times.ok()) {
    EXPECT_TRUE(IsUsageError(times.status())) << times.status();
    return "refused";
  }
  Args args;
  for (const TimeArgument& time : *times) args.push_back(time.word);
  return Join(args, " ");
}

TEST(StageOptionsTest, DefaultsAreAsDocumented) {
  const auto request = Request({"open", "/r.usda"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->root_layer(), "/r.usda");
  EXPECT_EQ(request->client_name(), "stagedoor");
  EXPECT_EQ(request->load_policy(), v1::LOAD_POLICY_ALL);
  EXPECT_EQ(request->interpolation(), v1::INTERPOLATION_LINEAR);
  EXPECT_FALSE(request->has_session_layer());
  EXPECT_EQ(request->population_mask_size(), 0);
}

TEST(StageOptionsTest, FlagsAreFilledIn) {
  const auto request =
      Request({"open", "/r.usda", "--session", "/s.usda", "--load", "none", "--interpolation",
               "held", "--mask", "/A", "/B", "--variant-fallback", "look=red,blue"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->session_layer().identifier(), "/s.usda");
  EXPECT_EQ(request->load_policy(), v1::LOAD_POLICY_NONE);
  EXPECT_EQ(request->interpolation(), v1::INTERPOLATION_HELD);
  ASSERT_EQ(request->population_mask_size(), 2);
  EXPECT_EQ(request->population_mask(1), "/B");
  ASSERT_EQ(request->variant_fallbacks_size(), 1);
  EXPECT_EQ(request->variant_fallbacks(0).variant_set(), "look");
  ASSERT_EQ(request->variant_fallbacks(0).choices_size(), 2);
  EXPECT_EQ(request->variant_fallbacks(0).choices(1), "blue");
}

TEST(StageOptionsTest, SaysWhenToUseChangedFiles) {
  const std::pair<const char*, v1::ChangePolicy> policies[] = {
      {"fixed", v1::CHANGE_POLICY_FIXED},
      {"on-open", v1::CHANGE_POLICY_ON_OPEN},
      {"follow", v1::CHANGE_POLICY_FOLLOW}};
  for (const auto& [name, policy] : policies) {
    EXPECT_EQ(Request({"open", "/r.usda", "--on-change", name})->change_policy(), policy) << name;
  }
  EXPECT_EQ(Request({"open", "/r.usda"})->change_policy(), v1::CHANGE_POLICY_UNSPECIFIED);
  EXPECT_EQ(Message(Request({"open", "/r", "--on-change=x"}).status()),
            "--on-change must be fixed, on-open or follow");
}

TEST(StageOptionsTest, InvalidValuesAreRefused) {
  for (const Args& args : {Args{"--load", "some"}, Args{"--interpolation", "cubic"},
                           Args{"--variant-fallback", "look"}}) {
    Args line = {"open", "/r.usda"};
    line.insert(line.end(), args.begin(), args.end());
    EXPECT_TRUE(IsUsageError(Request(line).status())) << args.front();
  }
}

TEST(StageOptionsTest, RangesIncludeBothEnds) {
  EXPECT_EQ(Times("1:4"), "1 2 3 4");
  EXPECT_EQ(Times("1:4x1.5"), "1 2.5 4");
  EXPECT_EQ(Times("1:4:2"), "1 3");
  EXPECT_EQ(Times("4:1"), "4 3 2 1");
  EXPECT_EQ(Times("4:1x-2"), "4 2");
  EXPECT_EQ(Times("2:2"), "2");
  EXPECT_EQ(Times("0:1x0.1"),
            "0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6000000000000001 "
            "0.7000000000000001 0.8 0.9 1");
  EXPECT_EQ(Times("1,default,earliest,pre:3,7:8"), "1 default earliest pre:3 7 8");
}

TEST(StageOptionsTest, InvalidRangesAreRefused) {
  for (const char* text : {"1:", ":1", "1:4x0", "1:4x-1", "4:1x1", "1:2:3:4", "1:2x3x4", "a:b", "",
                           "soon", "pre:", "1,,2"}) {
    EXPECT_EQ(Times(text), "refused") << text;
  }
  EXPECT_EQ(ParseTimes("1:1000000")->size(), 1000000u);
  EXPECT_EQ(Times("1:1000001"), "refused");
}

TEST(StageOptionsTest, ErrorsStateWhatIsAccepted) {
  const auto error = [](std::string_view text) {
    return std::string(Message(ParseTimes(text).status()));
  };
  EXPECT_EQ(error("soon"), "a time must be a number, default, earliest or pre:NUMBER, not 'soon'");
  EXPECT_EQ(error("1:x"), "a range of frames must be FIRST:LAST or FIRST:LASTxSTRIDE, not '1:x'");
  EXPECT_EQ(error("4:1x1"), "range without frames: '4:1x1'");
  EXPECT_EQ(error("0:1e7"), "range of more than 1000000 frames: 0:1e7");
  EXPECT_EQ(Message(Request({"open", "/r", "--load=some"}).status()), "--load must be all or none");
  EXPECT_EQ(Message(Request({"open", "/r", "--interpolation=x"}).status()),
            "--interpolation must be linear or held");
  EXPECT_EQ(Message(Request({"open", "/r", "--variant-fallback=x"}).status()),
            "--variant-fallback must be SET=V1,V2…, not x");
}

TEST(StageOptionsTest, TimesHaveTheirKind) {
  const auto times = ParseTimes("2.5,default,earliest,pre:3,7:8,pre:-1");
  ASSERT_TRUE(times.ok()) << times.status();
  const char* const expected[] = {"numeric: 2.5", "default_time { }", "earliest { }", "pre_time: 3",
                                  "numeric: 7",   "numeric: 8",       "pre_time: -1"};
  ASSERT_EQ(times->size(), std::size(expected));
  for (size_t i = 0; i < times->size(); ++i) {
    EXPECT_EQ((*times)[i].time.ShortDebugString(), expected[i]) << i;
  }
}

TEST(StageOptionsTest, ArraysAreFullOrSummarized) {
  const auto writer = [](const Args& args) { return MakeValueWriter(*CommandLine::Parse(args)); };
  EXPECT_FALSE(writer({"get"})->summarizes_arrays());
  EXPECT_FALSE(writer({"get", "--arrays=full"})->summarizes_arrays());
  EXPECT_TRUE(writer({"get", "--arrays=summary"})->summarizes_arrays());
  EXPECT_EQ(Message(writer({"get", "--arrays=x"}).status()), "--arrays must be full or summary");
}

}  // namespace
}  // namespace stagedoor
