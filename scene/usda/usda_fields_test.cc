// Fields that text layers cannot have but crates and edited layers can. Each is written if its
// statement can be read back; the layer that is read back is written as the same text.
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/usda/usda_writer.h"
#include "scene/values/array_edit.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/refused_value.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

Path P(std::string_view text) { return *Path::Parse(text); }

// The text of the layer on one line. The layer read back from it must be written as the same text,
// except for empty parentheses, which are not preserved.
std::string Flat(const Layer& layer) {
  std::string text = WriteUsda(layer);
  const auto again = ReadText(text);
  EXPECT_TRUE(again.ok()) << text << again.status();
  const bool empty = text.find("(\n)") != text.npos || text.find("(\n    )") != text.npos;
  if (again.ok() && !empty) {
    EXPECT_EQ(WriteUsda(**again), text);
  }
  return OnOneLine(text);
}

// The metadata written for one field of a spec, without the parentheses.
std::string OfSpec(LayerBuilder builder, SpecId spec, Token name, const Value& value,
                   std::string_view before, std::string_view behind) {
  builder.Set(spec, name, value);
  std::string flat = Flat(*std::move(builder).Build({}));
  EXPECT_TRUE(flat.starts_with(before) && flat.ends_with(behind)) << flat;
  if (flat.size() < before.size() + behind.size()) return flat;
  flat = flat.substr(before.size(), flat.size() - before.size() - behind.size());
  if (flat.empty() || flat == "( ) " || flat == "( )") return "";
  return flat.substr(2, flat.rfind(" )") - 2);
}
std::string OfPrim(Token name, const Value& value) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsurePrim(P("/P"));
  return OfSpec(std::move(builder), spec, name, value, "over \"P\" ", "{ }");
}
std::string OfLayer(Token name, const Value& value) {
  LayerBuilder builder;
  return OfSpec(std::move(builder), kRootSpec, name, value, "", "");
}
std::string OfProperty(SpecType type, Token name, const Value& value) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsureProperty(P("/P.a"), type);
  return OfSpec(
      std::move(builder), spec, name, value,
      type == SpecType::kAttribute ? "over \"P\" { token a " : "over \"P\" { varying rel a ", "}");
}

template <typename T>
ListOp<T> AllEdits(const std::vector<T>& items) {
  ListOp<T> op;
  op.deleted = {items[0]};
  op.added = {items[1]};
  op.prepended = {items[2]};
  op.appended = {items[3]};
  op.ordered = {items[0], items[1]};
  return op;
}

TEST(UsdaFieldsTest, ListOpsOfUnknownFieldsAreWrittenAsStatements) {
  const Token mine("mine");
  EXPECT_EQ(OfPrim(mine, Value(AllEdits<int32_t>({1, -2, 3, 4}))),
            "delete mine = [1] add mine = [-2] prepend mine = [3] append mine = [4] reorder mine = "
            "[1, -2]");
  EXPECT_EQ(OfPrim(mine, Value(AllEdits<uint32_t>({1, 2, 3, 4}))),
            "delete mine = [1] add mine = [2] prepend mine = [3] append mine = [4] reorder mine = "
            "[1, 2]");
  EXPECT_EQ(OfPrim(mine, Value(AllEdits<int64_t>({1, -2, 3, 4}))),
            "delete mine = [1] add mine = [-2] prepend mine = [3] append mine = [4] reorder mine = "
            "[1, -2]");
  EXPECT_EQ(OfPrim(mine, Value(AllEdits<uint64_t>({1, 2, 3, 4}))),
            "delete mine = [1] add mine = [2] prepend mine = [3] append mine = [4] reorder mine = "
            "[1, 2]");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<int32_t>::Explicit({1}))), "mine = [1]");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<int32_t>::Explicit({}))), "mine = None");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<int32_t>())), "prepend mine = None");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<std::string>::Explicit({"a"}))), "mine = [\"a\"]");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<Token>::Explicit({Token("a"), Token("b")}))),
            "mine = [\"a\", \"b\"]");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<Path>::Explicit({P("/A")}))), "mine = </A>");
  EXPECT_EQ(OfPrim(mine, Value(ListOp<Reference>::Explicit({{.asset = "a"}}))), "mine = @a@");
}

TEST(UsdaFieldsTest, ListOpsWithoutEdits) {
  const FieldKeys& f = Fields();
  EXPECT_EQ(OfPrim(f.apiSchemas, Value(ListOp<Token>())), "prepend apiSchemas = None");
  EXPECT_EQ(OfPrim(f.references, Value(ListOp<Reference>())), "");
  EXPECT_EQ(OfPrim(f.payload, Value(ListOp<Payload>())), "");
  EXPECT_EQ(OfPrim(f.inheritPaths, Value(ListOp<Path>())), "");
  EXPECT_EQ(OfPrim(f.variantSetNames, Value(ListOp<std::string>())), "");
  EXPECT_EQ(OfPrim(f.variantSetNames, Value(ListOp<std::string>::Explicit({}))), "");
  EXPECT_EQ(OfPrim(Token("mine"), Value(UnregisteredValue{Value(ListOp<UnregisteredValue>())})),
            "prepend mine = None");
}

Value Unregistered(std::string_view text) {
  return Value(UnregisteredValue{Value(std::string(text))});
}

TEST(UsdaFieldsTest, UnregisteredTextIsWrittenIfItIsOneValue) {
  const Token mine("mine");
  static constexpr std::pair<const char*, const char*> kTexts[] = {
      {"1", "mine = 1"},
      {"1.5", "mine = 1.5"},
      {"word", "mine = word"},
      {"a::b", "mine = a::b"},
      {"a_b.c", ""},
      {"1a", ""},
      {"a[]", ""},
      {"def", ""},
      {"\"a string\"", "mine = \"a string\""},
      {"\"\\\\\"", "mine = \"\\\\\""},
      {"\"a\" \"b\"", ""},
      {"", ""},
      {"1 2", ""},
      {"(1, 2)", "mine = (1, 2)"},
      {"x\ny = 1", ""},
      {"\"open", ""},
      {"\"", ""},
  };
  for (const auto& [text, written] : kTexts) {
    EXPECT_EQ(OfPrim(mine, Unregistered(text)), written) << text;
  }
  EXPECT_EQ(OfPrim(mine, Value(UnregisteredValue{Value(1)})), "");
  EXPECT_EQ(OfPrim(mine, Value(UnregisteredValue{Value(Dictionary())})), "mine = { }");
  EXPECT_EQ(OfPrim(mine, Value(1)), "mine = 1");
  EXPECT_EQ(OfPrim(mine, Value(P("/A"))), "mine = </A>");
  EXPECT_EQ(OfPrim(mine, Value(Relocates{{P("/A"), P("/B")}})), "");
  EXPECT_EQ(OfPrim(mine, Value(VariantSelections{{"a", "b"}})), "");
  EXPECT_EQ(OfPrim(mine, Value(Permission::kPrivate)), "mine = private");
  EXPECT_EQ(OfPrim(mine, Value(Specifier::kDef)), "");
  EXPECT_EQ(OfPrim(mine, Value(ValueBlock())), "mine = None");
  EXPECT_EQ(OfPrim(Token("not a name"), Value(1)), "");
  EXPECT_EQ(OfPrim(Token("a:b"), Value(1)), "");
}

TEST(UsdaFieldsTest, FieldsOfUnexpectedTypesAreWrittenIfReadable) {
  const FieldKeys& f = Fields();
  EXPECT_EQ(OfPrim(f.kind, Value(std::string("k"))), "kind = \"k\"");
  EXPECT_EQ(OfPrim(f.kind, Value(1)), "");
  EXPECT_EQ(OfPrim(f.active, Value(Array<bool>{true})), "");
  EXPECT_EQ(OfPrim(f.symmetryFunction, Value(1)), "symmetryFunction =");
  EXPECT_EQ(OfPrim(f.permission, Value(Token("private"))), "");
  EXPECT_EQ(OfPrim(f.customData, Value(1)), "");
  EXPECT_EQ(OfPrim(f.customData, Value(P("/A"))), "customData = </A>");
  EXPECT_EQ(OfPrim(f.apiSchemas, Value(ListOp<std::string>::Explicit({"a"}))),
            "apiSchemas = [\"a\"]");
  EXPECT_EQ(OfPrim(f.references, Value(ListOp<Payload>::Explicit({{.asset = "a"}}))),
            "references = @a@");
  EXPECT_EQ(OfPrim(f.inheritPaths, Value(ListOp<Path>::Explicit({P("/A.b")}))), "");
  Dictionary numbers;
  numbers.Set("a", Value(1));
  numbers.Set("b", Value(std::string("c")));
  EXPECT_EQ(OfPrim(f.prefixSubstitutions, Value(numbers)),
            "prefixSubstitutions = { \"a\": \"\", \"b\": \"c\" }");
}

TEST(UsdaFieldsTest, NamesThatTextCannotExpress) {
  const FieldKeys& f = Fields();
  EXPECT_EQ(OfPrim(f.variantSelection, Value(VariantSelections{{"a", "b c"}})), "");
  EXPECT_EQ(OfPrim(f.variantSelection, Value(VariantSelections{{"a b", "c"}})),
            "variants = { string \"a b\" = \"c\" }");
  EXPECT_EQ(OfPrim(f.variantSelection, Value(VariantSelections{{"a", "`x`"}})),
            "variants = { string a = \"`x`\" }");
  EXPECT_EQ(OfPrim(f.variantSetNames, Value(ListOp<std::string>::Explicit({"a b"}))), "");
  EXPECT_EQ(OfPrim(f.variantSetNames, Value(ListOp<std::string>::Explicit({"1v", "look-dev"}))),
            "variantSets = [\"1v\", \"look-dev\"]");
  EXPECT_EQ(OfPrim(f.comment, Value(std::string())), "");
  EXPECT_EQ(OfPrim(f.comment, Value(std::string("a\r\t\x01\xc3\xa9\xff\"'\n\\"))),
            "\"\"\"a\\r\\t\\x01\xc3\xa9\\xff\\\"' \\\\\"\"\"");
  EXPECT_EQ(OfPrim(f.comment, Value(1)), "");
}

TEST(UsdaFieldsTest, PathsThatTextCannotExpress) {
  const FieldKeys& f = Fields();
  using Paths = ListOp<Path>;
  using References = ListOp<Reference>;
  using Payloads = ListOp<Payload>;
  EXPECT_EQ(OfPrim(f.inheritPaths, Value(Paths::Explicit({P("/A")}))), "inherits = </A>");
  EXPECT_EQ(OfPrim(f.inheritPaths, Value(Paths::Explicit({P("/A{v=x}B")}))), "");
  EXPECT_EQ(OfPrim(f.specializes, Value(Paths::Explicit({P("/")}))), "");
  EXPECT_EQ(OfPrim(f.specializes, Value(Paths::Explicit({P("/A"), P("/A")}))), "");
  EXPECT_EQ(OfPrim(f.references, Value(References::Explicit({{.prim_path = P("/A")}}))),
            "references = </A>");
  EXPECT_EQ(OfPrim(f.references, Value(References::Explicit({{.prim_path = P("/A.b")}}))), "");
  EXPECT_EQ(OfPrim(f.references, Value(References::Explicit({{.asset = "a"}, {.asset = "a"}}))),
            "");
  EXPECT_EQ(OfPrim(f.payload, Value(Payloads::Explicit({{.prim_path = P("A")}}))), "");
  EXPECT_EQ(OfPrim(f.payload, Value(Payloads::Explicit({{}}))), "payload = <>");
}

TEST(UsdaFieldsTest, FieldsOnSpecsOfTheWrongType) {
  const FieldKeys& f = Fields();
  EXPECT_EQ(OfPrim(f.subLayers, Value(std::vector<std::string>{"a"})), "");
  EXPECT_EQ(OfPrim(f.displayUnit, Value(Token("cm"))), "");
  EXPECT_EQ(OfPrim(f.timeSamples, Value::FromSamples(MakeTimeSamples({{1, Value(1)}}))), "");
  EXPECT_EQ(OfPrim(f.layerRelocates, Value(Relocates{{P("/A"), P("/B")}})), "");
  EXPECT_EQ(OfLayer(f.kind, Value(Token("k"))), "");
  EXPECT_EQ(OfLayer(f.active, Value(true)), "active = true");
  EXPECT_EQ(OfLayer(f.subLayers, Value(1)), "");
  EXPECT_EQ(OfLayer(f.subLayers, Value(std::vector<std::string>{"a", "b"})),
            "subLayers = [ @a@, @b@ ]");
  EXPECT_EQ(OfLayer(f.comment, Value(std::string())), "");
  EXPECT_EQ(OfLayer(Token("mine"), Unregistered("(1, 2)")), "mine = (1, 2)");
  EXPECT_EQ(OfLayer(Token("mine"), Unregistered("(1, 2")), "");
  EXPECT_EQ(OfProperty(SpecType::kAttribute, f.kind, Value(Token("k"))), "");
  EXPECT_EQ(OfProperty(SpecType::kAttribute, f.displayUnit, Value(Token("parsec"))), "");
  EXPECT_EQ(OfProperty(SpecType::kAttribute, f.displayUnit, Value(1)), "");
  EXPECT_EQ(OfProperty(SpecType::kAttribute, Token("mine"), Unregistered("(1, 2)")),
            "mine = (1, 2)");
  EXPECT_EQ(OfProperty(SpecType::kRelationship, f.documentation, Value(std::string("d"))),
            "doc = \"d\"");
  EXPECT_EQ(OfProperty(SpecType::kRelationship, f.documentation, Value(1)), "");
  EXPECT_EQ(OfProperty(SpecType::kRelationship, f.displayUnit, Value(Token("cm"))), "");
  EXPECT_EQ(OfProperty(SpecType::kRelationship, Token("mine"), Unregistered("(1, 2)")),
            "mine = (1, 2)");
  EXPECT_EQ(OfProperty(SpecType::kRelationship, Token("mine"), Unregistered("(1")), "");
}

TEST(UsdaFieldsTest, DictionaryEntriesWithoutATextFormAreLeftOut) {
  Dictionary dictionary;
  dictionary.Set("a", Value(Specifier::kDef));
  dictionary.Set("b c", Value(1));
  dictionary.Set("d", Value(P("/A")));
  dictionary.Set("e", Value(Array<Duration>{Duration{1}}));
  EXPECT_EQ(OfPrim(Fields().customData, Value(dictionary)),
            "customData = { int \"b c\" = 1 string d = </A> duration[] e = [1] }");
  EXPECT_EQ(OfPrim(Fields().customData, Value(Dictionary())), "customData = { }");
}

TEST(UsdaFieldsTest, CompleteTextsHaveNoRefusedValues) {
  const FieldKeys& f = Fields();
  const Value refused = RefusedValue("x");
  const Value samples = Value::FromSamples(MakeTimeSamples({{1, Value(1)}, {2, refused}}));
  LayerBuilder builder;
  const SpecId prim = builder.EnsurePrim(P("/P"));
  const SpecId attribute = builder.EnsureProperty(P("/P.a"), SpecType::kAttribute);
  const SpecId relationship = builder.EnsureProperty(P("/P.r"), SpecType::kRelationship);
  builder.Set(kRootSpec, f.subLayers, Value(std::vector<std::string>{"a.usda"}));
  EXPECT_TRUE(WriteCompleteUsda(*LayerBuilder(builder).Build({})).ok());
  const std::tuple<SpecId, Token, Value> kCases[] = {
      {attribute, f.default_, refused},        {attribute, f.timeSamples, refused},
      {attribute, f.timeSamples, samples},     {attribute, f.spline, refused},
      {attribute, f.connectionPaths, refused}, {attribute, f.customData, refused},
      {relationship, f.targetPaths, refused},  {prim, f.references, refused},
      {prim, f.propertyOrder, refused},        {prim, f.comment, refused},
      {prim, Token("unregistered"), refused},  {kRootSpec, f.subLayers, refused},
      {kRootSpec, f.subLayerOffsets, refused}, {kRootSpec, f.primOrder, refused},
  };
  for (const auto& [spec, field, value] : kCases) {
    LayerBuilder changed(builder);
    changed.Set(spec, field, value);
    EXPECT_EQ(WriteCompleteUsda(*std::move(changed).Build({})).status().code(),
              absl::StatusCode::kResourceExhausted)
        << field.text();
  }
}

}  // namespace
}  // namespace stagedoor
