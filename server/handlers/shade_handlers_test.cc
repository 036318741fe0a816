#include "server/handlers/shade_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class ShadeHandlersTest : public ServerTest {
 protected:
  ShadeHandlersTest() {
    Write("root.usda", R"(
def Scope "Looks" {
  def Material "red" {}
  def Material "blue" {}
}
def Xform "A" (apiSchemas = ["CollectionAPI:c"]) {
  rel collection:c:includes = </A/C>
  rel material:binding = </Looks/red>
  rel material:binding:full = </Looks/blue> (bindMaterialAs = "strongerThanDescendants")
  rel material:binding:collection:c = [</A.collection:c>, </Looks/blue>]
  def Mesh "B" {}
  def Mesh "C" {}
  def Mesh "D" {
    rel material:binding = </Looks/gone>
  }
}
def Mesh "E" {}
def Mesh "F" {
  rel material:binding = </Looks/red>
  rel material:binding:onlyInNames = </Looks/blue>
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    *request_.mutable_stage() = Open(open);
  }
  v1::ComputeBoundMaterialsResponse Ask() {
    const auto response = client().ComputeBoundMaterials(request_);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::ComputeBoundMaterialsResponse();
  }
  // The materials of the items, with "-" for none.
  static std::vector<std::string> Materials(const v1::ComputeBoundMaterialsResponse& response) {
    std::vector<std::string> names;
    for (const uint32_t number : response.material()) {
      names.push_back(number == 0 ? "-" : response.materials(static_cast<int>(number) - 1));
    }
    return names;
  }

  v1::ComputeBoundMaterialsRequest request_;
};

using Names = std::vector<std::string>;

TEST_F(ShadeHandlersTest, FindsTheMaterialOfEachPath) {
  for (const char* path : {"/A/B", "/A/C", "/E", "/A/B"}) request_.add_paths(path);
  const auto response = Ask();
  EXPECT_EQ(Materials(response), (Names{"/Looks/red", "/Looks/blue", "-", "/Looks/red"}));
  EXPECT_EQ(response.materials_size(), 2) << "each once";
  EXPECT_EQ(response.bindings_size(), 0) << "not asked for";
  EXPECT_EQ(response.snapshot().size(), 32u);
}

TEST_F(ShadeHandlersTest, FindsThemForEachPurpose) {
  request_.add_paths("/A/B");
  request_.add_paths("/E");
  for (const char* purpose : {"full", "", "never heard of"}) request_.add_purposes(purpose);
  EXPECT_EQ(Materials(Ask()), (Names{"/Looks/blue", "/Looks/red", "/Looks/red", "-", "-", "-"}));
}

TEST_F(ShadeHandlersTest, APurposeNeedOnlyBeInTheNamesOfBindings) {
  request_.add_paths("/F");
  request_.add_purposes("onlyInNames");
  EXPECT_EQ(Materials(Ask()), (Names{"/Looks/blue"}));
  v1::ExplainBindingRequest request;
  *request.mutable_stage() = request_.stage();
  request.set_path("/F");
  request.set_purpose("onlyInNames");
  const auto response = client().ExplainBinding(request);
  ASSERT_TRUE(response.ok() && response->candidates_size() == 2) << response.status();
  EXPECT_EQ(response->candidates(0).binding().material(), "/Looks/blue");
}

TEST_F(ShadeHandlersTest, ReportsTheBindings) {
  request_.set_with_bindings(true);
  request_.add_purposes("");
  request_.add_purposes("full");
  for (const char* path : {"/A/C", "/E"}) request_.add_paths(path);
  const auto response = Ask();
  ASSERT_EQ(response.bindings_size(), 2);
  EXPECT_EQ(std::vector<uint32_t>(response.binding().begin(), response.binding().end()),
            (std::vector<uint32_t>{1, 2, 0, 0}));
  EXPECT_EQ(response.bindings(0).relationship(), "/A.material:binding:collection:c");
  EXPECT_EQ(response.bindings(0).collection(), "/A.collection:c");
  EXPECT_EQ(response.bindings(0).material(), "/Looks/blue");
  EXPECT_FALSE(response.bindings(0).stronger_than_descendants());
  EXPECT_EQ(response.bindings(1).relationship(), "/A.material:binding:full");
  EXPECT_EQ(response.bindings(1).collection(), "");
  EXPECT_TRUE(response.bindings(1).stronger_than_descendants());
}

TEST_F(ShadeHandlersTest, ReportsWhatBindsNoMaterial) {
  request_.add_paths("/A/D");
  request_.add_paths("/A/D");
  const auto response = Ask();
  EXPECT_EQ(Materials(response), (Names{"-", "-"})) << "the binding still wins";
  ASSERT_EQ(response.broken_size(), 1);
  EXPECT_EQ(response.broken(0).relationship(), "/A/D.material:binding");
  EXPECT_EQ(response.broken(0).target(), "/Looks/gone");
  EXPECT_EQ(response.broken(0).reason(), v1::BrokenMaterialBinding::REASON_NO_MATERIAL);
}

TEST_F(ShadeHandlersTest, PathsWithoutPrimsDoNotFailTheCall) {
  for (const char* path : {"/None", "/A/B", "bad path"}) request_.add_paths(path);
  const auto response = Ask();
  EXPECT_EQ(Materials(response), (Names{"-", "/Looks/red", "-"}));
  ASSERT_EQ(response.path_errors_size(), 2);
  EXPECT_EQ(response.path_errors(0).item(), 0u);
  EXPECT_EQ(response.path_errors(1).item(), 2u);
}

TEST_F(ShadeHandlersTest, PurposesAreLimited) {
  for (int i = 0; i < 17; ++i) request_.add_purposes("full");
  EXPECT_EQ(client().ComputeBoundMaterials(request_).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(ShadeHandlersTest, BindingsAreExplained) {
  v1::ExplainBindingRequest request;
  *request.mutable_stage() = request_.stage();
  request.set_path("/A/D");
  request.set_purpose("full");
  const auto response = client().ExplainBinding(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->candidates_size(), 4);
  const v1::BindingCandidate& wins = response->candidates(0);
  EXPECT_EQ(wins.outcome(), v1::BindingCandidate::OUTCOME_WINS);
  EXPECT_EQ(wins.binding().relationship(), "/A.material:binding:full");
  EXPECT_EQ(wins.binding().material(), "/Looks/blue");
  EXPECT_TRUE(wins.binding().stronger_than_descendants());
  const v1::BindingCandidate& own = response->candidates(1);
  EXPECT_EQ(own.outcome(), v1::BindingCandidate::OUTCOME_OTHER_PURPOSE);
  EXPECT_EQ(own.wrong_target(), "/Looks/gone");
  const v1::BindingCandidate& collection = response->candidates(2);
  EXPECT_EQ(collection.outcome(), v1::BindingCandidate::OUTCOME_NO_MEMBER);
  EXPECT_EQ(collection.binding().collection(), "/A.collection:c");
  EXPECT_EQ(response->candidates(3).binding().relationship(), "/A.material:binding");
  request.set_path("/Gone");
  EXPECT_EQ(client().ExplainBinding(request).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor::server
