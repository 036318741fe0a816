#include "server/converters/layer_converter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scene/layer/layer.h"
#include "scene/testing/test_scene.h"
#include "server/converters/reply_budget.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class LayerConverterTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Layer> Open(std::string_view text) {
    scene_.Write("a.usda", text);
    auto layer = scene_.layers().Open(scene_.context(), {}, "/a.usda", nullptr);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }
  // All specs, in the order of the traversal.
  std::vector<v1::Spec> Specs(const Layer& layer, const LayerTraversalOptions& options = {}) {
    std::vector<v1::Spec> specs;
    for (SpecTraversal walk(layer); !walk.done();) {
      FillSpec(layer, walk.Next(), options, budget_, &specs.emplace_back());
    }
    EXPECT_TRUE(budget_.ok()) << budget_.status();
    return specs;
  }
  // The names of the fields, sorted.
  static Strings Names(const google::protobuf::RepeatedPtrField<v1::Field>& fields) {
    Strings names;
    for (const v1::Field& field : fields) names.push_back(field.name());
    std::sort(names.begin(), names.end());
    return names;
  }

  TestScene scene_;
  ReplyBudget budget_{scene_.context(), 1 << 20, "ask for less"};
};

TEST_F(LayerConverterTest, WalksPropertiesThenVariantsByNameThenPrims) {
  const auto layer = Open(R"(
def "A" (
    prepend variantSets = ["z", "y"]
) {
    rel second
    double first
    def "Z" { double inner; }
    def "B" {}
    variantSet "z" = {
        "two" { double inside; }
        "one" {}
    }
    variantSet "y" = {
        "only" {}
    }
}
class "C" {}
)");
  Strings specs;
  for (const v1::Spec& spec : Specs(*layer)) {
    specs.push_back(Concat(v1::Spec::Type_Name(spec.type()).substr(5), " ", spec.path()));
  }
  EXPECT_EQ(specs, (Strings{"PRIM /A", "RELATIONSHIP /A.second", "ATTRIBUTE /A.first",
                            "VARIANT_SET /A{y=}", "VARIANT /A{y=only}", "VARIANT_SET /A{z=}",
                            "VARIANT /A{z=one}", "VARIANT /A{z=two}", "ATTRIBUTE /A{z=two}.inside",
                            "PRIM /A/Z", "ATTRIBUTE /A/Z.inner", "PRIM /A/B", "PRIM /C"}));
}

TEST_F(LayerConverterTest, HeaderHasTheLayersMetadata) {
  const auto layer = Open("(\n    \"about it\"\n    startTimeCode = 3\n)\ndef \"A\" {}\n");
  v1::LayerHeader header;
  FillLayerHeader(*layer, budget_, &header);
  EXPECT_EQ(header.identifier(), "/a.usda");
  EXPECT_EQ(header.format(), v1::LAYER_FORMAT_USDA);
  ASSERT_EQ(Names(header.fields()), (Strings{"comment", "startTimeCode"}));
  EXPECT_EQ(header.fields(1).value().double_value(), 3);
}

TEST_F(LayerConverterTest, OmitsDefaultsTimeSamplesAndSplinesOnRequest) {
  const auto layer = Open(R"(
def "A" {
    double x = 1
    double x.timeSamples = { 1: 2 }
    double x.spline = { 1: 2 }
}
)");
  EXPECT_EQ(Names(Specs(*layer)[1].fields()),
            (Strings{"custom", "default", "spline", "timeSamples", "typeName", "variability"}));
  LayerTraversalOptions options;
  options.without_values = true;
  EXPECT_EQ(Names(Specs(*layer, options)[1].fields()),
            (Strings{"custom", "typeName", "variability"}));
}

TEST_F(LayerConverterTest, AVariantHasNoSpecifier) {
  const auto layer = Open(R"(
def "A" (
    variantSets = "v"
) {
    variantSet "v" = {
        "x" ( kind = "group" ) {}
    }
}
)");
  int variants = 0, prims = 0;
  for (const v1::Spec& spec : Specs(*layer)) {
    const Strings names = Names(spec.fields());
    if (spec.type() == v1::Spec::TYPE_VARIANT) {
      EXPECT_EQ(names, Strings{"kind"});
      ++variants;
    }
    if (spec.type() == v1::Spec::TYPE_PRIM) {
      EXPECT_EQ(names, (Strings{"specifier", "variantSetNames"}));
      ++prims;
    }
  }
  EXPECT_EQ(variants, 1);
  EXPECT_EQ(prims, 1);
}

TEST_F(LayerConverterTest, FieldsAreChargedWithNameAndValue) {
  const auto layer = Open("def \"A\" {}\n");
  SpecTraversal walk(*layer);
  v1::Spec spec;
  const size_t before = budget_.message_bytes();
  FillSpec(*layer, walk.Next(), {}, budget_, &spec);
  EXPECT_TRUE(walk.done());
  ASSERT_EQ(Names(spec.fields()), Strings{"specifier"});
  EXPECT_EQ(budget_.message_bytes() - before,
            2 + sizeof(v1::Field) + sizeof(void*) + 9 + sizeof(v1::Value));
}

TEST_F(LayerConverterTest, StopsWhenTheBudgetIsUsedUp) {
  const auto layer = Open("def \"A\" { string s = \"" + std::string(5000, 'x') + "\"; }\n");
  ReplyBudget small(scene_.context(), 2000, "ask for less");
  SpecTraversal walk(*layer);
  walk.Next();
  v1::Spec spec;
  FillSpec(*layer, walk.Next(), {}, small, &spec);
  EXPECT_FALSE(small.ok());
  EXPECT_EQ(spec.path(), "/A.s");
  EXPECT_LT(spec.ByteSizeLong(), 2000u);
}

}  // namespace
}  // namespace stagedoor::server
