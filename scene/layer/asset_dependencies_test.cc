#include "scene/layer/asset_dependencies.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

Value Asset(std::string path) { return Value(AssetPath{.authored = std::move(path)}); }

Value Assets(std::vector<std::string> paths) {
  std::vector<AssetPath> assets;
  for (std::string& path : paths) assets.push_back({.authored = std::move(path)});
  return Value(Array<AssetPath>::FromVector(std::move(assets)));
}

Value Samples(std::vector<std::pair<double, Value>> samples) {
  return Value::FromSamples(MakeTimeSamples(std::move(samples)));
}

std::shared_ptr<const Layer> LayerOf(Token field, Value value) {
  LayerBuilder builder;
  builder.Set(builder.EnsurePrim(P("/A")), field, std::move(value));
  return std::move(builder).Build({});
}

std::string NameOf(DependencyType use) {
  static const char* const kNames[] = {"sublayer", "reference", "payload",
                                       "clip",     "template",  "value"};
  return kNames[static_cast<size_t>(use)];
}

// The uses in a field of a prim, such as "value:a.png clip:b.usd ".
std::string UsesOf(Token field, Value value, DependencyScope scope = DependencyScope::kNamed) {
  std::string uses;
  VisitDependencies(
      *LayerOf(field, std::move(value)), scope,
      [&](DependencyType use, const std::string& path) { uses += NameOf(use) + ":" + path + " "; });
  return uses;
}

// The field with "new/" before each path.
Value Rewritten(Token field, const Value& value) {
  return ModifyAssetPathsInValue(
      field, value, [](DependencyType, const std::string& path) { return "new/" + path; });
}

TEST(AssetDependenciesTest, SublayersAreVisitedInOrder) {
  const Value value(std::vector<std::string>{"a.usd", "b.usd"});
  EXPECT_EQ(UsesOf(Fields().subLayers, value), "sublayer:a.usd sublayer:b.usd ");
  EXPECT_EQ(Rewritten(Fields().subLayers, value),
            Value(std::vector<std::string>{"new/a.usd", "new/b.usd"}));
}

TEST(AssetDependenciesTest, AllListsOfAListOpAreVisited) {
  ListOp<Reference> references;
  references.explicit_items = {{.asset = "e"}};
  references.prepended = {{.asset = "p", .prim_path = P("/P")}};
  references.appended = {{.asset = "a"}};
  references.deleted = {{.asset = "d"}};
  references.added = {{.asset = "l"}};
  references.ordered = {{.asset = "o"}};
  EXPECT_EQ(UsesOf(Fields().references, Value(references)),
            "reference:e reference:p reference:a reference:d reference:l reference:o ");
  EXPECT_EQ(UsesOf(Fields().references, Value(references), DependencyScope::kUsed),
            "reference:e reference:p reference:a reference:l ");
  const Value rewritten = Rewritten(Fields().references, Value(references));
  ASSERT_TRUE(rewritten.Is<ListOp<Reference>>());
  EXPECT_EQ(rewritten.Get<ListOp<Reference>>()->prepended[0],
            (Reference{.asset = "new/p", .prim_path = P("/P")}));
  EXPECT_EQ(rewritten.Get<ListOp<Reference>>()->deleted[0].asset, "new/d");
}

TEST(AssetDependenciesTest, TheIdentifierOfAPrimIsNotVisited) {
  Dictionary nested;
  nested.Set("identifier", Asset("nested"));
  Dictionary info;
  info.Set("identifier", Asset("i"));
  info.Set("nested", Value(std::move(nested)));
  info.Set("payloadAssetDependencies", Asset("p"));
  EXPECT_EQ(UsesOf(Fields().assetInfo, Value(info)), "value:nested value:p ");
  EXPECT_EQ(UsesOf(Fields().customData, Value(info)), "value:i value:nested value:p ");
}

TEST(AssetDependenciesTest, InternalArcsAreNotVisited) {
  const auto payloads = ListOp<Payload>::Explicit({{.prim_path = P("/P")}, {.asset = "a"}});
  EXPECT_EQ(UsesOf(Fields().payload, Value(payloads)), "payload:a ");
  EXPECT_EQ(Rewritten(Fields().payload, Value(payloads)),
            Value(ListOp<Payload>::Explicit({{.prim_path = P("/P")}, {.asset = "new/a"}})));
}

TEST(AssetDependenciesTest, ClipsAndTemplatesOfClipSetsAreVisited) {
  const auto sets_below = [](const std::string& folder) {
    Dictionary set;
    set.Set("assetPaths", Assets({folder + "1.usd", folder + "2.usd"}));
    set.Set("manifestAssetPath", Asset(folder + "m.usd"));
    set.Set("primPath", Value(std::string("/not/an/asset")));
    set.Set("templateAssetPath", Value(std::string(folder + "c.###.usd")));
    Dictionary sets;
    sets.Set("default", Value(set));
    sets.Set("odd", Value(1));
    return Value(sets);
  };
  EXPECT_EQ(UsesOf(Fields().clips, sets_below("")),
            "clip:1.usd clip:2.usd clip:m.usd template:c.###.usd ");
  EXPECT_EQ(Rewritten(Fields().clips, sets_below("")), sets_below("new/"));
}

TEST(AssetDependenciesTest, ASingleTemplateIsRewritten) {
  Dictionary set;
  set.Set("templateAssetPath", Value(std::string("c.#.usd")));
  Dictionary sets;
  sets.Set("s", Value(set));
  const Value rewritten = Rewritten(Fields().clips, Value(sets));
  ASSERT_TRUE(rewritten.Is<Dictionary>());
  EXPECT_EQ(*rewritten.Get<Dictionary>()->FindByKeyPath("s:templateAssetPath"),
            Value(std::string("new/c.#.usd")));
}

TEST(AssetDependenciesTest, ValuesAreVisitedAtAnyDepth) {
  EXPECT_EQ(UsesOf(Fields().default_, Asset("a.png")), "value:a.png ");
  EXPECT_EQ(UsesOf(Fields().default_, Asset("")), "");
  EXPECT_EQ(UsesOf(Fields().default_, Assets({"a", "", "b"})), "value:a value:b ");
  EXPECT_EQ(UsesOf(Fields().default_, Value(std::string("a.png"))), "")
      << "a string is not an asset";
  EXPECT_EQ(Rewritten(Fields().default_, Assets({"a", ""})), Assets({"new/a", ""}));
  Dictionary inner, outer;
  inner.Set("icon", Asset("i.png"));
  outer.Set("deep", Value(inner));
  outer.Set("number", Value(1));
  EXPECT_EQ(UsesOf(Fields().customData, Value(outer)), "value:i.png ");
  const Value rewritten = Rewritten(Fields().customData, Value(outer));
  ASSERT_TRUE(rewritten.Is<Dictionary>());
  EXPECT_EQ(*rewritten.Get<Dictionary>()->FindByKeyPath("deep:icon"), Asset("new/i.png"));
  EXPECT_EQ(*rewritten.Get<Dictionary>()->Find("number"), Value(1));
}

TEST(AssetDependenciesTest, SamplesAreVisitedAlsoAfterABlock) {
  const Value samples = Samples({{1, Value(ValueBlock())}, {2, Asset("a")}, {3, Asset("b")}});
  EXPECT_EQ(UsesOf(Fields().timeSamples, samples), "value:a value:b ");
  EXPECT_EQ(Rewritten(Fields().timeSamples, samples),
            Samples({{1, Value(ValueBlock())}, {2, Asset("new/a")}, {3, Asset("new/b")}}));
  EXPECT_EQ(UsesOf(Fields().timeSamples, Samples({{1, Value(ValueBlock())}})), "");
  EXPECT_EQ(UsesOf(Fields().timeSamples, Samples({})), "");
}

// If the first sample that is not a block has another type, no further sample is decoded.
TEST(AssetDependenciesTest, SamplesOfOtherTypesAreNotVisited) {
  EXPECT_EQ(UsesOf(Fields().timeSamples, Samples({{1, Value(2.0)}, {2, Asset("a")}})), "");
}

TEST(AssetDependenciesTest, FieldsOfTheWrongTypeAreIgnored) {
  EXPECT_EQ(UsesOf(Fields().subLayers, Asset("a.usd")), "");
  EXPECT_EQ(UsesOf(Fields().clips, Asset("a.usd")), "");
  EXPECT_EQ(Rewritten(Fields().subLayers, Asset("a.usd")), Asset("a.usd"));
  Dictionary set, sets;
  set.Set("templateAssetPath", Asset("t.usd"));
  sets.Set("s", Value(set));
  EXPECT_EQ(UsesOf(Fields().clips, Value(sets)), "clip:t.usd ") << "an asset, not a pattern";
}

// Unchanged values are not copied, so their resolved paths are kept.
TEST(AssetDependenciesTest, UnchangedValuesAreKept) {
  const AssetPath resolved{.authored = "a", .evaluated = "e", .resolved = "/r"};
  const Value path(resolved);
  const Value paths(Array<AssetPath>::FromVector({resolved, {.authored = "b"}}));
  Dictionary dictionary;
  dictionary.Set("in", path);
  const Value samples = Samples({{1, path}, {2, Asset("b")}});
  const auto keep = [](DependencyType, const std::string& name) { return name; };
  const auto kept = [&](const Value& value) {
    return ModifyAssetPathsInValue(Fields().default_, value, keep);
  };
  EXPECT_EQ(kept(path).Get<AssetPath>()->resolved, "/r");
  EXPECT_EQ((*kept(paths).Get<Array<AssetPath>>())[0].resolved, "/r");
  EXPECT_EQ(kept(Value(dictionary)).Get<Dictionary>()->Find("in")->Get<AssetPath>()->resolved,
            "/r");
  EXPECT_EQ(kept(samples).samples(), samples.samples());
  const auto rename_b = [](DependencyType, const std::string& name) {
    return name == "b" ? "c" : name;
  };
  const Value renamed = ModifyAssetPathsInValue(Fields().timeSamples, samples, rename_b);
  EXPECT_EQ(renamed.samples()->At(0).Get<AssetPath>()->resolved, "/r");
  EXPECT_EQ(renamed.samples()->At(1), Asset("c"));
  Dictionary set, sets;
  set.Set("manifestAssetPath", path);
  sets.Set("s", Value(set));
  const Value clips = ModifyAssetPathsInValue(Fields().clips, Value(sets), keep);
  EXPECT_EQ(
      clips.Get<Dictionary>()->FindByKeyPath("s:manifestAssetPath")->Get<AssetPath>()->resolved,
      "/r");
}

TEST(AssetDependenciesTest, RewritingALayerKeepsEverythingElse) {
  LayerBuilder builder;
  builder.Set(kRootSpec, Fields().subLayers, Value(std::vector<std::string>{"a.usd"}));
  const SpecId x = builder.EnsureProperty(P("/A{v=s}B.x"), SpecType::kAttribute);
  builder.Set(x, Fields().default_, Asset("t.png"));
  builder.Set(x, Fields().typeName, Value(Token("asset")));
  const auto before = std::move(builder).Build({});
  const auto layer = ModifyAssetPaths(*before, [](DependencyType use, const std::string& path) {
                       return use == DependencyType::kValue ? "new/" + path : path;
                     }).Build({});
  const SpecId spec = layer->tree().Find(P("/A{v=s}B.x"));
  ASSERT_NE(spec, kNoSpec);
  EXPECT_EQ(layer->Get(spec, Fields().default_), Asset("new/t.png"));
  EXPECT_EQ(layer->Get(spec, Fields().typeName), Value(Token("asset")));
  EXPECT_EQ(layer->Get(kRootSpec, Fields().subLayers), Value(std::vector<std::string>{"a.usd"}));
}

}  // namespace
}  // namespace stagedoor
