#include "server/handlers/sample_values_handler.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "client/cc/sample_assembler.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;
using Intervals = std::vector<std::pair<double, double>>;

class SampleValuesHandlerTest : public ServerTest {
 protected:
  v1::SampleValuesRequest MakeRequest(const Strings& paths, const Intervals& intervals) {
    v1::SampleValuesRequest request;
    *request.mutable_stage() = Open();
    for (const std::string& path : paths) request.add_paths(path);
    for (const auto& [start, end] : intervals) {
      request.add_intervals()->set_start(start);
      request.mutable_intervals()->rbegin()->set_end(end);
    }
    return request;
  }

  // The items of a reply. The test fails unless it is complete.
  std::vector<AttributeSamples> Items(const v1::SampleValuesRequest& request) {
    std::vector<AttributeSamples> items;
    SampleAssembler assembler([&](AttributeSamples item) {
      items.push_back(std::move(item));
      return absl::OkStatus();
    });
    absl::Status status = client().SampleValues(
        request, [&](const v1::SampleValuesResponse& part) { return assembler.Add(part); });
    if (status.ok()) status = assembler.Finish();
    EXPECT_TRUE(status.ok()) << status;
    return items;
  }

  // "1=10 3=30": the samples of an attribute of type double with their values.
  static std::string Text(const AttributeSamples& item) {
    std::string text = item.status.ok() ? "" : std::string(item.status.message());
    for (const AttributeSamples::Sample& sample : item.samples) {
      if (!text.empty()) text += ' ';
      if (sample.time) text += Concat(sample.pre_time ? "<" : "", *sample.time, "=");
      if (!sample.status.ok()) {
        text += Concat("(", std::string(sample.status.message()), ")");
      } else if (sample.value.has_block()) {
        text += "blocked";
      } else if (sample.value.kind_case() == v1::Value::KIND_NOT_SET) {
        text += "none";
      } else {
        text += Concat(sample.value.double_value());
      }
    }
    return text;
  }
  Strings Texts(const v1::SampleValuesRequest& request) {
    Strings texts;
    for (const AttributeSamples& item : Items(request)) texts.push_back(Text(item));
    return texts;
  }
  // The reason for which a call fails.
  std::string Reason(const v1::SampleValuesRequest& request) {
    return ErrorReason(End(&Client::SampleValues, request));
  }
};

constexpr const char* kScene = R"(def Cube "P"
{
    double x.timeSamples = { 1: 10, 3: 30, 5: None, 6: 60 }
    double fixed = 4
    double one.timeSamples = { 7: 70 }
    double nothing
    double blocked = None
    double curve.spline = { 1: 10; post held, 3: 20; post linear, 5: 30 }
    rel to = </P>
}
)";

TEST_F(SampleValuesHandlerTest, WarningsComeOnce) {
  WriteClips(2);
  Write("clip.2.usda", "not a layer {{{");
  ServerOptions options;
  options.limits.message_bytes = 200;
  Start(options);
  const auto parts =
      All(&Client::SampleValues, MakeRequest({"/P.x"}, {{1, 1}, {2, 2}, {2, 2}, {1, 2}}));
  EXPECT_GE(parts.size(), 4u) << "an item each";
  int warnings = 0;
  for (const v1::SampleValuesResponse& part : parts) {
    for (const v1::Warning& warning : part.warnings()) {
      ++warnings;
      EXPECT_EQ(warning.kind(), v1::Warning::KIND_UNREADABLE_ASSET);
      EXPECT_NE(warning.asset().find("clip.2.usda"), std::string::npos);
    }
  }
  EXPECT_EQ(warnings, 1);
}

TEST_F(SampleValuesHandlerTest, EachAttributeHasItsOwnSamples) {
  Write("root.usda", kScene);
  const auto items = Items(
      MakeRequest({"/P.x", "/P.fixed", "/P.one", "/P.nothing", "/P.blocked", "/P.curve", "/P.size"},
                  {{2, 2.5}, {3.5, 5.5}}));
  const Strings expected = {"1=10 3=30",   "3=30 5=blocked 6=60",   //
                            "4",           "4",                     //
                            "7=70",        "7=70",                  //
                            "none",        "none",                  //
                            "blocked",     "blocked",               //
                            "2=10 2.5=10", "3.5=22.5 5=30 5.5=30",  //
                            "2",           "2"};
  ASSERT_EQ(items.size(), expected.size());
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i].item, i);
    EXPECT_EQ(items[i].type_name, "double");
    EXPECT_EQ(Text(items[i]), expected[i]) << i;
  }
  EXPECT_EQ(items[0].variation, v1::VALUE_VARIATION_SAMPLED);
  EXPECT_EQ(items[2].variation, v1::VALUE_VARIATION_CONSTANT);
  EXPECT_EQ(items[4].variation, v1::VALUE_VARIATION_CONSTANT);
  EXPECT_EQ(items[10].variation, v1::VALUE_VARIATION_SPLINE);
}

TEST_F(SampleValuesHandlerTest, JumpsOfSplinesHaveTwoSamples) {
  Write("root.usda", kScene);
  EXPECT_EQ(Texts(MakeRequest({"/P.curve"}, {{2, 4}})), Strings{"2=10 <3=10 3=20 4=25"});
}

TEST_F(SampleValuesHandlerTest, EndsThatAreNotSetAreInfinite) {
  Write("root.usda", kScene);
  v1::SampleValuesRequest request = MakeRequest({"/P.x", "/P.curve", "/P.fixed"}, {});
  request.add_intervals();
  EXPECT_EQ(Texts(request), (Strings{"1=10 3=30 5=blocked 6=60", "1=10 <3=10 3=20 5=30", "4"}));
  request.mutable_intervals(0)->set_start(4);
  request.mutable_intervals(0)->set_start_open(true);
  EXPECT_EQ(Texts(request), (Strings{"3=30 5=blocked 6=60", "4=25 5=30", "4"}));
}

TEST_F(SampleValuesHandlerTest, ClipsHaveTheirBoundaries) {
  WriteClips(3);
  const auto items = Items(MakeRequest({"/P.x"}, {{1.5, 2.5}}));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(Text(items[0]), "1=10 2=20 3=30");
  EXPECT_EQ(items[0].variation, v1::VALUE_VARIATION_SAMPLED);
}

TEST_F(SampleValuesHandlerTest, InterpolatesTheEndsAsRequested) {
  Write("root.usda", R"(def "P" (clips = { dictionary default = {
        asset[] assetPaths = [@./c.usda@]
        string primPath = "/C"
        double2[] active = [(0, 0)]
        double2[] times = [(0, 0), (2, 2), (4, 4)]
    } })
{
    double x
}
)");
  Write("c.usda", "def \"C\" { double x.timeSamples = { 0: 0, 4: 40 }; }\n");
  v1::SampleValuesRequest request = MakeRequest({"/P.x"}, {{1, 1}});
  EXPECT_EQ(Texts(request), Strings{"0=0 2=20"}) << "2 is a sample only by `times`";
  request.set_interpolation(v1::INTERPOLATION_HELD);
  EXPECT_EQ(Texts(request), Strings{"0=0 2=0"});
}

TEST_F(SampleValuesHandlerTest, ReportsErrorsPerItem) {
  Write("root.usda", kScene);
  const auto items = Items(MakeRequest({"/P.y", "/P.fixed", "/Q.x", "/P.to", "x"}, {{1, 2}}));
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[0].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Text(items[1]), "4");
  EXPECT_EQ(items[2].status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(items[3].status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(items[4].status.code(), absl::StatusCode::kInvalidArgument);
  const auto parts = All(&Client::SampleValues, MakeRequest({"/P.y", "/P.fixed"}, {{1, 2}}));
  ASSERT_EQ(parts.size(), 1u) << "small items share a message";
  EXPECT_EQ(parts[0].snapshot().size(), 32u);
  EXPECT_EQ(parts[0].items(0).error().reason(), v1::ERROR_REASON_ATTRIBUTE_NOT_FOUND);
  EXPECT_EQ(parts[0].items(0).error().item(), 0u);
  EXPECT_EQ(parts[0].items(0).sample_count(), 0u);
  EXPECT_EQ(parts[0].items(1).samples(0).state(), v1::ITEM_STATE_VALUE);
}

TEST_F(SampleValuesHandlerTest, RejectsInvalidIntervals) {
  Write("root.usda", kScene);
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [start, end] :
       Intervals{{2, 1}, {nan, 1}, {1, nan}, {infinity, infinity}, {-infinity, -infinity}}) {
    EXPECT_EQ(Reason(MakeRequest({"/P.x"}, {{1, 2}, {start, end}})), "INVALID_TIME")
        << start << ", " << end;
  }
  EXPECT_EQ(Reason(MakeRequest({"/P.x"}, {})), "INVALID_TIME") << "no intervals";
  EXPECT_EQ(Reason(MakeRequest({"/P.x"}, {{1, 1}})), "") << "an instant is an interval";
}

TEST_F(SampleValuesHandlerTest, LimitsRequestsItemsAndReplies) {
  Write("root.usda", kScene);
  ServerOptions options;
  options.limits.max_paths = 3;
  options.limits.max_times = 4;
  options.limits.max_items = 6;
  options.limits.max_interval_samples = 3;
  Start(options);
  EXPECT_EQ(Reason(MakeRequest({"/P.x", "/P.x", "/P.x", "/P.x"}, {{1, 2}})), "REQUEST_TOO_LARGE");
  EXPECT_EQ(Reason(MakeRequest({"/P.x"}, Intervals(5, {1, 2}))), "REQUEST_TOO_LARGE");
  EXPECT_EQ(Reason(MakeRequest({"/P.x", "/P.x"}, Intervals(4, {1, 2}))), "REQUEST_TOO_LARGE");
  EXPECT_EQ(Texts(MakeRequest({"/P.x", "/P.fixed"}, {{0, 9}, {2, 4}})),
            (Strings{"the interval has more than 3 samples", "1=10 3=30 5=blocked", "4", "4"}));
  EXPECT_EQ(
      Texts(MakeRequest({"/P.x", "/P.x", "/P.fixed"}, {{2, 4}, {2, 4}})),
      (Strings{
          "1=10 3=30 5=blocked", "1=10 3=30 5=blocked", "the reply would have more than 6 samples",
          "the reply would have more than 6 samples", "the reply would have more than 6 samples",
          "the reply would have more than 6 samples"}));
  const auto parts = All(&Client::SampleValues, MakeRequest({"/P.x"}, {{0, 9}}));
  EXPECT_EQ(parts[0].items(0).error().reason(), v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

TEST_F(SampleValuesHandlerTest, ReportsASampleThatIsTooLarge) {
  Write("root.usda", Concat("def \"P\" { string s.timeSamples = { 1: \"a\", 2: \"",
                            std::string(5000, 'x'), "\", 3: \"c\" }; }\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  const auto items = Items(MakeRequest({"/P.s"}, {{1, 3}}));
  ASSERT_EQ(items.size(), 1u);
  ASSERT_EQ(items[0].samples.size(), 3u);
  EXPECT_EQ(items[0].samples[0].value.string_value(), "a");
  EXPECT_EQ(items[0].samples[1].status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(items[0].samples[1].time, 2);
  EXPECT_EQ(items[0].samples[2].value.string_value(), "c");
}

// Arrays of `count` numbers at times 1 and 2, and a scalar.
std::string ArrayScene(int count) {
  std::string one = "1", two = "2";
  for (int i = 1; i < count; ++i) {
    one += ",1";
    two += ",2";
  }
  return Concat("def \"P\" { int[] a.timeSamples = { 1: [", one, "], 2: [", two,
                "] }; double b = 1; }\n");
}

TEST_F(SampleValuesHandlerTest, ArraysComeInChunks) {
  Write("root.usda", ArrayScene(50000));
  v1::SampleValuesRequest request = MakeRequest({"/P.a", "/P.b", "/P.a"}, {{1, 2}});
  request.mutable_stream_options()->set_chunk_bytes(1);
  const auto parts = AllParts(&Client::SampleValues, request);
  EXPECT_GE(parts.size(), 13u) << "800,000 bytes in chunks of at most 64 KiB";
  for (const auto& part : parts) EXPECT_LE(part.ByteSizeLong(), (size_t{64} << 10) + 200);
  const auto items = Items(request);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(Text(items[1]), "1");
  for (const size_t item : {0u, 2u}) {
    ASSERT_EQ(items[item].samples.size(), 2u);
    for (const size_t sample : {0u, 1u}) {
      const v1::PackedValues& array = items[item].samples[sample].value.array_value();
      ASSERT_EQ(array.data().size(), 200000u);
      EXPECT_EQ(array.count(), 50000u);
      EXPECT_EQ(array.data().front(), sample == 0 ? '\1' : '\2');
      EXPECT_EQ(array.data()[199996], sample == 0 ? '\1' : '\2');
    }
  }
}

TEST_F(SampleValuesHandlerTest, MessagesFitIntoADefaultClient) {
  constexpr size_t kDefaultLimit = 4 << 20;
  Write("root.usda", ArrayScene((4 << 20) / 4));
  v1::SampleValuesRequest request = MakeRequest({"/P.a", "/P.b"}, {{1, 2}});
  for (const uint32_t chunk : {0u, 1u << 30}) {
    request.mutable_stream_options()->set_chunk_bytes(chunk);
    size_t largest = 0;
    for (const auto& part : AllParts(&Client::SampleValues, request)) {
      largest = std::max(largest, part.ByteSizeLong());
    }
    EXPECT_LT(largest, kDefaultLimit);
    EXPECT_GT(largest, chunk == 0 ? 1000000u : 3000000u);
  }
}

TEST_F(SampleValuesHandlerTest, SmallArraysShareMessages) {
  Write("root.usda", ArrayScene(1024));
  const auto parts =
      All(&Client::SampleValues, MakeRequest({"/P.a", "/P.a"}, {{1, 2}, {1, 2}, {0, 1}}));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].items_size(), 6);
  EXPECT_EQ(parts[0].items(0).samples(1).value().array_value().data().size(), 4096u);
  EXPECT_EQ(parts[0].items(5).samples_size(), 1);
}

TEST_F(SampleValuesHandlerTest, LongItemsContinueInTheNextMessage) {
  std::string samples;
  for (int i = 0; i < 5000; ++i) samples += Concat(i, ": ", i, ", ");
  Write("root.usda", Concat("def \"P\" { double x.timeSamples = { ", samples, " }; }\n"));
  ServerOptions options;
  options.limits.message_bytes = 10000;
  Start(options);
  const v1::SampleValuesRequest request = MakeRequest({"/P.x", "/P.x"}, {{0, 4999}});
  EXPECT_GT(All(&Client::SampleValues, request).size(), 10u);
  const auto items = Items(request);
  ASSERT_EQ(items.size(), 2u);
  for (const AttributeSamples& item : items) {
    ASSERT_EQ(item.samples.size(), 5000u);
    EXPECT_EQ(item.type_name, "double");
    for (size_t i = 0; i < item.samples.size(); ++i) {
      EXPECT_EQ(item.samples[i].time, static_cast<double>(i));
      EXPECT_EQ(item.samples[i].value.double_value(), static_cast<double>(i));
    }
  }
}

}  // namespace
}  // namespace stagedoor::server
