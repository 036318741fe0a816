#include "server/handlers/layer_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/testing/server_test.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

class LayerHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("layer.usda", R"((
    defaultPrim = "A"
)
def Xform "A" (
    prepend references = @elsewhere.usda@
    variantSets = "v"
)
{
    double x = 1
    double x.timeSamples = { 1: 10 }
    rel r = </A/B>
    def "B" {}
    variantSet "v" = {
        "one" {}
    }
}
over "C" {}
)");
  }

  // The whole layer in one message.
  v1::ReadLayerResponse Read(const v1::ReadLayerRequest& request) {
    v1::ReadLayerResponse whole;
    for (const v1::ReadLayerResponse& part : All(&Client::ReadLayer, request)) {
      whole.MergeFrom(part);
    }
    return whole;
  }
  static v1::ReadLayerRequest Ask(const std::string& identifier) {
    v1::ReadLayerRequest request;
    request.set_identifier(identifier);
    return request;
  }
  static Strings FieldNames(const v1::Spec& spec) {
    Strings names;
    for (const v1::Field& field : spec.fields()) names.push_back(field.name());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(LayerHandlersTest, ReadsSpecsDepthFirstWithoutComposition) {
  const v1::ReadLayerResponse layer = Read(Ask("/layer.usda"));
  EXPECT_EQ(layer.layer().identifier(), "/layer.usda");
  EXPECT_EQ(layer.layer().format(), v1::LAYER_FORMAT_USDA);
  ASSERT_EQ(layer.layer().fields_size(), 1);
  EXPECT_EQ(layer.layer().fields(0).name(), "defaultPrim");
  Strings specs;
  for (const v1::Spec& spec : layer.specs()) {
    specs.push_back(Concat(v1::Spec::Type_Name(spec.type()).substr(5), " ", spec.path()));
  }
  EXPECT_EQ(specs, (Strings{"PRIM /A", "ATTRIBUTE /A.x", "RELATIONSHIP /A.r", "VARIANT_SET /A{v=}",
                            "VARIANT /A{v=one}", "PRIM /A/B", "PRIM /C"}));
}

TEST_F(LayerHandlersTest, OmitsValuesOnRequest) {
  v1::ReadLayerRequest request = Ask("/layer.usda");
  EXPECT_EQ(FieldNames(Read(request).specs(1)),
            (Strings{"custom", "default", "timeSamples", "typeName", "variability"}));
  request.set_without_values(true);
  EXPECT_EQ(FieldNames(Read(request).specs(1)), (Strings{"custom", "typeName", "variability"}));
}

TEST_F(LayerHandlersTest, LongLayersComeInSeveralMessages) {
  ServerOptions options;
  options.limits.message_bytes = 1000;
  Start(options);
  std::string prims;
  for (int i = 0; i < 100; ++i) prims += Concat("def \"Prim", i, "\" {}\n");
  Write("long.usda", prims);
  const auto parts = All(&Client::ReadLayer, Ask("/long.usda"));
  EXPECT_GT(parts.size(), 2u);
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].has_layer(), i == 0);
    for (const v1::Spec& spec : parts[i].specs()) {
      EXPECT_EQ(spec.path(), Concat("/Prim", next++));
    }
  }
  EXPECT_EQ(next, 100u);
}

TEST_F(LayerHandlersTest, AnEmptyLayerHasAHeader) {
  Write("empty.usda", "");
  const auto parts = All(&Client::ReadLayer, Ask("/empty.usda"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].layer().identifier(), "/empty.usda");
  EXPECT_EQ(parts[0].specs_size(), 0);
}

TEST_F(LayerHandlersTest, ReportsWhyALayerCannotBeRead) {
  Write("broken.usda", "def \"A\" {\n  double x = ?\n}\n");
  const absl::Status broken = End(&Client::ReadLayer, Ask("/broken.usda"));
  EXPECT_EQ(broken.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(broken), "LAYER_SYNTAX");
  EXPECT_EQ(Message(broken).substr(0, 15), "/broken.usda:3:") << broken;
  const absl::Status missing = End(&Client::ReadLayer, Ask("/missing.usda"));
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(missing), "LAYER_NOT_FOUND");
  const absl::Status unnamed = End(&Client::ReadLayer, Ask(""));
  EXPECT_EQ(unnamed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(unnamed), "INVALID_FIELD");
}

TEST_F(LayerHandlersTest, ReportsASpecThatIsTooLarge) {
  Write("big.usda", Concat("def \"A\" {}\ndef \"Big\" { string s = \"", std::string(5000, 'x'),
                           "\"; }\ndef \"Z\" {}\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  Strings lines;
  const v1::ReadLayerResponse layer = Read(Ask("/big.usda"));
  for (const v1::Spec& spec : layer.specs()) {
    lines.push_back(Concat(spec.path(), " ", spec.error().reason()));
  }
  EXPECT_EQ(lines, (Strings{"/A ", "/Big ", "/Big.s REQUEST_TOO_LARGE", "/Z "}));
}

TEST_F(LayerHandlersTest, AHeaderThatIsTooLargeIsAnError) {
  Write("big.usda", Concat("(doc = \"", std::string(5000, 'x'), "\")\ndef \"A\" {}\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  EXPECT_EQ(ErrorReason(End(&Client::ReadLayer, Ask("/big.usda"))), "REQUEST_TOO_LARGE");
}

}  // namespace
}  // namespace stagedoor
