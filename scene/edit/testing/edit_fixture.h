#ifndef STAGEDOOR_SCENE_EDIT_TESTING_EDIT_FIXTURE_H_
#define STAGEDOOR_SCENE_EDIT_TESTING_EDIT_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "scene/edit/edit_error.h"
#include "scene/edit/edited_stage.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {

// A stage whose session layer is edited.
class EditTest : public ::testing::Test {
 protected:
  // Opens a stage on these layers, given as usda without the first line. An empty `session` means
  // that there is none.
  void Begin(std::string_view root, std::string_view session = "") {
    scene_.Write("root.usda", root);
    root_ = Layer("root.usda");
    std::shared_ptr<const stagedoor::Layer> layer;
    if (!session.empty()) {
      scene_.Write("session.usda", session);
      layer = Layer("session.usda");
    }
    std::shared_ptr<const Stage> stage = Compose(layer);
    composed_ = 0;
    edited_ = std::make_unique<EditedStage>(
        scene_.context(), layer ? LayerBuilder(*layer) : LayerBuilder(),
        stagedoor::Layer::Info{.identifier = "anon:session.usda", .format = "usda"},
        std::move(stage), [this](auto edited) { return Compose(std::move(edited)); });
  }

  EditedStage& stage() { return *edited_; }

  void Target(std::string_view variant) {
    const auto target = EditTarget::ForLocalDirectVariant(P(variant));
    ASSERT_TRUE(target.ok()) << target.status();
    edited_->set_target(*target);
  }

  // The edited layer without the first line, and without line ends and spaces that are not needed.
  std::string Text() {
    std::string text = WriteUsda(*edited_->BuildLayer());
    text.erase(0, text.find('\n') + 1);
    std::string out;
    for (const char c : text) {
      const bool space = c == ' ' || c == '\n';
      if (!space) {
        out.push_back(c);
      } else if (!out.empty() && out.back() != ' ') {
        out.push_back(' ');
      }
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  // How often the stage was composed for the edits.
  int composed() const { return composed_; }

  // The stage with the edited layer.
  std::shared_ptr<const Stage> Result() { return Compose(edited_->BuildLayer()); }

  TestScene scene_;

 private:
  std::shared_ptr<const stagedoor::Layer> Layer(std::string_view name) {
    auto layer = scene_.layers().Open(scene_.context(), {}, Concat("/", name), nullptr);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }
  std::shared_ptr<const Stage> Compose(std::shared_ptr<const stagedoor::Layer> session) {
    ++composed_;
    auto stage = Stage::Open(scene_.context(), scene_.environment(), {}, root_, std::move(session));
    EXPECT_TRUE(stage.ok()) << stage.status();
    return stage.ok() ? *stage : nullptr;
  }

  std::shared_ptr<const stagedoor::Layer> root_;
  std::unique_ptr<EditedStage> edited_;
  int composed_ = 0;
};

// Expects that an edit is refused for this reason.
#define EXPECT_REFUSED(edit, kind) EXPECT_EQ(GetEditErrorKind(edit), EditErrorKind::kind)

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_TESTING_EDIT_FIXTURE_H_
