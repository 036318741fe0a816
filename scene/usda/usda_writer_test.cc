#include "scene/usda/usda_writer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/testing/usda_test_util.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

// The written statements of an attribute, which must be readable.
std::string WrittenAttribute(Token type, const std::vector<std::pair<Token, Value>>& fields) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsureProperty(*Path::Parse("/P.a"), SpecType::kAttribute);
  builder.Set(spec, Fields().typeName, Value(type));
  for (const auto& [name, value] : fields) builder.Set(spec, name, value);
  const std::string text = WriteUsda(*std::move(builder).Build({}));
  EXPECT_TRUE(ReadText(text).ok()) << text << ReadText(text).status();
  const size_t open = text.find("    ") + 4;
  return text.substr(open, text.find("\n}\n") - open);
}

TEST(UsdaWriterTest, ValuesOfAnotherTypeAreWrittenUnderATypeThatReadsThem) {
  const Token default_ = Fields().default_;
  const Value asset(AssetPath{.authored = "x.png"});
  // As in OpenUSD if that can be read back.
  EXPECT_EQ(WrittenAttribute(Token("int"), {{default_, Value(1.5)}}), "int a = 1.5");
  EXPECT_EQ(WrittenAttribute(Token("token"), {{default_, Value(std::string("s"))}}),
            "token a = \"s\"");
  EXPECT_EQ(WrittenAttribute(Token("token"), {{default_, asset}}), "asset a = @x.png@");
  EXPECT_EQ(WrittenAttribute(Token("float"), {{default_, Value(Array<float>{1, 2})}}),
            "float[] a = [1, 2]");
  EXPECT_EQ(WrittenAttribute(Token("opaque"), {{default_, Value(1)}}), "int a = 1");
  EXPECT_EQ(WrittenAttribute(Token("no type"), {{default_, Value(1)}}), "int a = 1");
  EXPECT_EQ(WrittenAttribute(Token(), {}), "token a");
  EXPECT_EQ(WrittenAttribute(Token("float"), {{default_, Value(ValueBlock())}}), "float a = None");
}

TEST(UsdaWriterTest, AllStatementsOfAnAttributeHaveOneType) {
  const Token default_ = Fields().default_;
  const auto samples = [](Value first, Value second) {
    return std::pair(
        Fields().timeSamples,
        Value::FromSamples(MakeTimeSamples({{1, std::move(first)}, {2, std::move(second)}})));
  };
  const Value text(std::string("s"));
  EXPECT_EQ(WrittenAttribute(Token("float"), {samples(text, Value(ValueBlock()))}),
            "string a.timeSamples = {\n        1: \"s\",\n        2: None,\n    }");
  EXPECT_EQ(
      WrittenAttribute(Token("float3"), {{default_, Value(1)}, samples(Value(2.5), Value(1))}),
      "int a = 1\n    int a.timeSamples = {\n        1: 2.5,\n        2: 1,\n    }");
  // No type reads both.
  EXPECT_EQ(WrittenAttribute(Token("float"), {samples(text, Value(1))}), "float a");
}

TEST(UsdaWriterTest, EditsOfArraysHaveTheTypeOfTheArray) {
  ArrayEdit edit{.element = ValueType::kDouble,
                 .steps = {{.kind = ArrayEditStep::Kind::kAppend, .literal = Value(1.5)}}};
  const auto written = [&](const char* type) {
    return WrittenAttribute(Token(type), {{Fields().default_, Value(edit)}});
  };
  for (const char* type : {"double[]", "double", "string[]"}) {
    EXPECT_EQ(written(type), "double[] a = edit [append 1.5]");
  }
  EXPECT_EQ(written("int[]"), "int[] a = edit [append 1.5]") << "this can be read back";
}

TEST(UsdaWriterTest, UnregisteredTextCannotAddStatements) {
  const auto unregistered = [](const char* text) {
    return Value(UnregisteredValue{Value(std::string(text))});
  };
  const Token default_ = Fields().default_;
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("(1, \"two\")")}}),
            "foo a = (1, \"two\")");
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("1\nint b = 2")}}), "foo a");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("mine"), unregistered("1\nhidden = true")}}),
            "int a (\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("mine"), unregistered("\"1\n\"")}}),
            "int a (\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("my field"), Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, MetadataOfAnotherTypeIsWrittenIfItCanBeRead) {
  const FieldKeys& f = Fields();
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(Token("d"))}}),
            "int a (\n        doc = \"d\"\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, RelationshipsStateTheirVariabilityAndDefault) {
  LayerBuilder builder;
  const SpecId prim = builder.EnsurePrim(*Path::Parse("/P"));
  const auto add = [&](const char* name) {
    return builder.FindOrAdd(prim, SpecType::kRelationship, Token(name));
  };
  add("unsaid");  // a missing field means varying; a missing keyword means uniform
  builder.Set(add("uniform"), Fields().variability, Value(Variability::kUniform));
  const SpecId path = add("path");
  builder.Set(path, Fields().default_, Value(*Path::Parse("/A")));
  const SpecId token = add("token");  // as crates store it
  builder.Set(token, Fields().default_, Value(Token("/B")));
  const std::string text = WriteUsda(*std::move(builder).Build({}));
  for (const char* line :
       {"    varying rel unsaid\n", "    rel uniform\n", "    varying rel path.default = </A>\n",
        "    varying rel token.default = </B>\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(UsdaWriterTest, TangentsWithAWidthOrASlopeAreWritten) {
  const auto written = [](const SplineKnot& knot) {
    Spline spline;
    spline.value_type = ValueType::kDouble;
    spline.knots.push_back(knot);
    return WrittenAttribute(Token("double"), {{Fields().spline, Value(spline)}});
  };
  EXPECT_EQ(written({.time = 1, .value = 2, .pre_tangent_slope = 3}),
            "double a.spline = {\n        1: 2; pre (0, 3); post held,\n    }");
  EXPECT_EQ(written({.time = 1, .value = 2, .pre_tangent_width = 3}),
            "double a.spline = {\n        1: 2; pre (3, 0); post held,\n    }");
  EXPECT_EQ(written({.time = 1, .value = 2, .post_tangent_slope = 3}),
            "double a.spline = {\n        1: 2; post held (0, 3),\n    }");
  EXPECT_EQ(written({.time = 1, .value = 2, .post_tangent_width = 3}),
            "double a.spline = {\n        1: 2; post held (3, 0),\n    }");
}

TEST(UsdaWriterTest, ValuesWithoutATextFormLeaveTheDeclaration) {
  const Token default_ = Fields().default_;
  const Value nothing(Specifier::kDef);
  EXPECT_EQ(WrittenAttribute(Token("int"), {{default_, nothing}}), "int a");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Fields().timeSamples,
                                             Value::FromSamples(MakeTimeSamples(
                                                 {{1, Value(1)}, {2, nothing}, {3, Value(3)}}))}}),
            "int a.timeSamples = {\n        1: 1,\n        3: 3,\n    }");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{default_, Value(AnimationBlock())}}),
            "int a = AnimationBlock");
  EXPECT_EQ(WrittenAttribute(Token("no type"), {{default_, nothing}}), "token a");
}

TEST(UsdaWriterTest, MixedSamplesAreWrittenUnderTheFirstTypeThatReadsAll) {
  std::vector<std::pair<double, Value>> samples;
  for (const Value& value : {Value(std::string("s")), Value(1), Value(2.5), Value(Half(1)),
                             Value(TimeCodeValue{3}), Value(Token("t"))}) {
    samples.emplace_back(static_cast<double>(samples.size()), value);
  }
  const Value all = Value::FromSamples(MakeTimeSamples(samples));
  EXPECT_EQ(WrittenAttribute(Token("matrix4d"), {{Fields().timeSamples, all}}), "matrix4d a");
  samples.erase(samples.begin());
  samples.pop_back();
  const Value numbers = Value::FromSamples(MakeTimeSamples(samples));
  EXPECT_EQ(WrittenAttribute(Token("matrix4d"), {{Fields().timeSamples, numbers}}),
            "int a.timeSamples = {\n        1: 1,\n        2: 2.5,\n        3: 1,\n        4: 3,\n"
            "    }");
}

TEST(UsdaWriterTest, SplinesOfAnotherTypeAreWrittenIfReadable) {
  Spline spline;
  spline.value_type = ValueType::kFloat;
  const auto written = [&](const char* type) {
    return WrittenAttribute(Token(type), {{Fields().spline, Value(spline)}});
  };
  EXPECT_EQ(written("int"), "int a") << "an int attribute cannot have splines";
  EXPECT_EQ(written("double"), "double a.spline = {\n    }");
  spline.knots.push_back({.time = 1, .value = 0.1f});
  EXPECT_EQ(written("float"), "float a.spline = {\n        1: 0.1; post held,\n    }");
  EXPECT_EQ(written("double"), "double a.spline = {\n        1: 0.1; post held,\n    }");
  EXPECT_EQ(written("int"), "int a");
  EXPECT_EQ(written("float[]"), "float[] a");
  EXPECT_EQ(WrittenAttribute(Token("int"),
                             {{Fields().default_, Value(1)}, {Fields().spline, Value(spline)}}),
            "int a = 1")
      << "the value is kept";
  EXPECT_EQ(WrittenAttribute(Token("foo"),
                             {{Fields().default_, Value(1)}, {Fields().spline, Value(spline)}}),
            "foo a = 1");
}

TEST(UsdaWriterTest, LargeValuesAreWrittenUnderTheirOwnType) {
  std::vector<int32_t> many(5000, 7);
  const Value large(Array<int32_t>::FromVector(many));
  const std::string numbers = [] {
    std::string text = "[7";
    for (int i = 1; i < 5000; ++i) text += ", 7";
    return text + "]";
  }();
  const Token default_ = Fields().default_;
  const auto sample = [&](Value value) {
    return std::pair(Fields().timeSamples, Value::FromSamples(MakeTimeSamples({{1, value}})));
  };
  EXPECT_EQ(WrittenAttribute(Token("int[]"), {{default_, large}}), "int[] a = " + numbers);
  EXPECT_EQ(WrittenAttribute(Token("no type"), {{default_, large}}), "int[] a = " + numbers);
  EXPECT_EQ(WrittenAttribute(Token("string[]"), {{default_, large}}), "int[] a = " + numbers);
  EXPECT_EQ(WrittenAttribute(Token("int[]"), {sample(large)}),
            "int[] a.timeSamples = {\n        1: " + numbers + ",\n    }");
  EXPECT_EQ(WrittenAttribute(Token("string[]"), {sample(large)}),
            "int[] a.timeSamples = {\n        1: " + numbers + ",\n    }");
  EXPECT_EQ(WrittenAttribute(Token("int[]"), {{default_, Value(ValueBlock())}, sample(large)}),
            "int[] a = None\n    int[] a.timeSamples = {\n        1: " + numbers + ",\n    }");
  EXPECT_EQ(WrittenAttribute(Token("int[]"), {{default_, large}, sample(Value(1))}), "int[] a");
  Spline spline;
  EXPECT_EQ(WrittenAttribute(Token("int[]"), {{default_, large}, {Fields().spline, Value(spline)}}),
            "int[] a = " + numbers);
}

TEST(UsdaWriterTest, TheHeaderStatesTheVersionThatTheLayerNeeds) {
  const auto version = [](const char* type, Value value, Token field = Fields().default_) {
    LayerBuilder builder;
    const SpecId spec = builder.EnsureProperty(*Path::Parse("/P.a"), SpecType::kAttribute);
    builder.Set(spec, Fields().typeName, Value(Token(type)));
    builder.Set(spec, field, std::move(value));
    return WriteUsda(*std::move(builder).Build({})).substr(0, 9);
  };
  const auto edit = [](ValueType element) { return Value(ArrayEdit{.element = element}); };
  EXPECT_EQ(version("int", Value(1)), "#usda 1.0");
  EXPECT_EQ(version("int[]", edit(ValueType::kInt)), "#usda 1.2");
  EXPECT_EQ(version("duration[]", edit(ValueType::kDuration)), "#usda 1.4");
  EXPECT_EQ(version("duration", Value()), "#usda 1.4");
  EXPECT_EQ(version("duration[]", Value(Array<Duration>::FromVector(std::vector<Duration>(5000)))),
            "#usda 1.4");
  const auto spline = [&](const SplineKnot& knot, std::optional<double> loop_boundary) {
    Spline spline;
    spline.post = {.mode = ExtrapolationMode::kLoopReset, .loop_boundary = loop_boundary};
    spline.knots = {{.time = 0}, knot};
    return version("double", Value(spline), Fields().spline);
  };
  EXPECT_EQ(spline({.time = 1}, {}), "#usda 1.0");
  EXPECT_EQ(spline({.time = 1, .post_tangent_algorithm = TangentAlgorithm::kCustom}, {}),
            "#usda 1.1");
  EXPECT_EQ(spline({.time = 1}, 0), "#usda 1.3");
}

// The text of a source, read `piece` bytes at a time; `*longest` becomes the size of the longest
// piece.
std::string Drain(ByteSource& source, size_t piece, size_t* longest) {
  RequestContext context;
  std::string all;
  for (;;) {
    std::string next;
    const absl::StatusOr<bool> more = source.Next(context, piece, &next);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return all;
    *longest = std::max(*longest, next.size());
    all += next;
  }
}

// A layer with every structure, and with attributes that are written in parts.
std::shared_ptr<const Layer> LargeLayer() {
  std::string points, samples;
  for (int i = 0; i < 10000; ++i) points += Concat(i == 0 ? "" : ", ", "(", i, ", 0.5, -1)");
  for (int i = 0; i < 9000; ++i) samples += Concat("    ", i, ": ", i * 0.25, ",\n");
  const std::string text = Concat(R"(#usda 1.0
(
  defaultPrim = "A"
)
def Mesh "A" (
  variants = { string v = "x" }
  prepend variantSets = "v"
)
{
  point3f[] points = [)",
                                  points, R"(] (
    doc = "many"
  )
  point3f[] points.timeSamples = {
    1: [)",
                                  points, R"(],
    2: None,
    3: [(1, 2, 3)],
  }
  custom double x.timeSamples = {
)",
                                  samples, R"(  }
  double x.connect = </A.y>
  duration long = 3
  rel r = [</A>, </B>]
  def "Child" {
    string s = "text"
  }
  over "Other" {
  }
  variantSet "v" = {
    "x" {
      int a = 1
      def "In" {
      }
    }
    "y" {
    }
  }
}
class "B" {
}
)");
  auto layer = ReadUsda(text, {});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *layer : nullptr;
}

TEST(UsdaWriterTest, StreamedTextIsTheSame) {
  const std::shared_ptr<const Layer> layer = LargeLayer();
  ASSERT_NE(layer, nullptr);
  const std::string written = WriteUsda(*layer);
  EXPECT_EQ(written.substr(0, 10), "#usda 1.4\n") << "durations need version 1.4";
  size_t longest = 0;
  for (const size_t piece : {size_t{1}, size_t{5000}, size_t{1} << 30}) {
    longest = 0;
    EXPECT_EQ(Drain(*UsdaBytes(layer), piece, &longest), written) << piece;
    if (piece == 5000) {
      EXPECT_LT(longest, written.size() / 4) << "arrays are made in parts";
    }
  }
}

// Every field of `a` must be in `b`, at the same path.
void ExpectContained(const Layer& a, const Layer& b) {
  ASSERT_EQ(a.tree().size(), b.tree().size());
  for (SpecId spec = 0; spec < a.tree().size(); ++spec) {
    const std::string path = a.tree().path(spec).ToString();
    const SpecId other = b.tree().Find(a.tree().path(spec));
    ASSERT_NE(other, kNoSpec) << path;
    for (const Token name : a.FieldNames(spec)) {
      EXPECT_EQ(a.Get(spec, name), b.Get(other, name)) << path << " " << name.text();
    }
  }
}

TEST(UsdaWriterTest, LargeAttributesAreReadBack) {
  const std::shared_ptr<const Layer> layer = LargeLayer();
  ASSERT_NE(layer, nullptr);
  const auto again = ReadText(WriteUsda(*layer));
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectContained(*layer, **again);
  ExpectContained(**again, *layer);
  // Everything that may follow a large value.
  std::string numbers;
  for (int i = 0; i < 20000; ++i) numbers += Concat(i == 0 ? "" : ", ", i);
  const std::string text = Concat("#usda 1.0\n\ndef \"P\"\n{\n    custom int[] a = [", numbers,
                                  "] (\n        doc = \"d\"\n    )\n    int[] a.timeSamples = {\n"
                                  "        1: [",
                                  numbers, "],\n        2: None,\n        3: [", numbers,
                                  "],\n    }\n    int[] a.connect = </P.b>\n    int[] b = [",
                                  numbers, "]\n    int[] c = [1]\n}\n\n");
  const auto read = ReadText(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(WriteUsda(**read) == text)
      << "texts differ, of " << WriteUsda(**read).size() << " and " << text.size() << " bytes";
}

TEST(UsdaWriterTest, StreamingObservesTheRequest) {
  RequestContext cancelled;
  cancelled.Cancel();
  std::string text;
  EXPECT_EQ(UsdaBytes(LargeLayer())->Next(cancelled, 1 << 20, &text).status().code(),
            absl::StatusCode::kCancelled);
}

// Crates hold them, and OpenUSD writes text of them that it cannot read.
TEST(UsdaWriterTest, NamesOfVariantsThatTextCannotHoldAreErrors) {
  for (const bool set : {true, false}) {
    LayerBuilder builder;
    const Path a = *Path::Parse("/A");
    builder.EnsurePrim(set ? a.AppendVariantSelection(Token("a b"), Token("v"))
                           : a.AppendVariantSelection(Token("1v"), Token("a b")));
    const std::shared_ptr<const Layer> layer = std::move(builder).Build({.identifier = "l.usdc"});
    const std::string error = Concat(
        "l.usdc: text cannot hold the name 'a b' of the variant or "
        "variant set '/A{",
        set ? "a b=" : "1v=a b", "}'; rename it, or write the layer as .usdc");
    EXPECT_EQ(std::string(WriteCompleteUsda(*layer).status().message()), error);
    RequestContext context;
    std::string text;
    const auto more = UsdaBytes(layer)->Next(context, 100, &text);
    EXPECT_EQ(std::string(more.status().message()), error);
    EXPECT_EQ(text, "") << "nothing is written";
  }
}

}  // namespace
}  // namespace stagedoor
