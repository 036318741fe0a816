#ifndef STAGEDOOR_SCENE_FRAME_TESTING_FRAME_FIXTURE_H_
#define STAGEDOOR_SCENE_FRAME_TESTING_FRAME_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/frame_selection.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/value_text.h"

namespace stagedoor {

// A fixture that makes the plans of tiny scenes, and returns what is in them as text.
class FrameTest : public testing::Test {
 protected:
  // Opens "a.usda" with this text, and makes the plan of the selection.
  void Plan(std::string_view text) {
    Open(text);
    Plan();
  }
  void Open(std::string_view text, StageOptions options = {}) {
    plan_.reset();
    scene_.Write("a.usda", text);
    stage_ = scene_.Open("a.usda", std::move(options));
    selection_ = FrameSelection{.roots = {stage_->PseudoRoot()},
                                .purposes = {Token("default"), Token("render")},
                                .material_purposes = {"full", ""}};
  }
  // Makes the plan of selection_.
  void Plan() {
    auto plan = MakeFramePlan(context(), *stage_, selection_);
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
  }

  Prim Find(std::string_view path) const {
    const Prim prim = stage_->FindPrim(path);
    EXPECT_TRUE(prim.valid()) << path;
    return prim;
  }
  std::vector<Prim> FindAll(const std::vector<std::string_view>& paths) const {
    std::vector<Prim> prims;
    for (const std::string_view path : paths) prims.push_back(Find(path));
    return prims;
  }

  // The name of a row: its path, and after "@" that of the prototype that it is a part of.
  std::string NameOf(const FramePrim& row) const {
    if (row.prototype == kNoIndex) return row.prim.PathText();
    return Concat(row.prim.PathText(), "@", plan_->prototypes[row.prototype].prim.PathText());
  }
  // The names of all rows, in order.
  std::string Rows() const {
    std::vector<std::string> names;
    for (const FramePrim& row : plan_->prims) names.push_back(NameOf(row));
    return Join(names, " ");
  }
  const FramePrim& Row(std::string_view name) const {
    static const FramePrim kNone;
    for (const FramePrim& row : plan_->prims) {
      if (NameOf(row) == name) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return kNone;
  }
  const FrameGeometry& GeometryOf(std::string_view name) const {
    return plan_->geometry[Row(name).geometry];
  }
  // The names of the attributes of a geometry that vary.
  std::string Varying(std::string_view name) const { return Names(GeometryOf(name).varying); }
  std::string Attributes(std::string_view name) {
    return Names(FrameAttributesOf(context(), selection_, GeometryOf(name)));
  }
  static std::string Names(const std::vector<FrameAttribute>& attributes) {
    std::vector<std::string_view> names;
    for (const FrameAttribute& attribute : attributes) names.push_back(attribute.name.text());
    return Join(names, " ");
  }
  static std::string Text(const Value& value) {
    std::string text;
    usda::AppendValueText(value, &text);
    return text.empty() ? "-" : text;
  }

  RequestContext& context() { return scene_.context(); }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  FrameSelection selection_;
  std::shared_ptr<const FramePlan> plan_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_TESTING_FRAME_FIXTURE_H_
