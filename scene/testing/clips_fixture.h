#ifndef STAGEDOOR_SCENE_TESTING_CLIPS_FIXTURE_H_
#define STAGEDOOR_SCENE_TESTING_CLIPS_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {

inline constexpr std::string_view kTwoSamples = R"(
def "M" {
  double b.timeSamples = {1: 15, 5: 17}
})";
inline constexpr std::string_view kNothing = R"(
def "M" {
})";
inline constexpr std::string_view kSpline = R"(
def "M" {
  double b.spline = {
    1: 5; post linear,
    5: 7,
  }
})";

// A fixture for a prim with one clip set over tiny inline clips, whose values it returns as text.
class ClipsTest : public testing::Test {
 protected:
  // Writes a root layer whose prim /M has `attributes` and a clip set of the layers "/c0.usda" …
  // `timing` is the rest of the clip set's dictionary; `manifest` may be empty.
  void Write(const std::vector<std::string_view>& clips, std::string_view timing,
             std::string_view attributes = "double b", std::string_view manifest = "") {
    stage_.reset();
    std::string assets;
    for (size_t i = 0; i < clips.size(); ++i) {
      scene_.Write(Concat("c", i, ".usda"), clips[i]);
      assets += Concat(i ? "," : "", "@./c", i, ".usda@");
    }
    std::string entry;
    if (!manifest.empty()) {
      scene_.Write("m.usda", manifest);
      entry = "asset manifestAssetPath = @./m.usda@";
    }
    scene_.Write("root.usda", Concat(R"(
def "M" (clips = { dictionary default = {
  asset[] assetPaths = [)",
                                     assets, "]\n", entry, "\nstring primPath = \"/M\"\n", timing,
                                     "\n}})\n{\n", attributes, "\n}\n"));
  }
  Attribute Open(std::string_view path = "/M.b") {
    stage_ = scene_.Open("root.usda");
    const Property property = stage_->FindProperty(P(path));
    EXPECT_TRUE(property.valid()) << path;
    return Attribute(property);
  }
  // Values at `times`, "-" for no value: "15 15.5 -".
  std::string Values(const Attribute& attribute, const std::vector<TimeCode>& times) {
    std::string text;
    for (const TimeCode time : times) {
      const Value value = attribute.Get(scene_.context(), time);
      const double* number = value.Get<double>();
      text += Concat(text.empty() ? "" : " ", number ? Concat(*number) : std::string("-"));
    }
    return text;
  }
  std::string At(const Attribute& attribute) {
    return Values(attribute, {TimeCode::At(0), TimeCode::At(1), TimeCode::At(2), TimeCode::At(3),
                              TimeCode::At(4), TimeCode::At(5), TimeCode::At(6), TimeCode::At(7)});
  }
  std::string Pre(const Attribute& attribute) {
    return Values(attribute, {TimeCode::PreTime(0), TimeCode::PreTime(1), TimeCode::PreTime(2),
                              TimeCode::PreTime(3), TimeCode::PreTime(4), TimeCode::PreTime(5),
                              TimeCode::PreTime(6), TimeCode::PreTime(7)});
  }
  std::string Samples(const Attribute& attribute) {
    const AttributeSource source = attribute.Compile(scene_.context());
    const Array<double> times = source.SampleTimes(scene_.context());
    return Join(times.span(), " ");
  }
  bool Varies(const Attribute& attribute) {
    return attribute.Compile(scene_.context()).MightBeTimeVarying(scene_.context());
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_TESTING_CLIPS_FIXTURE_H_
