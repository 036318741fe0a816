#include "server/handlers/model_handler.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/packed_values.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class ModelHandlerTest : public ServerTest {
 protected:
  ModelHandlerTest() {
    Write("root.usda", R"(
def Xform "A" (
  kind = "component"
  apiSchemas = ["GeomModelAPI"]
) {
  uniform token model:drawMode = "cards"
  uniform bool model:applyDrawMode = true
  uniform token model:cardGeometry = "box"
  uniform float3 model:drawModeColor = (1, 0.5, 0)
  uniform asset model:cardTextureYPos = @./y.png@
  uniform asset model:cardTextureXNeg = @./x.png@
  double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (10, 0, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  matrix4d constraintTargets:hand.timeSamples = {
    0: ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3, 1))
  }
  matrix4d constraintTargets:none (
    constraintTargetIdentifier = "nobody"
  )
  def Xform "B" {
  }
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    stage_ = Open(open);
  }
  v1::ComputeModelsRequest Ask(const std::vector<std::string>& paths,
                               const std::vector<double>& frames) {
    return RequestFor<v1::ComputeModelsRequest>(stage_, paths, frames);
  }

  v1::StageRef stage_;
};

TEST_F(ModelHandlerTest, ReturnsHowModelsAreDrawn) {
  const auto reply = client().ComputeModels(Ask({"/A", "/None", "/A/B"}, {0}));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->snapshot().size(), 32u);
  ASSERT_EQ(reply->models_size(), 3);
  const v1::Model& model = reply->models(0);
  EXPECT_EQ(model.draw_mode(), "cards");
  EXPECT_TRUE(model.is_model());
  EXPECT_TRUE(model.apply_draw_mode());
  EXPECT_EQ(model.card_geometry(), "box");
  EXPECT_EQ(std::vector<float>(model.draw_mode_color().begin(), model.draw_mode_color().end()),
            (std::vector<float>{1, 0.5, 0}));
  ASSERT_EQ(model.card_textures_size(), 2);
  EXPECT_EQ(model.card_textures(0).face(), "YPos");
  EXPECT_EQ(model.card_textures(0).texture().asset_path_value().authored(), "./y.png");
  EXPECT_EQ(model.card_textures(1).face(), "XNeg");
  EXPECT_EQ(model.constraint_targets_size(), 0) << "not requested";
  EXPECT_EQ(reply->models(1).draw_mode(), "");
  EXPECT_EQ(reply->models(2).draw_mode(), "cards");
  EXPECT_FALSE(reply->models(2).is_model());
  EXPECT_EQ(reply->models(2).draw_mode_color_size(), 0);
  ASSERT_EQ(reply->path_errors_size(), 1);
  EXPECT_EQ(reply->path_errors(0).reason(), v1::ERROR_REASON_PRIM_NOT_FOUND);
}

TEST_F(ModelHandlerTest, ReturnsConstraintTargetsAtTimes) {
  auto request = Ask({"/A", "/A/B"}, {0, 10});
  request.set_with_constraint_targets(true);
  const auto reply = client().ComputeModels(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->models(0).constraint_targets_size(), 2);
  const v1::ConstraintTarget& hand = reply->models(0).constraint_targets(0);
  EXPECT_EQ(hand.name(), "hand");
  const auto matrices = Unpack<double>(hand.local_to_world());
  ASSERT_EQ(matrices.size(), 32u);
  EXPECT_EQ(matrices[12], 1);
  EXPECT_EQ(matrices[16 + 12], 11);
  const v1::ConstraintTarget& none = reply->models(0).constraint_targets(1);
  EXPECT_EQ(none.identifier(), "nobody");
  EXPECT_EQ(Unpack<double>(none.local_to_world()), std::vector<double>(32)) << "without a value";
  EXPECT_EQ(reply->models(1).constraint_targets_size(), 0);
}

TEST_F(ModelHandlerTest, RepliesAreBounded) {
  ServerOptions options;
  options.limits.max_reply_bytes = 4000;
  Start(options);
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  stage_ = Open(open);
  auto request = Ask({"/A"}, std::vector<double>(20, 0));
  EXPECT_TRUE(client().ComputeModels(request).ok());
  request.set_with_constraint_targets(true);
  EXPECT_EQ(ErrorReason(client().ComputeModels(request).status()), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor::server
