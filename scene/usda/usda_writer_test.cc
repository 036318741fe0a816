#include "scene/usda/usda_writer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/layer/fields.h"
#include "scene/layer/layer_builder.h"
#include "scene/usda/test_text.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

// What the statements of an attribute are written as, which must be read again.
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
  // As OpenUSD where that can be read.
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
  // Nothing reads both.
  EXPECT_EQ(WrittenAttribute(Token("float"), {samples(text, Value(1))}), "float a");
}

TEST(UsdaWriterTest, TextThatIsNoValueDoesNotBecomeStatements) {
  const auto unregistered = [](const char* text) {
    return Value(UnregisteredValue{Value(std::string(text))});
  };
  const Token default_ = Fields().default_;
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("(1, \"two\")")}}),
            "foo a = (1, \"two\")");
  EXPECT_EQ(WrittenAttribute(Token("foo"), {{default_, unregistered("1\nint b = 2")}}), "foo a");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("mine"), unregistered("1\nhidden = true")}}),
            "int a (\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{Token("my field"), Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, MetadataOfAnotherTypeIsWrittenIfItCanBeRead) {
  const FieldTokens& f = Fields();
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(Token("d"))}}),
            "int a (\n        doc = \"d\"\n    )");
  EXPECT_EQ(WrittenAttribute(Token("int"), {{f.documentation, Value(1)}}), "int a (\n    )");
}

TEST(UsdaWriterTest, RelationshipsSayTheirVariabilityAndDefault) {
  LayerBuilder builder;
  const SpecId prim = builder.EnsurePrim(*Path::Parse("/P"));
  const auto add = [&](const char* name) {
    return builder.FindOrAdd(prim, SpecType::kRelationship, Token(name));
  };
  add("unsaid");  // what is not said is varying; text that does not say it is uniform
  builder.Set(add("uniform"), Fields().variability, Value(Variability::kUniform));
  const SpecId path = add("path");
  builder.Set(path, Fields().default_, Value(*Path::Parse("/A")));
  const SpecId token = add("token");  // as crates hold it
  builder.Set(token, Fields().default_, Value(Token("/B")));
  const std::string text = WriteUsda(*std::move(builder).Build({}));
  for (const char* line :
       {"    varying rel unsaid\n", "    rel uniform\n", "    varying rel path.default = </A>\n",
        "    varying rel token.default = </B>\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

// The text of a source, taken `piece` at a time; the longest piece goes to `*longest`.
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

// Every structure, and attributes that are written in parts.
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

TEST(UsdaWriterTest, TextMadeWhileItIsReadIsTheSame) {
  const std::shared_ptr<const Layer> layer = LargeLayer();
  ASSERT_NE(layer, nullptr);
  const std::string written = WriteUsda(*layer);
  EXPECT_EQ(written.substr(0, 10), "#usda 1.4\n") << "a duration needs it";
  size_t longest = 0;
  for (const size_t piece : {size_t{1}, size_t{5000}, size_t{1} << 30}) {
    longest = 0;
    EXPECT_EQ(Drain(*UsdaBytes(layer), piece, &longest), written) << piece;
    if (piece == 5000) {
      EXPECT_LT(longest, written.size() / 4) << "arrays are made in parts";
    }
  }
}

TEST(UsdaWriterTest, MakingTextObservesTheRequest) {
  RequestContext cancelled;
  cancelled.Cancel();
  std::string text;
  EXPECT_EQ(UsdaBytes(LargeLayer())->Next(cancelled, 1 << 20, &text).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
