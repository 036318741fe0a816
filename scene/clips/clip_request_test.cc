// Requests that end while they read clips do not affect the answers to later requests.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

using Query = std::function<std::string(RequestContext&)>;

// Sets with many clips, many samples or long curves, and queries about them.
class ClipRequestTest : public AnswersTest {
 protected:
  ClipRequestTest() {
    std::string samples;
    for (int i = 0; i < 1200; ++i) samples += Concat(i, ": ", i * i, ", ");
    Write("many.usda", Concat("def \"C\" { double x.timeSamples = { ", samples, "}; }\n"));
    Write("none.usda", "def \"C\" {}\n");
    Write("m.usda", "def \"C\" { double x; }\n");
  }
  void Play(std::string_view assets, const std::string& active, const std::string& times,
            std::string_view more = "") {
    text_ = Concat("def \"R\" (\n clips = { dictionary default = {\n  asset[] assetPaths = [",
                   assets, "]\n  asset manifestAssetPath = @./m.usda@\n",
                   "  string primPath = \"/C\"\n  double2[] active = [", active,
                   "]\n  double2[] times = [", times, "]\n  ", more, "\n } }\n) { double x; }\n");
  }
  // Runs each query with an increasing limit of steps. Returns how often one ended early.
  int CheckAll() {
    int ended = 0;
    for (const auto& [name, query] : Queries()) {
      Write("root.usda", text_);
      RequestContext all;
      const std::string expected = query(all);
      EXPECT_FALSE(all.failed()) << name;
      for (uint64_t steps = 1; steps < all.steps() + 1024; steps += steps) {
        Write("root.usda", text_);
        RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = steps});
        const std::string answer = query(few);
        ended += few.failed();
        EXPECT_TRUE(few.failed() || answer == expected) << name << " " << steps;
        EXPECT_EQ(query(scene_.context()), expected) << name << " after " << steps;
      }
    }
    return ended;
  }
  std::vector<std::pair<const char*, Query>> Queries() {
    return {
        {"value", [this](RequestContext& c) { return Text(Get(c, TimeCode::At(1500.5))); }},
        {"value before",
         [this](RequestContext& c) { return Text(Get(c, TimeCode::PreTime(1500))); }},
        {"value at a jump",
         [this](RequestContext& c) { return Text(Get(c, TimeCode::PreTime(1000))); }},
        {"held value before",
         [this](RequestContext& c) {
           const Attribute x = Find("/R.x");
           return Text(x.Get(c, x.Compile(c), TimeCode::PreTime(2000), Interpolation::kHeld));
         }},
        {"samples",
         [this](RequestContext& c) {
           return Join(Find("/R.x").Compile(c).SampleTimes(c).span(), " ");
         }},
        {"samples within",
         [this](RequestContext& c) {
           return Join(Find("/R.x").Compile(c).SampleTimesIn(c, 100.5, 2000).span(), " ");
         }},
        {"samples around",
         [this](RequestContext& c) {
           const auto around = Find("/R.x").Compile(c).Bracketing(c, 1500.5);
           return around ? Concat(around->first, " ", around->second) : std::string("-");
         }},
        {"varies",
         [this](RequestContext& c) {
           return std::string(Find("/R.x").Compile(c).MightBeTimeVarying(c) ? "yes" : "no");
         }},
    };
  }
  Value Get(RequestContext& context, TimeCode time) { return Find("/R.x").Get(context, time); }

  std::string text_;
};

std::string Stairs(int count, int step) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += Concat(i ? ", " : "", "(", i * step, ", ", i % 2 ? 1199 : 0, ")");
  }
  return text;
}

TEST_F(ClipRequestTest, FileWithManySamples) {
  Play("@./many.usda@", "(0, 0)", "");
  EXPECT_GT(CheckAll(), 5);
}

TEST_F(ClipRequestTest, CurveThatGoesBackAndForth) {
  Play("@./many.usda@", "(0, 0)", "(0, 0), (1000, 1199), (1000, 0), (2000, 1000), (3000, 10)");
  EXPECT_GT(CheckAll(), 5);
}

TEST_F(ClipRequestTest, CurveWithManyKnots) {
  Play("@./none.usda@, @./many.usda@", "(0, 0), (2000, 1)", Stairs(60, 40));
  EXPECT_GT(CheckAll(), 5);
}

TEST_F(ClipRequestTest, ManyClips) {
  std::string active;
  for (int i = 0; i < 2000; ++i)
    active += Concat(i ? ", " : "", "(", i, ", ", i % 500 ? 0 : 1, ")");
  Play("@./none.usda@, @./many.usda@", active, "");
  EXPECT_GT(CheckAll(), 5);
}

TEST_F(ClipRequestTest, ManyClipsMostOfThemMissing) {
  std::string active;
  for (int i = 0; i < 2000; ++i)
    active += Concat(i ? ", " : "", "(", i, ", ", i % 700 ? 0 : 1, ")");
  Play("@./none.usda@, @./many.usda@", active, "", "bool interpolateMissingClipValues = true");
  EXPECT_GT(CheckAll(), 5);
}

TEST_F(ClipRequestTest, ListsOfSampleTimesAreChargedToTheRequest) {
  Play("@./many.usda@", "(0, 0)", Stairs(100, 30));
  Write("root.usda", text_);
  RequestContext little(RequestContext::Clock::time_point::max(), {.max_bytes = 100000});
  (void)Find("/R.x").Compile(little).SampleTimes(little);
  EXPECT_EQ(little.Check().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(little.Check().message().find("sample times"), std::string::npos) << little.Check();
  RequestContext enough(RequestContext::Clock::time_point::max(), {.max_bytes = 4000000});
  const size_t count = Find("/R.x").Compile(enough).SampleTimes(enough).size();
  EXPECT_TRUE(enough.Check().ok());
  EXPECT_GT(count, 99000u);
  EXPECT_EQ(Find("/R.x").Compile(scene_.context()).SampleTimes(scene_.context()).size(), count);
}

}  // namespace
}  // namespace stagedoor
