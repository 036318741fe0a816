#include "scene/schema/schema_registry.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/dictionary_order.h"
#include "scene/schema/prim_definition_cache.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/usda/usda_reader.h"
#include "scene/values/asset_path.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/quat.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kTestData[] = "scene/schema/testdata/";

std::shared_ptr<const SchemaRegistry> Builtin() {
  static const auto& registry = *new auto(SchemaRegistryBuilder().Build());
  return registry;
}

std::shared_ptr<const SchemaRegistry> WithPlugin() {
  SchemaRegistryBuilder builder;
  const absl::Status added = builder.AddPlugins(std::string(kTestData) + "plugin");
  EXPECT_TRUE(added.ok()) << added;
  EXPECT_THAT(builder.problems(), IsEmpty());
  return std::move(builder).Build();
}

std::shared_ptr<const Layer> ReadGolden(const std::string& name) {
  std::ifstream stream(kTestData + name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  auto layer = ReadUsda(text, Layer::Info{.identifier = name, .format = "usda", .anonymous = true});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *layer : nullptr;
}

std::vector<Token> Tokens(const std::vector<std::string>& texts) {
  std::vector<Token> tokens;
  for (const std::string& text : texts) tokens.push_back(Token(text));
  return tokens;
}

std::vector<std::string> AppliedNames(const PrimDefinition& definition) {
  std::vector<std::string> names;
  for (const auto& applied : definition.applied_schemas()) names.push_back(applied.name.str());
  return names;
}

std::string_view KindWord(SchemaKind kind) {
  switch (kind) {
    case SchemaKind::kAbstractBase:
      return "AbstractBase";
    case SchemaKind::kAbstractTyped:
      return "AbstractTyped";
    case SchemaKind::kConcreteTyped:
      return "ConcreteTyped";
    case SchemaKind::kNonAppliedApi:
      return "NonAppliedAPI";
    case SchemaKind::kSingleApplyApi:
      return "SingleApplyAPI";
    case SchemaKind::kMultipleApplyApi:
      return "MultipleApplyAPI";
  }
  return "";
}

// The properties of a schema that OpenUSD recorded in the customData of its class.
struct About {
  explicit About(const Dictionary& dictionary) : dictionary_(dictionary) {}
  std::string Text(const char* key) const {
    const Value* value = dictionary_.Find(key);
    const std::string* text = value ? value->Get<std::string>() : nullptr;
    return text ? *text : "";
  }
  std::vector<Token> List(const char* key) const {
    const Value* value = dictionary_.Find(key);
    const Array<Token>* list = value ? value->Get<Array<Token>>() : nullptr;
    return list ? std::vector<Token>(list->begin(), list->end()) : std::vector<Token>();
  }

 private:
  const Dictionary& dictionary_;
};

void ExpectSameProperty(const Layer& golden, SpecId spec, const PropertyDefinition& property) {
  const FieldKeys& names = Fields();
  EXPECT_EQ(property.spec_type, golden.tree().type(spec));
  EXPECT_EQ(property.type_name, golden.GetAs<Token>(spec, names.typeName).value_or(Token()));
  EXPECT_TRUE(property.fallback == golden.Get(spec, names.default_)) << "fallback";
  if (property.is_attribute()) {
    EXPECT_EQ(property.variability,
              golden.GetAs<Variability>(spec, names.variability).value_or(Variability::kVarying));
  }
  std::map<std::string, Value> expected;
  for (const Token field : golden.FieldNames(spec)) {
    if (field == names.typeName || field == names.default_ || field == names.variability ||
        field == names.custom) {
      continue;
    }
    expected[field.str()] = golden.Get(spec, field);
  }
  for (const auto& [field, value] : property.metadata) {
    ASSERT_TRUE(expected.contains(field.str())) << field.text();
    EXPECT_TRUE(expected[field.str()] == value) << field.text();
  }
  EXPECT_EQ(property.metadata.size(), expected.size());
}

void ExpectSameDefinition(const Layer& golden, SpecId spec, const PrimDefinition& definition) {
  const SpecRange expected = golden.tree().properties(spec);
  EXPECT_EQ(definition.properties().size(), expected.size());
  for (const SpecId property : expected) {
    SCOPED_TRACE(golden.tree().name(property).str());
    const PropertyDefinition* found = definition.FindProperty(golden.tree().name(property));
    ASSERT_NE(found, nullptr);
    ExpectSameProperty(golden, property, *found);
  }
  size_t listed = 0;
  for (const Token field : golden.FieldNames(spec)) {
    if (field == Fields().specifier || field == Fields().customData) continue;
    ++listed;
    const Value* value = definition.FindMetadata(field);
    ASSERT_NE(value, nullptr) << field.text();
    EXPECT_TRUE(*value == golden.Get(spec, field)) << field.text();
  }
  const auto& metadata = definition.metadata();
  EXPECT_EQ(listed, std::count_if(metadata.begin(), metadata.end(), [](const SchemaField& field) {
              return field.first != Fields().apiSchemas && field.first != Fields().documentation;
            }));
}

const PrimDefinition* FindAny(const SchemaRegistry& registry, Token name) {
  if (const auto* definition = registry.FindConcrete(name)) return definition;
  if (const auto* definition = registry.FindAbstract(name)) return definition;
  return registry.FindApi(name);
}

// Compares the registry with a golden file that was recorded from OpenUSD.
size_t ExpectGolden(const SchemaRegistry& registry, const std::string& name) {
  const auto golden = ReadGolden(name);
  if (!golden) return 0;
  for (const SpecId spec : golden->tree().prims(kRootSpec)) {
    const Token identifier = golden->tree().name(spec);
    SCOPED_TRACE(identifier.str());
    const Dictionary dictionary =
        golden->GetAs<Dictionary>(spec, Fields().customData).value_or(Dictionary());
    const About about(dictionary);
    std::unique_ptr<const PrimDefinition> composed;
    const PrimDefinition* definition = nullptr;
    if (identifier.text().starts_with("Composed")) {
      RequestContext context;
      composed = registry.Compose(context, Token(about.Text("composedType")),
                                  about.List("composedApplied"));
      definition = composed.get();
    } else {
      const SchemaInfo* info = registry.FindSchema(identifier);
      if (!info) {
        ADD_FAILURE() << "not registered";
        continue;
      }
      EXPECT_EQ(info->type_name.text(), about.Text("type"));
      EXPECT_EQ(KindWord(info->kind), about.Text("kind"));
      EXPECT_EQ(info->family.text(), about.Text("family"));
      EXPECT_EQ(std::to_string(info->version), about.Text("version"));
      EXPECT_EQ(info->lineage, about.List("lineage"));
      definition = FindAny(registry, identifier);
      EXPECT_EQ(definition != nullptr, info->IsTyped() || info->IsAppliedApi());
      if (!definition) continue;
    }
    EXPECT_EQ(Tokens(AppliedNames(*definition)), about.List("applied"));
    ExpectSameDefinition(*golden, spec, *definition);
  }
  return golden->tree().prims(kRootSpec).size();
}

TEST(SchemaRegistryTest, BuiltinSchemasMatchOpenUsd) {
  const auto registry = Builtin();
  EXPECT_EQ(ExpectGolden(*registry, "definitions.usda"), 141);
}

TEST(SchemaRegistryTest, PluginSchemasMatchOpenUsd) {
  EXPECT_EQ(ExpectGolden(*WithPlugin(), "plugin/definitions.usda"), 22);
}

TEST(SchemaRegistryTest, PluginsDoNotChangeBuiltinSchemas) {
  const auto registry = WithPlugin();
  // Except for Gprims, to which a schema of the plug-in is auto-applied.
  EXPECT_THAT(AppliedNames(*registry->FindConcrete(Token("Sphere"))),
              ElementsAre("TrackedAPI", "Approval9API"));
  EXPECT_THAT(AppliedNames(*registry->FindConcrete(Token("Xform"))), IsEmpty());
  EXPECT_THAT(AppliedNames(*registry->FindConcrete(Token("SphereLight"))),
              ElementsAre("LightAPI", "CollectionAPI:lightLink", "CollectionAPI:shadowLink"));
}

TEST(SchemaRegistryTest, TypesInherit) {
  const auto registry = Builtin();
  EXPECT_TRUE(registry->IsA(Token("Mesh"), Token("Mesh")));
  EXPECT_TRUE(registry->IsA(Token("Mesh"), Token("Imageable")));
  EXPECT_TRUE(registry->IsA(Token("Mesh"), Token("Typed")));
  EXPECT_FALSE(registry->IsA(Token("Imageable"), Token("Mesh")));
  EXPECT_FALSE(registry->IsA(Token("Nonsense"), Token("Nonsense")));
  const PrimDefinition* mesh = registry->FindConcrete(Token("Mesh"));
  EXPECT_TRUE(mesh->IsA(Token("PointBased")));
  EXPECT_FALSE(mesh->IsA(Token("Curves")));
  EXPECT_EQ(registry->FindConcrete(Token("Imageable")), nullptr);
  EXPECT_EQ(registry->FindConcrete(Token("LightAPI")), nullptr);
  EXPECT_EQ(registry->FindApi(Token("ModelAPI")), nullptr);
}

TEST(SchemaRegistryTest, VersionsOfAFamilyAreSeparateTypes) {
  const auto registry = Builtin();
  const SchemaInfo* first = registry->FindSchema(Token("Capsule"));
  const SchemaInfo* second = registry->FindSchema(Token("Capsule_1"));
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_EQ(second->family, first->family);
  EXPECT_FALSE(registry->IsA(Token("Capsule_1"), Token("Capsule")));
}

TEST(SchemaRegistryTest, HasApiKnowsSchemasAndInstances) {
  const PrimDefinition* light = Builtin()->FindConcrete(Token("SphereLight"));
  EXPECT_TRUE(light->HasApi(Token("LightAPI")));
  EXPECT_TRUE(light->HasApi(Token("CollectionAPI")));
  EXPECT_TRUE(light->HasApi(Token("CollectionAPI:lightLink")));
  EXPECT_FALSE(light->HasApi(Token("CollectionAPI:other")));
  EXPECT_FALSE(light->HasApi(Token("ShadowAPI")));
}

TEST(SchemaRegistryTest, UnknownTypesFallBackToTheFirstConcreteOne) {
  const auto registry = Builtin();
  const auto list = [](const std::vector<std::string>& names) {
    return Value(Array<Token>::FromVector(Tokens(names)));
  };
  Dictionary fallbacks;
  fallbacks.Set("NewSphere", list({"NewerSphere", "Gprim", "CollectionAPI", "Sphere", "Cube"}));
  fallbacks.Set("Chained", list({"NewSphere"}));
  fallbacks.Set("Cube", list({"Sphere"}));
  fallbacks.Set("Gprim", list({"", "Mesh"}));
  fallbacks.Set("Odd", Value(Token("Mesh")));
  const std::pair<const char*, const char*> kCases[] = {
      {"NewSphere", "Sphere"},
      {"Chained", ""},
      {"Cube", "Cube"},
      {"Gprim", "Mesh"},
      {"Odd", ""},
      {"None", ""},
      {"", ""},
  };
  for (const auto& [type, expected] : kCases) {
    EXPECT_EQ(registry->EffectiveTypeName(Token(type), &fallbacks).text(), expected) << type;
  }
  EXPECT_EQ(registry->EffectiveTypeName(Token("Gprim"), nullptr), Token());
  EXPECT_EQ(registry->EffectiveTypeName(Token("Mesh"), nullptr), Token("Mesh"));
}

TEST(SchemaRegistryTest, DisallowedFieldsAreNotListed) {
  const auto registry = WithPlugin();
  const PrimDefinition* chair = registry->FindConcrete(Token("Chair"));
  for (const SchemaField& field : chair->metadata()) EXPECT_NE(field.first, Fields().kind);
  const Value* kind = chair->FindMetadata(Fields().kind);
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(*kind->Get<Token>(), Token("component"));
}

TEST(SchemaRegistryTest, PropertiesHaveTheirFields) {
  const PrimDefinition* mesh = Builtin()->FindConcrete(Token("Mesh"));
  const PropertyDefinition* purpose = mesh->FindProperty(Token("purpose"));
  ASSERT_NE(purpose, nullptr);
  EXPECT_EQ(purpose->variability, Variability::kUniform);
  EXPECT_EQ(purpose->type_name, Token("token"));
  EXPECT_EQ(*purpose->fallback.Get<Token>(), Token("default"));
  EXPECT_NE(purpose->FindMetadata(Fields().allowedTokens), nullptr);
  EXPECT_EQ(purpose->FindMetadata(Fields().displayName), nullptr);
  EXPECT_EQ(mesh->FindProperty(Token("radius")), nullptr);
}

TEST(PrimDefinitionCacheTest, ComposesEachCombinationOnce) {
  const auto registry = Builtin();
  RequestContext context;
  PrimDefinitionCache cache(registry.get());
  EXPECT_EQ(cache.Find(context, Token("Mesh"), {}), registry->FindConcrete(Token("Mesh")));
  EXPECT_EQ(cache.Find(context, Token("Nonsense"), {}), registry->empty_definition());
  const std::vector<Token> applied = Tokens({"CollectionAPI:a", "Nope", "LightAPI"});
  std::vector<const PrimDefinition*> found(8);
  std::vector<std::thread> threads;
  for (auto& slot : found) {
    threads.emplace_back([&] { slot = cache.Find(context, Token("Mesh"), applied); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const PrimDefinition* definition : found) EXPECT_EQ(definition, found[0]);
  EXPECT_EQ(found[0]->type_name(), Token("Mesh"));
  EXPECT_THAT(AppliedNames(*found[0]),
              ElementsAre("CollectionAPI:a", "LightAPI", "CollectionAPI:lightLink",
                          "CollectionAPI:shadowLink"));
  EXPECT_NE(cache.Find(context, Token("Mesh"), Tokens({"LightAPI"})), found[0]);
}

std::vector<Token> Collections(int count) {
  std::vector<Token> applied;
  for (int i = 0; i < count; ++i) applied.push_back(Token("CollectionAPI:c" + std::to_string(i)));
  return applied;
}

TEST(PrimDefinitionCacheTest, ComposingInstancesCountsAsWork) {
  const auto registry = Builtin();
  PrimDefinitionCache cache(registry.get());
  const auto steps = [&](int count) {
    RequestContext context;
    const PrimDefinition* definition = cache.Find(context, Token("Scope"), Collections(count));
    EXPECT_EQ(definition->applied_schemas().size(), static_cast<size_t>(count));
    return context.steps();
  };
  const uint64_t few = steps(1000);
  EXPECT_GE(few, 16000u);
  EXPECT_LE(steps(4000), 4 * few + 1000);

  RequestContext bound(RequestContext::Clock::time_point::max(), {.max_steps = 50000});
  EXPECT_EQ(cache.Find(bound, Token("Scope"), Collections(5000)), registry->empty_definition());
  EXPECT_TRUE(bound.failed());
  RequestContext enough;
  const PrimDefinition* definition = cache.Find(enough, Token("Scope"), Collections(5000));
  EXPECT_NE(definition->FindProperty(Token("collection:c4999:includes")), nullptr);
}

TEST(PrimDefinitionCacheTest, ChargesEachDefinitionOnce) {
  const auto registry = Builtin();
  MemoryPool memory("test");
  {
    RequestContext context;
    PrimDefinitionCache cache(registry.get(), &memory);
    const PrimDefinition* definition = cache.Find(context, Token("Scope"), Collections(1000));
    const size_t charged = memory.used();
    EXPECT_GE(charged, definition->byte_size());
    EXPECT_GE(definition->byte_size(), 1000 * sizeof(PropertyDefinition));
    cache.Find(context, Token("Scope"), Collections(1000));
    EXPECT_EQ(memory.used(), charged);
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(SchemaRegistryBuilderTest, InvalidPluginsAreReported) {
  const std::string folder = ::testing::TempDir() + "/wrong";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/plugInfo.json") << R"({"Plugins": [{"Name": "wrong", "Info": {"Types": {
            "WrongMesh": {"schemaIdentifier": "Mesh", "schemaKind": "concreteTyped", "bases": ["UsdTyped"]},
            "WrongNameless": {"schemaKind": "concreteTyped", "bases": ["UsdTyped"]},
            "WrongLoop": {"schemaIdentifier": "Loop", "schemaKind": "concreteTyped", "bases": ["WrongLoop"]},
            "NoSchema": {"bases": ["SomethingElse"]}}}}]})";
  SchemaRegistryBuilder builder;
  EXPECT_TRUE(builder.AddPlugins(folder).ok());
  EXPECT_THAT(builder.problems(), ElementsAre(HasSubstr("generatedSchema.usda"),
                                              HasSubstr("WrongMesh is defined twice"),
                                              HasSubstr("WrongNameless has no schema identifier")));
  const auto registry = std::move(builder).Build();
  EXPECT_EQ(registry->FindSchema(Token("Mesh"))->type_name, Token("UsdGeomMesh"));
  const PrimDefinition* loop = registry->FindConcrete(Token("Loop"));
  ASSERT_NE(loop, nullptr);
  EXPECT_THAT(loop->properties(), IsEmpty());
  EXPECT_FALSE(SchemaRegistryBuilder().AddPlugins(folder + "/nothing").ok());
}

TEST(SchemaRegistryBuilderTest, PluginsDefineMetadataFields) {
  const std::string folder = ::testing::TempDir() + "/fields";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/plugInfo.json") << R"({"Plugins": [{"Name": "studio", "Info": {
      "SdfMetadata": {
        "shotTags": {"type": "stringlistop", "appliesTo": "prims"},
        "shotId": {"type": "int", "default": 7, "appliesTo": ["layers", "prims"]},
        "anywhere": {"type": "double[]"},
        "ofProperties": {"type": "token", "appliesTo": "properties"},
        "ranks": {"type": "intlistop"},
        "kind": {"type": "int"},
        "typeless": {},
        "mistyped": {"type": "nosuch"}}}}]})";
  SchemaRegistryBuilder builder;
  ASSERT_TRUE(builder.AddPlugins(folder).ok());
  EXPECT_THAT(builder.problems(), UnorderedElementsAre(HasSubstr("'kind' is already defined"),
                                                       HasSubstr("'typeless': unknown type ''"),
                                                       HasSubstr("'mistyped': unknown type")));
  const auto registry = std::move(builder).Build();
  const auto layer = ReadUsda(R"(#usda 1.0
(
  shotId = 3
  ofProperties = "text"
)
def "P" (
  shotId = 4
  prepend shotTags = ["a", "b"]
  append ranks = [1, 2]
  anywhere = [1, 2.5]
) {
  int a (
    ofProperties = "token"
    shotId = 5
  )
}
)",
                              {.identifier = "fields.usda"}, &registry->plugin_fields());
  ASSERT_TRUE(layer.ok()) << layer.status();
  const auto get = [&](std::string_view path, const char* field) {
    return (*layer)->Get((*layer)->tree().Find(*Path::Parse(path)), Token(field));
  };
  EXPECT_EQ(get("/", "shotId"), Value(3));
  EXPECT_EQ(get("/", "ofProperties").type(), ValueType::kUnregistered);
  EXPECT_EQ(get("/P", "shotId"), Value(4));
  EXPECT_EQ(get("/P", "shotTags"), Value(ListOp<std::string>::Prepended({"a", "b"})));
  EXPECT_EQ(get("/P", "ranks").type(), ValueType::kIntListOp);
  EXPECT_EQ(get("/P", "anywhere").array()->size(), 2);
  EXPECT_EQ(get("/P.a", "ofProperties"), Value(Token("token")));
  EXPECT_EQ(get("/P.a", "shotId").type(), ValueType::kUnregistered);
}

TEST(SchemaRegistryTest, MetadataDefaultsMatchOpenUsd) {
  const struct {
    const char* type;
    const char* json;
    Value want;  // empty if the field is rejected
  } cases[] = {
      {"int", "7", Value(7)},
      {"int", "3.7", Value(3)},
      {"int", "-3.7", Value(-3)},
      {"int", "[1]", Value(1)},
      {"int", "[]", Value()},
      {"int", "\"3\"", Value()},
      {"int", "[1, \"a\"]", Value()},
      {"int", "1e10", Value()},
      {"int", "null", Value(0)},
      {"uchar", "300", Value()},
      {"uint", "-1", Value()},
      {"int64", "5000000000", Value(int64_t{705032704})},
      {"double", "1", Value(1.0)},
      {"double", "[1, 1.5]", Value()},
      {"float", "\"inf\"", Value(std::numeric_limits<float>::infinity())},
      {"float", "\"word\"", Value()},
      {"bool", "1", Value(true)},
      {"bool", "\"no\"", Value(false)},
      {"bool", "true", Value()},
      {"string", "\"hey\"", Value(std::string("hey"))},
      {"string", "5", Value()},
      {"token", "[\"a\", \"b\"]", Value(Token("a"))},
      {"asset", "\"x.png\"", Value(AssetPath{.authored = "x.png"})},
      {"double2", "[1, 2, 3]", Value(Vec2d{{1, 2}})},
      {"double2", "[1]", Value()},
      {"matrix2d", "[[1, 2], [3, 4]]", Value()},
      {"matrix2d", "[1, 2, 3, 4]", Value(Matrix2d{{{1, 2}, {3, 4}}})},
      {"quatf", "[1, 2, 3, 4]", Value(Quatf{.imaginary = {{2, 3, 4}}, .real = 1})},
      {"int[]", "[]", Value(Array<int32_t>())},
      {"int[]", "5", Value(Array<int32_t>{5})},
      {"int[]", "[\"a\"]", Value()},
      {"bool[]", "[1, 0]", Value(Array<bool>{true, false})},
      {"float2[]", "[1, 2, 3, 4, 5]", Value(Array<Vec2f>{Vec2f{{1, 2}}, Vec2f{{3, 4}}})},
      {"dictionary", "null", Value(Dictionary())},
      {"dictionary", "{}", Value()},
      {"stringlistop", "[]", Value()},
  };
  for (const auto& c : cases) {
    const auto file = ParsePlugInfo(
        Concat(R"({"Plugins": [{"Name": "p", "Info": {"SdfMetadata": {"f": {"type": ")", c.type,
               R"(", "default": )", c.json, "}}}}]}"),
        "/p");
    ASSERT_TRUE(file.ok()) << c.json << ": " << file.status();
    PluginFields fields;
    const std::string problem = fields.Add(file->plugins[0].metadata[0]);
    const FieldDefinition* field = fields.Find(SpecType::kPrim, Token("f"));
    EXPECT_EQ(field ? field->fallback : Value(), c.want) << c.type << " " << c.json << problem;
    EXPECT_EQ(problem.empty(), field != nullptr) << c.type << " " << c.json;
  }
}

}  // namespace
}  // namespace stagedoor
