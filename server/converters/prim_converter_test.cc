#include "server/converters/prim_converter.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scene/testing/test_scene.h"
#include "server/error_info.h"
#include "server/testing/packed_values.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

Strings ListOf(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

class PrimConverterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("weak.usda", "def \"P\" { double x = 7; }\n");
    scene_.Write("a.usda", R"((
    subLayers = [@./weak.usda@ (offset = 10)]
)
def Cube "P" (
    apiSchemas = ["CollectionAPI:c"]
    customData = { string by = "us" }
    kind = "component"
    variants = { string look = "red" }
    variantSets = "look"
)
{
    double x.timeSamples = { 1: 10, 3: 30 }
    custom double steady = 4 (
        hidden = true
    )
    uniform token one = "a"
    double none = None
    double pipe.connect = </P.x>
    rel to = [</P/Child>, </P.via>]
    rel via = </Else>
    def "Child" {}
    over "Ghost" {}
    variantSet "look" = {
        "red" {}
        "blue" {}
    }
}
def "Else" {}
)");
    stage_ = scene_.Open("a.usda");
    ASSERT_NE(stage_, nullptr);
  }

  static PrimMask MaskOf(const Strings& paths) {
    google::protobuf::FieldMask mask;
    for (const std::string& path : paths) mask.add_paths(path);
    return ParsePrimMask(mask, {}).value();
  }
  v1::Prim Sent(const Strings& mask, std::vector<TimeCode> times = {}) {
    PrimView view;
    view.mask = MaskOf(mask);
    view.times = std::move(times);
    v1::Prim prim;
    FillPrim(stage_->FindPrim("/P"), view, budget_, &prim);
    EXPECT_TRUE(budget_.ok()) << budget_.status();
    return prim;
  }
  // The property with those of its fields that are in `fields`.
  v1::Property Property(const std::string& name, const Strings& fields,
                        std::vector<TimeCode> times = {}) {
    Strings mask = {"properties"};
    for (const std::string& field : fields) mask.push_back("properties." + field);
    const v1::Prim prim = Sent(mask, std::move(times));
    for (const v1::Property& property : prim.properties()) {
      if (property.name() == name) return property;
    }
    ADD_FAILURE() << "cannot find " << name;
    return {};
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  ReplyBudget budget_{scene_.context(), 1 << 20, "ask for less"};
};

TEST_F(PrimConverterTest, FillsOnlyTheRequestedFields) {
  v1::Prim path_only;
  path_only.set_path("/P");
  EXPECT_EQ(Sent({}).DebugString(), path_only.DebugString());
  EXPECT_EQ(Sent({"path"}).DebugString(), path_only.DebugString());
  EXPECT_EQ(Sent({"type_name"}).type_name(), "Cube");
  EXPECT_EQ(Sent({"kind"}).kind(), "component");
  EXPECT_EQ(ListOf(Sent({"api_schemas"}).api_schemas()), Strings{"CollectionAPI:c"});
  EXPECT_EQ(ListOf(Sent({"schema_ancestors"}).schema_ancestors()),
            (Strings{"Cube", "Gprim", "Boundable", "Xformable", "Imageable", "Typed"}));
  EXPECT_EQ(ListOf(Sent({"children"}).children()), (Strings{"Child", "Ghost"}));
}

// Removes the fields of `message` whose number is not in `fields`.
void KeepFields(uint32_t fields, google::protobuf::Message* message) {
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = message->GetDescriptor()->field(i);
    if ((fields & FieldSet({field->number()})) == 0) {
      message->GetReflection()->ClearField(message, field);
    }
  }
}

TEST_F(PrimConverterTest, EveryPathFillsItsFieldsAsIfAllWereRequested) {
  using P = v1::Prim;
  using Q = v1::Property;
  constexpr uint32_t kAlways =
      FieldSet({Q::kNameFieldNumber, Q::kKindFieldNumber, Q::kTypeNameFieldNumber,
                Q::kVariabilityFieldNumber, Q::kCustomFieldNumber, Q::kAuthoredFieldNumber});
  const std::vector<TimeCode> times = {TimeCode::At(1), TimeCode::At(3)};
  const v1::Prim all = Sent({"*"}, times);
  for (const std::string& path : PrimMaskPaths()) {
    const PrimMask mask = MaskOf({path});
    v1::Prim expected = all;
    KeepFields(mask.prim | FieldSet({P::kPathFieldNumber}), &expected);
    for (v1::Property& property : *expected.mutable_properties()) {
      KeepFields(mask.property | kAlways, &property);
    }
    EXPECT_EQ(Sent({path}, times).DebugString(), expected.DebugString()) << path;
  }
}

TEST_F(PrimConverterTest, VariantSetsHaveChoicesAndSelection) {
  const v1::Prim prim = Sent({"variant_sets"});
  ASSERT_EQ(prim.variant_sets_size(), 1);
  EXPECT_EQ(prim.variant_sets(0).name(), "look");
  EXPECT_EQ(prim.variant_sets(0).selection(), "red");
  EXPECT_EQ(ListOf(prim.variant_sets(0).choices()), (Strings{"blue", "red"}));
}

TEST_F(PrimConverterTest, MetadataOmitsFieldsOfTheMessage) {
  const v1::Prim prim = Sent({"metadata", "properties.metadata"});
  ASSERT_EQ(prim.metadata_size(), 1);
  EXPECT_EQ(prim.metadata(0).name(), "customData");
  for (const v1::Property& property : prim.properties()) {
    if (property.name() != "steady") continue;
    ASSERT_EQ(property.metadata_size(), 1);
    EXPECT_EQ(property.metadata(0).name(), "hidden");
  }
}

TEST_F(PrimConverterTest, PropertiesHaveKindTypeAndFlags) {
  const v1::Property steady = Property("steady", {});
  EXPECT_EQ(steady.kind(), v1::Property::KIND_ATTRIBUTE);
  EXPECT_EQ(steady.type_name(), "double");
  EXPECT_TRUE(steady.custom());
  EXPECT_TRUE(steady.authored());
  EXPECT_EQ(steady.variability(), v1::VARIABILITY_UNSPECIFIED);
  EXPECT_EQ(steady.source(), v1::VALUE_SOURCE_UNSPECIFIED) << "not requested";
  EXPECT_EQ(Property("one", {}).variability(), v1::VARIABILITY_UNIFORM);
  EXPECT_FALSE(Property("size", {}).authored());
  EXPECT_FALSE(Property("size", {}).custom());
  EXPECT_EQ(Property("to", {}).kind(), v1::Property::KIND_RELATIONSHIP);
  EXPECT_EQ(Property("to", {}).targets_size(), 0) << "not requested";
}

TEST_F(PrimConverterTest, EqualValuesAreSentOnce) {
  const std::vector<TimeCode> times = {TimeCode::At(1), TimeCode::At(3), TimeCode::At(3)};
  const v1::Property steady = Property("steady", {"source", "values"}, times);
  EXPECT_EQ(steady.source(), v1::VALUE_SOURCE_DEFAULT);
  EXPECT_EQ(steady.uniform_value().double_value(), 4);
  EXPECT_EQ(steady.values_size(), 0);
  const v1::Property x = Property("x", {"source", "values"}, times);
  EXPECT_EQ(x.source(), v1::VALUE_SOURCE_TIME_SAMPLES);
  EXPECT_FALSE(x.has_uniform_value());
  ASSERT_EQ(x.values_size(), 3);
  EXPECT_EQ(x.values(0).double_value(), 10);
  EXPECT_EQ(x.values(1).double_value(), 30);
  EXPECT_EQ(x.values(2).double_value(), 30);
  const v1::Property late =
      Property("x", {"values"}, {TimeCode::At(3), TimeCode::At(4), TimeCode::At(1)});
  ASSERT_EQ(late.values_size(), 3);
  EXPECT_EQ(late.values(1).double_value(), 30);
  EXPECT_EQ(late.values(2).double_value(), 10);
  EXPECT_TRUE(Property("none", {"blocked"}).blocked());
  EXPECT_FALSE(steady.blocked());
}

TEST_F(PrimConverterTest, StatesTellBlockedFromMissingValues) {
  scene_.Write("b.usda", R"(
def Sphere "P" {
    double x.timeSamples = { 1: 10, 3: None, 5: 10 }
    double x = 7
    double blocked = None
    double missing
    double steady = 4
    string[] many = ["a"]
}
)");
  stage_ = scene_.Open("b.usda");
  ASSERT_NE(stage_, nullptr);
  const std::vector<TimeCode> times = {TimeCode::At(1), TimeCode::At(3), TimeCode::At(5),
                                       TimeCode::Default()};
  const auto states = [&](const v1::Property& property) {
    std::string text;
    for (const int state : property.value_states()) {
      text += v1::ItemState_Name(static_cast<v1::ItemState>(state)).substr(11) + " ";
    }
    return text;
  };
  const v1::Property x = Property("x", {"values"}, times);
  ASSERT_EQ(x.values_size(), 4);
  EXPECT_EQ(states(x), "VALUE BLOCKED VALUE VALUE ");
  EXPECT_EQ(x.values(1).kind_case(), v1::Value::KIND_NOT_SET);
  EXPECT_EQ(x.values(3).double_value(), 7);
  for (const auto& [name, expected] : {std::pair("blocked", "BLOCKED "), {"missing", "NONE "}}) {
    const v1::Property property = Property(name, {"values"}, times);
    EXPECT_EQ(states(property), expected) << name;
    EXPECT_TRUE(property.has_uniform_value()) << name;
    EXPECT_EQ(property.uniform_value().kind_case(), v1::Value::KIND_NOT_SET) << name;
    EXPECT_EQ(property.values_size(), 0) << name;
  }
  EXPECT_EQ(states(Property("steady", {"values"}, times)), "") << "all are VALUE";
  EXPECT_EQ(states(Property("x", {"values"}, {TimeCode::At(1), TimeCode::Default()})), "");
  EXPECT_EQ(states(Property("x", {"values"}, {TimeCode::At(3), TimeCode::At(1)})),
            "BLOCKED VALUE ");
}

TEST_F(PrimConverterTest, ResolvesTheDefaultTimeSeparately) {
  const v1::Property x =
      Property("x", {"values"}, {TimeCode::At(1), TimeCode::Default(), TimeCode::At(3)});
  ASSERT_EQ(x.values_size(), 3);
  EXPECT_EQ(x.values(0).double_value(), 10);
  EXPECT_EQ(x.values(1).double_value(), 7) << "the value of the sublayer";
  EXPECT_EQ(x.values(2).double_value(), 30);
}

TEST_F(PrimConverterTest, TimeSamplesAreFilledOnRequest) {
  const v1::Property x = Property("x", {"time_samples", "might_be_time_varying"});
  EXPECT_EQ(Unpack<double>(x.time_samples()), (std::vector<double>{1, 3}));
  EXPECT_TRUE(x.might_be_time_varying());
  EXPECT_EQ(x.source(), v1::VALUE_SOURCE_UNSPECIFIED);
  EXPECT_FALSE(Property("steady", {"might_be_time_varying"}).might_be_time_varying());
}

TEST_F(PrimConverterTest, FillsTargetsAndForwardedTargets) {
  const v1::Property to = Property("to", {"targets", "forwarded_targets"});
  EXPECT_EQ(ListOf(to.targets()), (Strings{"/P/Child", "/P.via"}));
  EXPECT_EQ(ListOf(to.forwarded_targets()), (Strings{"/P/Child", "/Else"}));
  EXPECT_EQ(ListOf(Property("pipe", {"connections"}).connections()), Strings{"/P.x"});
}

TEST_F(PrimConverterTest, StacksAreStrongestFirstWithTheirOffsets) {
  const v1::Prim prim = Sent({"prim_stack"});
  ASSERT_EQ(prim.prim_stack_size(), 3);
  EXPECT_EQ(prim.prim_stack(0).layer(), "/a.usda");
  EXPECT_EQ(prim.prim_stack(0).path(), "/P");
  EXPECT_EQ(prim.prim_stack(0).arc(), "root");
  EXPECT_FALSE(prim.prim_stack(0).has_layer_offset());
  EXPECT_EQ(prim.prim_stack(1).layer(), "/weak.usda");
  EXPECT_EQ(prim.prim_stack(1).layer_offset().offset(), 10);
  EXPECT_EQ(prim.prim_stack(2).path(), "/P{look=red}");
  EXPECT_EQ(prim.prim_stack(2).arc(), "variant");
  const v1::Property x = Property("x", {"stacks"}, {TimeCode::At(1), TimeCode::At(2)});
  ASSERT_EQ(x.stacks_size(), 1) << "the same at all times without clips";
  ASSERT_EQ(x.stacks(0).sites_size(), 2);
  EXPECT_EQ(x.stacks(0).sites(0).path(), "/P.x");
  EXPECT_EQ(x.stacks(0).sites(1).layer_offset().offset(), 10);
}

// The arcs of a prim, one a line: the number of the parent, type, layer, path, specs and flags.
std::string TextOf(const v1::Prim& prim) {
  std::string text;
  for (const v1::CompositionArc& arc : prim.arcs()) {
    text += Concat(arc.parent(), " ", arc.type(), " ", arc.layer(), " ", arc.path(), " ",
                   arc.spec_count(), arc.implied() ? " implied" : "",
                   arc.ancestral() ? " ancestral" : "", "\n");
  }
  return text;
}

TEST_F(PrimConverterTest, ArcsAreATreeInStrengthOrder) {
  scene_.Write("base.usda", R"(
class "Class" {}
def "Base" (
    inherits = </Class>
)
{
    def "Child" {}
}
)");
  scene_.Write("b.usda", R"(
class "Class" {}
def "P" (
    references = @./base.usda@</Base>
)
{
}
def "Strong" (
    references = </P>
)
{
    over "Child" {}
}
)");
  stage_ = scene_.Open("b.usda");
  ASSERT_NE(stage_, nullptr);
  EXPECT_EQ(TextOf(Sent({"arcs"})),
            "0 root /b.usda /P 1\n"
            "0 inherit /b.usda /Class 1 implied\n"
            "0 reference /base.usda /Base 1\n"
            "2 inherit /base.usda /Class 1\n");
  PrimView view;
  view.mask = MaskOf({"arcs"});
  v1::Prim child, strong;
  FillPrim(stage_->FindPrim("/P/Child"), view, budget_, &child);
  ASSERT_GT(child.arcs_size(), 0);
  EXPECT_EQ(child.arcs(child.arcs_size() - 1).path(), "/Base/Child");
  EXPECT_TRUE(child.arcs(child.arcs_size() - 1).ancestral());
  FillPrim(stage_->FindPrim("/Strong/Child"), view, budget_, &strong);
  EXPECT_EQ(TextOf(strong),
            "0 root /b.usda /Strong/Child 1\n"
            "0 reference /b.usda /P/Child 0 ancestral\n"
            "1 reference /base.usda /Base/Child 1 ancestral\n");
}

TEST_F(PrimConverterTest, OmitsDocumentationOfSchemas) {
  scene_.Write("b.usda", R"(
def Cube "P" (
    doc = "our own"
)
{
    double size = 3 (
        doc = "ours, too"
    )
}
)");
  stage_ = scene_.Open("b.usda");
  ASSERT_NE(stage_, nullptr);
  const v1::Prim prim = Sent({"metadata"});
  ASSERT_EQ(prim.metadata_size(), 1);
  EXPECT_EQ(prim.metadata(0).name(), "documentation");
  EXPECT_EQ(prim.metadata(0).value().string_value(), "our own");
  const v1::Property size = Property("size", {"metadata"});
  ASSERT_EQ(size.metadata_size(), 1);
  EXPECT_EQ(size.metadata(0).name(), "documentation");
  EXPECT_EQ(size.metadata(0).value().string_value(), "ours, too");
  const v1::Property extent = Property("extent", {"metadata"});
  for (const v1::Field& field : extent.metadata()) {
    EXPECT_NE(field.name(), "documentation");
  }
}

TEST_F(PrimConverterTest, ClipsMakeStacksDependOnTime) {
  scene_.Write("clip.usda", "def \"C\" { double x.timeSamples = { 1: 10 }; }\n");
  scene_.Write("b.usda", R"(
def "P" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./clip.usda@]
        double2[] active = [(0, 0)]
        string primPath = "/C"
    } }
)
{
    double x
    rel r
}
)");
  stage_ = scene_.Open("b.usda");
  ASSERT_NE(stage_, nullptr);
  const std::vector<TimeCode> times = {TimeCode::At(1), TimeCode::Default()};
  const v1::Property x = Property("x", {"stacks", "source"}, times);
  EXPECT_EQ(x.source(), v1::VALUE_SOURCE_VALUE_CLIPS);
  ASSERT_EQ(x.stacks_size(), 2);
  ASSERT_EQ(x.stacks(0).sites_size(), 2);
  EXPECT_EQ(x.stacks(0).sites(1).arc(), "clip");
  EXPECT_EQ(x.stacks(0).sites(1).layer(), "/clip.usda");
  EXPECT_EQ(x.stacks(0).sites(1).path(), "/C.x");
  EXPECT_EQ(x.stacks(1).sites_size(), 1);
  EXPECT_EQ(Property("r", {"stacks"}, times).stacks_size(), 1);
}

TEST_F(PrimConverterTest, FilledFieldsAreCharged) {
  const auto charged = [&](const Strings& mask, std::vector<TimeCode> times = {}) {
    ReplyBudget budget(scene_.context(), 1 << 20, "ask for less");
    PrimView view;
    view.mask = MaskOf(mask);
    view.times = std::move(times);
    v1::Prim prim;
    FillPrim(stage_->FindPrim("/P"), view, budget, &prim);
    return budget.message_bytes();
  };
  const size_t bare = sizeof(v1::Prim) + 2;
  EXPECT_EQ(charged({}), bare);
  const size_t string = sizeof(std::string) + sizeof(void*);
  EXPECT_EQ(charged({"children"}), bare + 2 * string + 10);
  EXPECT_EQ(charged({"variant_sets"}),
            bare + sizeof(v1::VariantSet) + sizeof(void*) + 4 + 3 + 2 * string + 7);
  const size_t properties = charged({"properties"});
  EXPECT_EQ(charged({"properties.time_samples"}),
            properties + sizeof(v1::PackedValues) + 2 * sizeof(double));
  EXPECT_EQ(charged({"prim_stack"}), bare + 3 * (sizeof(v1::Site) + sizeof(void*)) +
                                         sizeof(v1::LayerOffset) + 2 * 7 + 10 + 2 * 2 + 12 + 2 * 4 +
                                         7);
  EXPECT_EQ(charged({"arcs"}),
            bare + 2 * (sizeof(v1::CompositionArc) + sizeof(void*)) + 2 * 7 + 2 + 12 + 4 + 7);
}

TEST_F(PrimConverterTest, StopsWhenTheBudgetIsUsedUp) {
  PrimView view;
  view.mask = MaskOf({"*"});
  view.times = {TimeCode::At(1)};
  ReplyBudget small(scene_.context(), 500, "ask for less");
  v1::Prim prim;
  FillPrim(stage_->FindPrim("/P"), view, small, &prim);
  EXPECT_FALSE(small.ok());
  EXPECT_EQ(GetReason(small.status()), v1::ERROR_REASON_REQUEST_TOO_LARGE);
}

class ParsePredicateTest : public PrimConverterTest {
 protected:
  // The children of /P that pass the predicate.
  Strings Children(const v1::PrimPredicate& message, v1::PrimPredicate::Preset preset) {
    const auto predicate = ParsePredicate(message, preset);
    EXPECT_TRUE(predicate.ok()) << predicate.status();
    Strings names;
    if (!predicate.ok()) return names;
    for (const Prim& child : stage_->FindPrim("/P").Children(*predicate)) {
      names.emplace_back(child.name().text());
    }
    return names;
  }
};

TEST_F(ParsePredicateTest, PresetDefaultsToTheCallers) {
  v1::PrimPredicate message;
  EXPECT_EQ(Children(message, v1::PrimPredicate::PRESET_ALL), (Strings{"Child", "Ghost"}));
  EXPECT_EQ(Children(message, v1::PrimPredicate::PRESET_DEFAULT), Strings{"Child"});
  message.set_preset(v1::PrimPredicate::PRESET_ALL);
  EXPECT_EQ(Children(message, v1::PrimPredicate::PRESET_DEFAULT), (Strings{"Child", "Ghost"}));
  EXPECT_FALSE(ParsePredicate(message, v1::PrimPredicate::PRESET_ALL)->instance_proxies);
  message.set_instance_proxies(true);
  EXPECT_TRUE(ParsePredicate(message, v1::PrimPredicate::PRESET_ALL)->instance_proxies);
}

TEST_F(ParsePredicateTest, FlagsAreRequiredOrExcluded) {
  v1::PrimPredicate message;
  message.set_preset(v1::PrimPredicate::PRESET_ALL);
  message.add_required_flags(v1::PRIM_FLAG_DEFINED);
  EXPECT_EQ(Children(message, v1::PrimPredicate::PRESET_ALL), Strings{"Child"});
  message.clear_required_flags();
  message.add_excluded_flags(v1::PRIM_FLAG_DEFINED);
  EXPECT_EQ(Children(message, v1::PrimPredicate::PRESET_ALL), Strings{"Ghost"});
}

TEST_F(ParsePredicateTest, RejectsUnknownFlags) {
  for (const int flag : {0, 8, -1}) {
    v1::PrimPredicate required, excluded;
    required.add_required_flags(static_cast<v1::PrimFlag>(flag));
    excluded.add_excluded_flags(static_cast<v1::PrimFlag>(flag));
    for (const v1::PrimPredicate& message : {required, excluded}) {
      EXPECT_EQ(GetReason(ParsePredicate(message, v1::PrimPredicate::PRESET_ALL).status()),
                v1::ERROR_REASON_INVALID_FIELD)
          << flag;
    }
  }
}

}  // namespace
}  // namespace stagedoor::server
