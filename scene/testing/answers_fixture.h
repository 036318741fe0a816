#ifndef STAGEDOOR_SCENE_TESTING_ANSWERS_FIXTURE_H_
#define STAGEDOOR_SCENE_TESTING_ANSWERS_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/value_text.h"

namespace stagedoor {

// A fixture that opens "root.usda" and returns the values of its attributes as text.
class AnswersTest : public testing::Test {
 protected:
  // Adds or replaces a layer; the stage is reopened on its next use.
  void Write(std::string_view name, std::string_view text) {
    stage_.reset();
    scene_.Write(name, text);
  }
  // Opened with options_ on first use after a Write.
  const Stage& stage() {
    if (!stage_) stage_ = scene_.Open("root.usda", options_);
    return *stage_;
  }
  Attribute Find(std::string_view path) {
    const Property property = stage().FindProperty(P(path));
    EXPECT_TRUE(property.valid()) << path;
    return Attribute(property);
  }

  // Values in usda syntax, "-" for no value: "1 2.5 -".
  std::string Default(std::string_view path) {
    return Text(Find(path).Get(scene_.context(), TimeCode::Default()));
  }
  std::string At(std::string_view path, const std::vector<double>& times) {
    return Values(path, times, &TimeCode::At, Interpolation::kLinear);
  }
  // Values just before the times (TimeCode::PreTime).
  std::string Pre(std::string_view path, const std::vector<double>& times) {
    return Values(path, times, &TimeCode::PreTime, Interpolation::kLinear);
  }
  // Values with held interpolation.
  std::string HeldAt(std::string_view path, const std::vector<double>& times) {
    return Values(path, times, &TimeCode::At, Interpolation::kHeld);
  }
  std::string HeldPre(std::string_view path, const std::vector<double>& times) {
    return Values(path, times, &TimeCode::PreTime, Interpolation::kHeld);
  }
  std::string Samples(std::string_view path) {
    const AttributeSource source = Find(path).Compile(scene_.context());
    return Join(source.SampleTimes(scene_.context()).span(), " ");
  }
  std::string SamplesIn(std::string_view path, double first, double last) {
    const AttributeSource source = Find(path).Compile(scene_.context());
    return Join(source.SampleTimesIn(scene_.context(), first, last).span(), " ");
  }
  // The bracketing sample times of a time, "-" if there are none.
  std::string Around(std::string_view path, double time) {
    const AttributeSource source = Find(path).Compile(scene_.context());
    const auto around = source.Bracketing(scene_.context(), time);
    return around ? Concat(around->first, " ", around->second) : std::string("-");
  }
  bool Varies(std::string_view path) {
    return Find(path).Compile(scene_.context()).MightBeTimeVarying(scene_.context());
  }

  static std::string Text(const Value& value) {
    std::string text;
    usda::AppendValueText(value, &text);
    return text.empty() ? "-" : text;
  }

  TestScene scene_;
  StageOptions options_;
  std::shared_ptr<const Stage> stage_;

 private:
  std::string Values(std::string_view path, const std::vector<double>& times,
                     TimeCode (*time_of)(double), Interpolation interpolation) {
    const Attribute attribute = Find(path);
    const AttributeSource source = attribute.Compile(scene_.context());
    std::vector<std::string> texts;
    for (const double time : times) {
      texts.push_back(Text(attribute.Get(scene_.context(), source, time_of(time), interpolation)));
    }
    return Join(texts, " ");
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_TESTING_ANSWERS_FIXTURE_H_
