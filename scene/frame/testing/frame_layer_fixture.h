#ifndef STAGEDOOR_SCENE_FRAME_TESTING_FRAME_LAYER_FIXTURE_H_
#define STAGEDOOR_SCENE_FRAME_TESTING_FRAME_LAYER_FIXTURE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/frame/frame_layer.h"
#include "scene/frame/testing/frame_fixture.h"
#include "scene/geom/xform_cache.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {

inline constexpr SamplePolicy kShutter{.open = -0.5, .close = 0.5};

// A fixture that makes the layers of frames of tiny scenes, and opens them as stages.
class FrameLayerTest : public FrameTest {
 protected:
  // Makes the layer of the frame at `time` of the scene, and opens it as a stage.
  void Make(std::string_view text, TimeCode time, std::optional<SamplePolicy> policy = {}) {
    Open(text);
    Make(time, policy);
  }
  void Make(TimeCode time, std::optional<SamplePolicy> policy = {}) {
    Plan();
    const FrameLayerSource source{.stage = *stage_,
                                  .plan = *plan_,
                                  .selection = selection_,
                                  .times = {.frame = time, .policy = policy},
                                  .camera = camera_,
                                  .settings = settings_,
                                  .without_invisible = without_invisible_};
    auto made = MakeFrameLayer(context(), source, {.identifier = "anon:frame", .format = "usda"});
    ASSERT_TRUE(made.ok()) << made.status();
    frame_ = *std::move(made);
    auto flat = Stage::Open(context(), scene_.environment(), {}, frame_.layer, nullptr);
    ASSERT_TRUE(flat.ok()) << flat.status();
    flat_ = *flat;
  }
  std::string LayerText() const { return WriteUsda(*frame_.layer); }

  Prim Flat(std::string_view path) const {
    const Prim prim = flat_->FindPrim(path);
    EXPECT_TRUE(prim.valid()) << path << " is not in\n" << LayerText();
    return prim;
  }
  // The value of an attribute of the layer, as text.
  std::string FlatValue(std::string_view path, std::string_view name,
                        TimeCode time = TimeCode::At(1)) {
    const Prim prim = Flat(path);
    const Attribute attribute = prim.valid() ? prim.GetAttribute(Token(name)) : Attribute();
    return attribute.valid() ? Text(attribute.Get(context(), time)) : "none";
  }
  std::vector<double> SampleTimes(std::string_view path, std::string_view name) {
    const Attribute attribute = Flat(path).GetAttribute(Token(name));
    if (!attribute.valid()) return {};
    const Array<double> times = attribute.SampleTimes(context());
    return {times.begin(), times.end()};
  }
  // Whether a prim is at the same place in the layer and on the stage.
  bool IsInPlace(std::string_view path, double time) {
    XformCache there(TimeCode::At(time)), here(TimeCode::At(time));
    return there.LocalToWorld(context(), Find(path)) == here.LocalToWorld(context(), Flat(path));
  }
  std::string Targets(std::string_view path, std::string_view name) {
    const Relationship relationship = Flat(path).GetRelationship(Token(name));
    std::vector<std::string> targets;
    if (!relationship.valid()) return "none";
    for (const Path target : relationship.Targets()) targets.push_back(target.ToString());
    return Join(targets, " ");
  }

  Prim camera_, settings_;
  bool without_invisible_ = false;
  FrameLayer frame_;
  std::shared_ptr<const Stage> flat_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_TESTING_FRAME_LAYER_FIXTURE_H_
