// Composition of prim definitions from schemas and the API schemas that they include, with plug-ins
// made up for the tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "scene/layer/field_keys.h"
#include "scene/schema/schema_registry.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/values/dictionary.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

class SchemaCompositionTest : public ::testing::Test {
 protected:
  SchemaCompositionTest() : folder_(fs::path(::testing::TempDir()) / "schema_composition") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // Creates a registry with the types of one plug-in and the classes of its generatedSchema.usda.
  void Load(const std::string& types, const std::string& classes) {
    std::ofstream(folder_ / "plugInfo.json")
        << R"({"Plugins": [{"Name": "p", "Info": {"Types": {)" << types << "}}}]}";
    std::ofstream(folder_ / "generatedSchema.usda") << "#usda 1.0\n" << classes;
    SchemaRegistryBuilder builder;
    const absl::Status added = builder.AddPlugins(folder_);
    EXPECT_TRUE(added.ok()) << added;
    problems_ = builder.problems();
    registry_ = std::move(builder).Build();
  }
  static std::string Api(const std::string& name, const std::string& more = "",
                         const char* kind = "singleApplyAPI") {
    return "\"P" + name + "\": {\"schemaIdentifier\": \"" + name + "\", \"schemaKind\": \"" + kind +
           "\", \"bases\": [\"UsdAPISchemaBase\"]" + more + "}";
  }
  static std::string Typed(const std::string& name, const std::string& base = "UsdTyped") {
    return "\"P" + name + "\": {\"schemaIdentifier\": \"" + name +
           "\", \"schemaKind\": \"concreteTyped\", \"bases\": [\"" + base + "\"]}";
  }
  static Strings Applied(const PrimDefinition* definition) {
    Strings names;
    if (definition == nullptr) return {"no definition"};
    for (const auto& applied : definition->applied_schemas()) names.push_back(applied.name.str());
    return names;
  }
  static Strings Properties(const PrimDefinition* definition) {
    Strings names;
    if (definition == nullptr) return {"no definition"};
    for (const auto& property : definition->properties()) names.push_back(property->name.str());
    return names;
  }
  const PrimDefinition* Find(const char* name) const {
    const PrimDefinition* typed = registry_->FindConcrete(Token(name));
    return typed != nullptr ? typed : registry_->FindApi(Token(name));
  }
  std::unique_ptr<const PrimDefinition> Compose(const char* type, const Strings& applied) {
    RequestContext context;
    std::vector<Token> tokens;
    for (const std::string& name : applied) tokens.push_back(Token(name));
    return registry_->Compose(context, Token(type), tokens);
  }

  const fs::path folder_;
  std::shared_ptr<const SchemaRegistry> registry_;
  Strings problems_;
};

TEST_F(SchemaCompositionTest, CyclesOfApiSchemasEnd) {
  Load(Api("AAPI") + "," + Api("BAPI") + "," + Api("CAPI") + "," + Typed("T"), R"(
class "AAPI" ( apiSchemas = ["BAPI"] ) { int a; }
class "BAPI" ( apiSchemas = ["CAPI"] ) { int b; }
class "CAPI" ( apiSchemas = ["AAPI"] ) { int c; }
class T "T" ( apiSchemas = ["BAPI"] ) { int t; }
)");
  EXPECT_EQ(Applied(Find("T")), (Strings{"BAPI", "CAPI", "AAPI"}));
  EXPECT_EQ(Applied(Find("AAPI")), (Strings{"AAPI", "BAPI", "CAPI"}));
  EXPECT_EQ(Applied(Find("BAPI")), (Strings{"BAPI", "CAPI", "AAPI"}));
  EXPECT_EQ(Applied(Find("CAPI")), (Strings{"CAPI", "AAPI", "BAPI"}));
  EXPECT_EQ(Properties(Find("CAPI")), (Strings{"a", "b", "c"}));
}

TEST_F(SchemaCompositionTest, OnlySuitableApiSchemasAreIncluded) {
  Load(Api("OneAPI") + "," + Api("ManyAPI", "", "multipleApplyAPI") + "," +
           Api("NoneAPI", "", "nonAppliedAPI") + "," + Typed("T") + "," + Typed("U"),
       R"(
class "OneAPI" { int one; }
class "ManyAPI" { int many:__INSTANCE_NAME__:x; }
class T "T" ( apiSchemas = ["Unknown", "ManyAPI", "NoneAPI", "U", "OneAPI:x", "ManyAPI:a", "OneAPI"] ) {}
class U "U" {}
)");
  EXPECT_EQ(Applied(Find("T")), (Strings{"ManyAPI:a", "OneAPI"}));
  EXPECT_EQ(Properties(Find("T")), (Strings{"many:a:x", "one"}));
  EXPECT_EQ(Applied(Compose("U", {"Unknown", "ManyAPI", "OneAPI:x", "NoneAPI", "T",
                                  "ManyAPI:", "OneAPI:", "ManyAPI:b", "OneAPI"})
                        .get()),
            (Strings{"ManyAPI:b", "OneAPI"}));
  EXPECT_EQ(Properties(Compose("", {"ManyAPI:b:c"}).get()), Strings{"many:b:c:x"});
}

TEST_F(SchemaCompositionTest, TemplatesIncludeTemplatesOnly) {
  Load(Api("InnerAPI", "", "multipleApplyAPI") + "," + Api("OneAPI") + "," +
           Api("OuterAPI", "", "multipleApplyAPI"),
       R"(
class "InnerAPI" { int inner:__INSTANCE_NAME__:x; }
class "OneAPI" { int one; }
class "OuterAPI" ( apiSchemas = ["InnerAPI:fixed", "OneAPI", "InnerAPI:__INSTANCE_NAME__", "InnerAPI:sub:__INSTANCE_NAME__"] ) {
  int outer:__INSTANCE_NAME__:y
}
)");
  const auto composed = Compose("", {"OuterAPI:k"});
  EXPECT_EQ(Applied(composed.get()), (Strings{"OuterAPI:k", "InnerAPI:k", "InnerAPI:sub:k"}));
  EXPECT_EQ(Properties(composed.get()), (Strings{"inner:k:x", "inner:sub:k:x", "outer:k:y"}));
}

TEST_F(SchemaCompositionTest, AnotherVersionOfAFamilyIsNotAdded) {
  Load(Api("TagAPI") + "," + Api("TagAPI_1") + "," + Api("OtherAPI"), R"(
class "TagAPI" { int old; }
class "TagAPI_1" { int new; }
class "OtherAPI" ( apiSchemas = ["TagAPI_1"] ) { int other; }
)");
  EXPECT_EQ(Applied(Compose("", {"TagAPI", "TagAPI_1"}).get()), Strings{"TagAPI"});
  EXPECT_EQ(Properties(Compose("", {"TagAPI_1", "TagAPI"}).get()), Strings{"new"});
  EXPECT_EQ(Applied(Compose("", {"TagAPI", "OtherAPI"}).get()), Strings{"TagAPI"})
      << "not even a part of it";
  EXPECT_EQ(Applied(Compose("", {"TagAPI_1", "OtherAPI"}).get()),
            (Strings{"TagAPI_1", "OtherAPI"}));
}

TEST_F(SchemaCompositionTest, StrongerPropertiesKeepTheirFields) {
  Load(Api("StrongAPI") + "," + Api("WeakAPI"), R"(
class "StrongAPI" {
  int plain = 1 ( displayName = "strong" )
  int empty
  int mistyped = 1
  rel kind
}
class "WeakAPI" {
  int plain = 2 ( displayName = "weak"
    displayGroup = "group" )
  int empty = 3
  float mistyped = 2 ( displayGroup = "no" )
  int kind = 4
  int own = 5
}
)");
  const auto composed = Compose("", {"StrongAPI", "WeakAPI"});
  EXPECT_EQ(Properties(composed.get()), (Strings{"empty", "kind", "mistyped", "own", "plain"}));
  const auto find = [&](const char* name) { return composed->FindProperty(Token(name)); };
  EXPECT_EQ(find("plain")->fallback, Value(1));
  EXPECT_EQ(*find("plain")->FindMetadata(Fields().displayName)->Get<std::string>(), "strong");
  EXPECT_EQ(*find("plain")->FindMetadata(Fields().displayGroup)->Get<std::string>(), "group");
  EXPECT_EQ(find("empty")->fallback, Value(3));
  EXPECT_EQ(find("mistyped")->type_name, Token("int"));
  EXPECT_EQ(find("mistyped")->FindMetadata(Fields().displayGroup), nullptr);
  EXPECT_FALSE(find("kind")->is_attribute());
  EXPECT_EQ(find("kind")->variability, Variability::kUniform);
  EXPECT_EQ(find("own")->fallback, Value(5));
  EXPECT_EQ(composed->FindProperty(Token("none")), nullptr);
  EXPECT_EQ(registry_->empty_definition()->FindProperty(Token("own")), nullptr);
}

TEST_F(SchemaCompositionTest, OverridesNeedSomethingToOverride) {
  Load(Api("BaseAPI") + "," + Typed("T"), R"(
class "BaseAPI" {
  int there = 1
  int other = 2
}
class T "T" (
  apiSchemas = ["BaseAPI"]
  customData = {
    token[] apiSchemaOverridePropertyNames = ["there", "missing", "mistyped"]
  }
) {
  int there = 7
  int missing = 8
  int own = 9
}
)");
  const PrimDefinition* type = Find("T");
  EXPECT_EQ(Properties(type), (Strings{"other", "own", "there"}));
  EXPECT_EQ(type->FindProperty(Token("there"))->fallback, Value(7));
  EXPECT_EQ(type->FindProperty(Token("other"))->fallback, Value(2));
}

TEST_F(SchemaCompositionTest, AutoApplyApiSchemasApplyToDerivedTypes) {
  Load(Api("XAPI", R"(, "apiSchemaAutoApplyTo": ["Base"])") + "," +
           Api("YAPI", R"(, "apiSchemaAutoApplyTo": ["Derived", "Base", "XAPI"])") + "," +
           Api("ManyAPI", R"(, "apiSchemaAutoApplyTo": ["Base"])", "multipleApplyAPI") + "," +
           Typed("Base") + "," + Typed("Derived", "PBase") + "," + Typed("Alone"),
       R"(
class "XAPI" { int x; }
class "YAPI" { int y; }
class "ManyAPI" { int many:__INSTANCE_NAME__; }
class Base "Base" {}
class Derived "Derived" {}
class Alone "Alone" {}
)");
  EXPECT_EQ(Applied(Find("Base")), (Strings{"YAPI", "XAPI"})) << "in reverse order, as in OpenUSD";
  EXPECT_EQ(Applied(Find("Derived")), (Strings{"YAPI", "XAPI"}));
  EXPECT_EQ(Applied(Find("Alone")), Strings{});
  EXPECT_EQ(Applied(Find("XAPI")), (Strings{"XAPI", "YAPI"}));
}

TEST_F(SchemaCompositionTest, SchemasMayDeriveViaTypesThatAreNotSchemas) {
  Load(Typed("Derived", "PlainCpp") + R"(,"PlainCpp": {"bases": ["PlainCpp", "PBase"]},)" +
           Typed("Base"),
       "class Base \"Base\" {}\nclass Derived \"Derived\" {}\n");
  EXPECT_TRUE(registry_->IsA(Token("Derived"), Token("Base")));
  EXPECT_TRUE(registry_->IsA(Token("Derived"), Token("Typed")));
  EXPECT_FALSE(registry_->IsA(Token("Base"), Token("Derived")));
  EXPECT_EQ(registry_->FindSchema(Token("PlainCpp")), nullptr);
  EXPECT_EQ(problems_, Strings{});
}

TEST_F(SchemaCompositionTest, MetadataOfApiSchemasIsWeakerThanThatOfTheType) {
  Load(Api("MetaAPI") + "," + Typed("T"), R"(
class "MetaAPI" (
  displayName = "weak"
  hidden = true
  customData = { string a = "weak"
    string b = "weak" }
) {}
class T "T" (
  apiSchemas = ["MetaAPI"]
  displayName = "strong"
  customData = { string a = "strong" }
) {}
)");
  const PrimDefinition* type = Find("T");
  EXPECT_EQ(*type->FindMetadata(Fields().displayName)->Get<std::string>(), "strong");
  EXPECT_EQ(*type->FindMetadata(Fields().hidden)->Get<bool>(), true);
  const Dictionary* custom = type->FindMetadata(Fields().customData)->Get<Dictionary>();
  EXPECT_EQ(*custom->Find("a")->Get<std::string>(), "strong");
  EXPECT_EQ(*custom->Find("b")->Get<std::string>(), "weak");
  EXPECT_EQ(type->FindMetadata(Fields().comment), nullptr);
}

TEST_F(SchemaCompositionTest, MissingAndMalformedSchemaFilesAreReported) {
  Load(Typed("T"), "class {");
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("schema plug-in p: "), std::string::npos) << problems_[0];
  EXPECT_NE(problems_[0].find("generatedSchema.usda"), std::string::npos) << problems_[0];
  EXPECT_EQ(Properties(Find("T")), Strings{});
  fs::remove(folder_ / "generatedSchema.usda");
  SchemaRegistryBuilder builder;
  ASSERT_TRUE(builder.AddPlugins(folder_).ok());
  EXPECT_EQ(builder.problems().size(), 1u);
  // Schemas without properties need no file.
  std::ofstream(folder_ / "plugInfo.json")
      << R"({"Plugins": [{"Name": "p", "Info": {"Types": {)" << Api("NoneAPI", "", "nonAppliedAPI")
      << R"(, "Other": {}, )" << Api("AbstractBase", "", "abstractBase") << "}}}]}";
  SchemaRegistryBuilder quiet;
  ASSERT_TRUE(quiet.AddPlugins(folder_).ok());
  EXPECT_TRUE(quiet.problems().empty());
}

TEST_F(SchemaCompositionTest, ApplyingASchemaTwiceHasNoEffect) {
  Load(Api("OneAPI") + "," + Typed("T"), R"(
class "OneAPI" ( displayName = "one" ) { int one = 1 ( displayName = "x" ); }
class T "T" { int one = 2; int two; }
)");
  const auto once = Compose("T", {"OneAPI"}), twice = Compose("T", {"OneAPI", "OneAPI"});
  EXPECT_EQ(Applied(twice.get()), Strings{"OneAPI"});
  EXPECT_EQ(Properties(twice.get()), (Strings{"one", "two"}));
  EXPECT_EQ(twice->byte_size(), once->byte_size());
}

TEST_F(SchemaCompositionTest, SchemasAfterAnAppliedOneAreStillAdded) {
  Load(Api("OneAPI") + "," + Api("TwoAPI") + "," + Api("BothAPI") + "," + Typed("T"), R"(
class "OneAPI" { int one; }
class "TwoAPI" { int two; }
class "BothAPI" ( apiSchemas = ["OneAPI", "TwoAPI"] ) { int both; }
class T "T" {}
)");
  const auto composed = Compose("T", {"OneAPI", "BothAPI"});
  EXPECT_EQ(Applied(composed.get()), (Strings{"OneAPI", "BothAPI", "TwoAPI"}));
}

TEST_F(SchemaCompositionTest, ComposingReservesMemoryOfTheRequest) {
  Load(Api("ManyAPI", "", "multipleApplyAPI"), R"(
class "ManyAPI" {
  int many:__INSTANCE_NAME__:a
  int many:__INSTANCE_NAME__:b
}
)");
  std::vector<Token> applied;
  for (int i = 0; i < 100; ++i) applied.push_back(Token("ManyAPI:i" + std::to_string(i)));
  RequestContext enough(RequestContext::Clock::time_point::max(), {.max_bytes = 200 * 320});
  EXPECT_NE(registry_->Compose(enough, Token(), applied), nullptr);
  EXPECT_EQ(enough.reserved_bytes(), 0u) << "reserved only while composing";
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 199 * 320});
  EXPECT_EQ(registry_->Compose(small, Token(), applied), nullptr);
}

}  // namespace
}  // namespace stagedoor
