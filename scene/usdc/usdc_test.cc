#include <bit>
#include <cmath>
#include <thread>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/interpolation.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

constexpr const char* kCorpus[] = {"v0.4.usdc",  "v0.6.usdc",  "v0.7.usdc", "v0.8.usdc",
                                   "v0.11.usdc", "v0.12.usdc", "v0.16.usdc"};

Path P(std::string_view text) { return *Path::Parse(text); }

std::shared_ptr<const Layer> Corpus(const std::string& name) {
  auto layer = ReadUsdcBytes(ReadCorpusFile(name), name);
  EXPECT_TRUE(layer.ok()) << layer.status();
  return layer.ok() ? *layer : nullptr;
}

Value At(const Layer& layer, std::string_view path, Token field = Fields().default_) {
  const SpecId spec = layer.tree().Find(P(path));
  EXPECT_NE(spec, kNoSpec) << path;
  return spec == kNoSpec ? Value() : layer.Get(spec, field);
}

// Expects every spec and field of `a` to be in `b` and equal.
void ExpectContained(const Layer& a, const Layer& b) {
  for (SpecId spec = 0; spec < a.tree().size(); ++spec) {
    const Path path = a.tree().path(spec);
    const SpecId other = b.tree().Find(path);
    ASSERT_NE(other, kNoSpec) << path.ToString();
    EXPECT_EQ(a.tree().type(spec), b.tree().type(other)) << path.ToString();
    for (const Token name : a.FieldNames(spec)) {
      const Value value = a.Get(spec, name);
      EXPECT_FALSE(value.is_invalid()) << value.invalid_reason();
      EXPECT_EQ(value, b.Get(other, name)) << path.ToString() << " " << name.text();
    }
  }
}

TEST(UsdcTest, EveryVersionReadsTheSame) {
  const auto base = Corpus("v0.8.usdc");
  EXPECT_EQ(base->tree().size(), 51u);
  for (const char* name : kCorpus) {
    SCOPED_TRACE(name);
    const auto layer = Corpus(name);
    ExpectContained(*base, *layer);
    size_t invalid = 0;
    EXPECT_GT(DecodeEverything(*layer, &invalid), 100u);
    EXPECT_EQ(invalid, 0u);
  }
}

TEST(UsdcTest, WrittenLayersAreReadBackEqual) {
  for (const char* name : kCorpus) {
    SCOPED_TRACE(name);
    const auto layer = Corpus(name);
    const auto written = WriteUsdc(*layer);
    ASSERT_TRUE(written.ok()) << written.status();
    const auto again = ReadUsdcBytes(*written);
    ASSERT_TRUE(again.ok()) << again.status();
    ExpectContained(*layer, **again);
    ExpectContained(**again, *layer);
    const auto twice = WriteUsdc(**again);
    ASSERT_TRUE(twice.ok());
    EXPECT_EQ(*twice, *written);
  }
}

// The bytes of a source, read `piece` bytes at a time.
std::string Drain(ByteSource& source, size_t piece) {
  RequestContext context;
  std::string all;
  for (;;) {
    std::string next;
    const absl::StatusOr<bool> more = source.Next(context, piece, &next);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return all;
    EXPECT_FALSE(next.empty());
    EXPECT_LE(next.size(), piece);
    all += next;
  }
}

TEST(UsdcTest, StreamedBytesAreTheSame) {
  for (const char* name : kCorpus) {
    SCOPED_TRACE(name);
    const auto layer = Corpus(name);
    const auto written = WriteUsdc(*layer);
    ASSERT_TRUE(written.ok()) << written.status();
    for (const size_t piece : {size_t{1}, size_t{100}, size_t{1} << 30}) {
      EXPECT_EQ(Drain(*UsdcBytes(layer), piece), *written) << piece;
    }
  }
}

TEST(UsdcTest, StoppedStreamsHoldNoArrays) {
  LayerBuilder builder;
  constexpr size_t kPoints = 1 << 20;
  std::vector<std::pair<double, Value>> samples;
  for (int i = 0; i < 8; ++i) {
    std::vector<Vec3f> points(kPoints / 8, Vec3f{{1, 2, static_cast<float>(i)}});
    samples.emplace_back(i, Value(Array<Vec3f>::FromVector(std::move(points))));
  }
  builder.Set(builder.EnsureProperty(P("/P.points"), SpecType::kAttribute), Fields().timeSamples,
              Value::FromSamples(MakeTimeSamples(std::move(samples))));
  const std::shared_ptr<const Layer> layer = std::move(builder).Build({});
  RequestContext context;
  const ByteSourcePtr source = UsdcBytes(layer);
  std::string first;
  ASSERT_TRUE(*source->Next(context, 1 << 16, &first));
  EXPECT_EQ(first.size(), size_t{1} << 16);
  EXPECT_LT(context.reserved_bytes(), size_t{1} << 16);
  EXPECT_EQ(first + Drain(*source, 1 << 16), *WriteUsdc(*layer));
}

TEST(UsdcTest, StreamingObservesTheRequest) {
  const auto layer = Corpus("v0.8.usdc");
  RequestContext cancelled;
  cancelled.Cancel();
  std::string bytes;
  EXPECT_EQ(UsdcBytes(layer)->Next(cancelled, 1 << 20, &bytes).status().code(),
            absl::StatusCode::kCancelled);
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 100});
  EXPECT_EQ(UsdcBytes(layer)->Next(small, 1 << 20, &bytes).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(UsdcTest, ReadsScalarsAndArrays) {
  const auto layer = Corpus("v0.8.usdc");
  EXPECT_EQ(At(*layer, "/P.s0"), Value(true));
  EXPECT_EQ(At(*layer, "/P.s2"), Value(-3));
  EXPECT_EQ(At(*layer, "/P.s4"), Value(int64_t{-5000000000}));
  EXPECT_EQ(At(*layer, "/P.s8"), Value(0.1));
  EXPECT_EQ(At(*layer, "/P.s9"), Value(std::string("text")));
  EXPECT_EQ(At(*layer, "/P.s11"), Value(AssetPath{.authored = "a.usda"}));
  EXPECT_EQ(At(*layer, "/P.s13"), Value(Vec3h{Half(1), Half(2), Half(0.5f)}));
  const Value matrix = At(*layer, "/P.s17");
  ASSERT_TRUE(matrix.Is<Matrix4d>());
  EXPECT_EQ((*matrix.Get<Matrix4d>())[1][1], 2);
  const Value ints = At(*layer, "/P.a2");
  ASSERT_TRUE(ints.Is<Array<int32_t>>());
  EXPECT_EQ(ints.Get<Array<int32_t>>()->size(), 16u);
  EXPECT_EQ((*ints.Get<Array<int32_t>>())[15], 1600000);
  EXPECT_EQ((*At(*layer, "/P.a4").Get<Array<int64_t>>())[15], -5000000000);
  EXPECT_EQ((*At(*layer, "/P.a7").Get<Array<float>>())[15], 16);   // compressed as integers
  EXPECT_EQ((*At(*layer, "/P.a8").Get<Array<double>>())[3], 0.5);  // compressed with a table
  EXPECT_EQ(At(*layer, "/P.a9"), Value(Array<std::string>{"a", "", "a"}));
}

TEST(UsdcTest, ReadsComposition) {
  const auto layer = Corpus("v0.8.usdc");
  const Value references = At(*layer, "/P", Fields().references);
  const auto* op = references.Get<ListOp<Reference>>();
  ASSERT_NE(op, nullptr);
  ASSERT_EQ(op->prepended.size(), 2u);
  EXPECT_EQ(op->prepended[0].asset, "r.usda");
  EXPECT_EQ(op->prepended[0].prim_path, P("/R"));
  EXPECT_EQ(op->prepended[0].offset, (LayerOffset{3, 1}));
  EXPECT_EQ(*op->prepended[0].custom_data.Find("x"), Value(1));
  EXPECT_EQ(At(*layer, "/P", Fields().payload),
            Value(ListOp<Payload>::Explicit({{.asset = "p.usda", .prim_path = P("/P")}})));
  EXPECT_EQ(At(*layer, "/P", Fields().variantSelection), Value(VariantSelections{{"v", "b"}}));
  EXPECT_EQ(At(*layer, "/P{v=a}InA.x", Fields().typeName), Value(Token("int")));
  EXPECT_EQ(At(*layer, "/", Fields().subLayerOffsets), Value(std::vector<LayerOffset>{{2, 0.5}}));
  const Value data = At(*layer, "/", Fields().customLayerData);
  ASSERT_TRUE(data.Is<Dictionary>());
  EXPECT_EQ(*data.Get<Dictionary>()->FindByKeyPath("nested:empty"), Value(Dictionary()));
}

TEST(UsdcTest, ReadsSamplesOnDemand) {
  const auto layer = Corpus("v0.8.usdc");
  const Value value = At(*layer, "/P.s", Fields().timeSamples);
  const TimeSamples* samples = value.samples();
  ASSERT_NE(samples, nullptr);
  EXPECT_EQ(samples->times_array(), (Array<double>{1, 2, 3.5}));
  EXPECT_EQ(samples->At(0), Value(0.5));
  EXPECT_TRUE(samples->BlockedAt(1));
  EXPECT_TRUE(samples->At(1).is_block());
  EXPECT_EQ(samples->At(2), Value(7.0));
}

TEST(UsdcTest, SamplesInterpolateAsTheirValuesDo) {
  const Value pairs[][2] = {
      {Value(0.1f), Value(7.3f)},
      {Value(2.0), Value(3.0)},
      {Value(0.1), Value(1e9 + 0.3)},
      {Value(0.5), Value(0.1)},  // one inlined, one not
      {Value(Vec3f{{0.1f, 2, 3}}), Value(Vec3f{{7.7f, 1e-3f, 3}})},
      {Value(Vec3d{{0.1, 2, 3}}), Value(Vec3d{{7.7, 1e-3, 3}})},
      {Value(Half(1.5f)), Value(Half(2))},
      {Value(1), Value(2)},
      {Value(2.5), Value(ValueBlock())},
      {Value(ValueBlock()), Value(2.5)},
      {Value(2.5), Value(2.5f)},
      {Value(Array<float>{1, 2}), Value(Array<float>{3, 5})},
      {Value(TimeCodeValue{2}), Value(TimeCodeValue{5})},
  };
  for (const auto& [lower, upper] : pairs) {
    LayerBuilder builder;
    builder.Set(builder.EnsureProperty(P("/A.x"), SpecType::kAttribute), Fields().timeSamples,
                Value::FromSamples(MakeTimeSamples({{1, lower}, {2, upper}})));
    const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
    ASSERT_TRUE(layer.ok());
    const Value held = At(**layer, "/A.x", Fields().timeSamples);
    for (const double alpha : {0.0, 0.25, 0.3, 1.0}) {
      EXPECT_EQ(held.samples()->Between(0, alpha), Interpolate(lower, upper, alpha))
          << static_cast<int>(lower.type()) << ", " << alpha;
    }
  }
}

TEST(UsdcTest, EqualTimesAreShared) {
  LayerBuilder builder;
  for (const char* path : {"/A.x", "/A.y"}) {
    builder.Set(builder.EnsureProperty(P(path), SpecType::kAttribute), Fields().timeSamples,
                Value::FromSamples(MakeTimeSamples({{1, Value(2.0)}, {2, Value(3.0)}})));
  }
  const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
  ASSERT_TRUE(layer.ok());
  const Value x = At(**layer, "/A.x", Fields().timeSamples);
  const Value y = At(**layer, "/A.y", Fields().timeSamples);
  EXPECT_EQ(x.samples()->times().data(), y.samples()->times().data());
}

TEST(UsdcTest, ReadsLaterTypes) {
  const auto layer = Corpus("v0.16.usdc");
  EXPECT_EQ(At(*layer, "/P.tc"), Value(TimeCodeValue{3}));
  EXPECT_EQ(At(*layer, "/P.dus"), Value(Array<Duration>{{1}, {2.5}}));
  EXPECT_EQ(At(*layer, "/P.e"), Value(PathExpressionValue{"/World//Ball*"}));
  EXPECT_EQ(At(*layer, "/", Fields().layerRelocates),
            Value(Relocates{{P("/P/Child"), P("/P/Moved")}}));
  const Value edit = At(*layer, "/P.ed");
  ASSERT_TRUE(edit.Is<ArrayEdit>());
  const auto& steps = edit.Get<ArrayEdit>()->steps;
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[0].kind, ArrayEditStep::Kind::kPrepend);
  EXPECT_EQ(steps[0].literal, Value(3));
  EXPECT_EQ(steps[2].kind, ArrayEditStep::Kind::kAppend);
  EXPECT_EQ(steps[2].source, 1);
  EXPECT_EQ(steps[3].size, 5);
  EXPECT_EQ(steps[4].index, -1);
  const Value spline = At(*layer, "/P.sp", Fields().spline);
  ASSERT_TRUE(spline.Is<Spline>());
  const Spline& s = *spline.Get<Spline>();
  EXPECT_EQ(s.pre, (Extrapolation{ExtrapolationMode::kSloped, 2, {}}));
  EXPECT_EQ(s.post.mode, ExtrapolationMode::kLoopRepeat);
  ASSERT_EQ(s.knots.size(), 2u);
  EXPECT_EQ(*s.knots[0].custom_data.Find("foo"), Value(std::string("x")));
  EXPECT_TRUE(s.knots[1].dual_valued);
  EXPECT_TRUE(At(*layer, "/P.st", Fields().spline).Get<Spline>()->time_valued);
  EXPECT_EQ(At(*layer, "/P.h", Fields().spline).Get<Spline>()->knots[0].post_tangent_width,
            1.0 / 3);
}

TEST(UsdcTest, LargeArraysAreViewsThatKeepTheBytes) {
  LayerBuilder builder;
  const auto add = [&](const char* path, size_t count) {
    const SpecId spec = builder.EnsureProperty(*Path::Parse(path), SpecType::kAttribute);
    std::vector<double> numbers(count);
    for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i) + 0.5;
    builder.Set(spec, Fields().typeName, Value(Token("double[]")));
    builder.Set(spec, Fields().default_, Value(Array<double>::FromVector(std::move(numbers))));
  };
  builder.Set(builder.EnsurePrim(*Path::Parse("/P")), Fields().specifier, Value(Specifier::kDef));
  add("/P.numbers", 1000);
  auto owner = MakeRef<OwnedBytes>(*WriteUsdc(*std::move(builder).Build({})));
  const char* const begin = owner->bytes.data();
  const char* const end = begin + owner->bytes.size();
  const auto inside = [&](const Array<double>& array) {
    const auto* data = reinterpret_cast<const char*>(array.data());
    return begin <= data && data < end;
  };
  const auto view = std::as_bytes(std::span(owner->bytes));
  auto layer = ReadUsdc(view, std::move(owner), {});
  ASSERT_TRUE(layer.ok());
  const Value numbers = At(**layer, "/P.numbers");
  layer->reset();
  EXPECT_TRUE(inside(*numbers.Get<Array<double>>()));
  EXPECT_EQ((*numbers.Get<Array<double>>())[999], 999.5);
}

TEST(UsdcTest, UnalignedArraysAreCopied) {
  auto owner = MakeRef<OwnedBytes>(" " + ReadCorpusFile("v0.8.usdc"));
  const auto view = std::as_bytes(std::span(owner->bytes)).subspan(1);
  const auto layer = ReadUsdc(view, std::move(owner), {});
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ(At(**layer, "/P.a14"), (Value(Array<Vec3f>{{0.1f, 0.2f, 0.3f}, {4, 5, 6}})));
}

TEST(UsdcTest, UnregisteredValuesAreKept) {
  const auto layer = Corpus("v0.8.usdc");
  const Value value = At(*layer, "/P", Token("unknownThing"));
  ASSERT_TRUE(value.Is<UnregisteredValue>());
  EXPECT_TRUE(value.Get<UnregisteredValue>()->held.Is<std::string>());
}

TEST(UsdcTest, ManyThreadsDecodeAtOnce) {
  const auto layer = Corpus("v0.16.usdc");
  std::vector<std::thread> threads;
  std::vector<size_t> counts(4);
  for (size_t& count : counts) {
    threads.emplace_back([&layer, &count] {
      size_t invalid = 0;
      count = DecodeEverything(*layer, &invalid);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const size_t count : counts) EXPECT_EQ(count, counts[0]);
}

TEST(UsdcTest, EmptyLayersAreWrittenAndRead) {
  const auto written = WriteUsdc(*LayerBuilder().Build({}));
  ASSERT_TRUE(written.ok());
  const auto layer = ReadUsdcBytes(*written);
  ASSERT_TRUE(layer.ok()) << layer.status();
  EXPECT_EQ((*layer)->tree().size(), 1u);
}

// One payload is written as older readers know it; several are not.
TEST(UsdcTest, PayloadListsAreReadBack) {
  const Payload a{"a.usda", P("/A")}, b{"b.usda", P("/B")}, here{"", P("/A")};
  for (const auto& op :
       {ListOp<Payload>::Explicit({}), ListOp<Payload>::Explicit({a}),
        ListOp<Payload>::Explicit({here}), ListOp<Payload>::Explicit({a, b}),
        ListOp<Payload>::Explicit({a, b, here}), ListOp<Payload>::Prepended({a})}) {
    LayerBuilder builder;
    builder.Set(builder.EnsurePrim(P("/P")), Fields().payload, Value(op));
    const auto bytes = WriteUsdc(*std::move(builder).Build({.identifier = "p.usdc"}));
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto read = ReadUsdcBytes(*bytes, "p.usdc");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(At(**read, "/P", Fields().payload), Value(op));
  }
}

TEST(UsdcTest, NumbersKeepTheirBits) {
  LayerBuilder builder;
  const std::vector<double> odd = {-0.0, 0.0, NAN, INFINITY, -INFINITY, 1e300, 0x1p-1074};
  std::vector<double> many;
  for (int i = 0; i < 100; ++i) many.push_back(odd[i % odd.size()]);
  builder.Set(builder.EnsureProperty(P("/A.m"), SpecType::kAttribute), Fields().default_,
              Value(Array<double>::FromVector(many)));
  for (size_t i = 0; i < odd.size(); ++i) {
    builder.Set(builder.EnsureProperty(P("/A.x" + std::to_string(i)), SpecType::kAttribute),
                Fields().default_, Value(odd[i]));
  }
  const auto layer = ReadUsdcBytes(*WriteUsdc(*std::move(builder).Build({})));
  ASSERT_TRUE(layer.ok());
  const auto bits = [](double d) { return std::bit_cast<uint64_t>(d); };
  for (size_t i = 0; i < odd.size(); ++i) {
    const Value value = At(**layer, "/A.x" + std::to_string(i));
    EXPECT_EQ(bits(*value.Get<double>()), bits(odd[i])) << odd[i];
  }
  const Value array = At(**layer, "/A.m");
  for (size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(bits((*array.Get<Array<double>>())[i]), bits(many[i])) << i;
  }
}

// A layer in which every kind of text is `text`: keys, strings, asset paths, items of lists.
std::shared_ptr<const Layer> LayerOfTexts(const std::string& text) {
  LayerBuilder builder;
  const FieldKeys& f = Fields();
  Dictionary inner, data;
  inner.Set(text, Value(Array<std::string>{text, "", text}));
  data.Set("key", Value(text));
  data.Set("a" + text, Value(inner));
  builder.Set(kRootSpec, f.subLayers, Value(std::vector<std::string>{text, "sub"}));
  builder.Set(kRootSpec, f.documentation, Value(text));
  const SpecId prim = builder.EnsurePrim(P("/A"));
  builder.Set(prim, f.customData, Value(data));
  builder.Set(prim, f.variantSelection, Value(VariantSelections{{"set", text}}));
  builder.Set(prim, f.references,
              Value(ListOp<Reference>::Explicit({{.asset = text, .custom_data = data}})));
  builder.Set(prim, f.payload, Value(ListOp<Payload>::Explicit({{.asset = text}, {.asset = "p"}})));
  builder.Set(prim, Token("unknown"), Value(UnregisteredValue{Value(text)}));
  builder.Set(prim, Token("list"), Value(ListOp<std::string>::Explicit({text})));
  const SpecId attribute = builder.EnsureProperty(P("/A.a"), SpecType::kAttribute);
  builder.Set(attribute, f.default_, Value(AssetPath{.authored = text}));
  builder.Set(attribute, f.timeSamples,
              Value::FromSamples(MakeTimeSamples(
                  {{1, Value(text)}, {2, Value(Array<AssetPath>{{.authored = text}})}})));
  Spline spline;
  spline.knots.push_back({.time = 1, .custom_data = data});
  builder.Set(attribute, f.spline, Value(spline));
  builder.EnsurePrim(P("/Last"));
  return std::move(builder).Build({});
}

// Tokens end at zero bytes in a file: with one inside, all later tokens would be shifted.
TEST(UsdcTest, TextsEndAtTheirFirstZeroByte) {
  for (const std::string_view text : {std::string_view("x\0y", 3), std::string_view("x\0", 2)}) {
    const auto read = ReadUsdcBytes(*WriteUsdc(*LayerOfTexts(std::string(text))), "t.usdc");
    ASSERT_TRUE(read.ok()) << read.status();
    ExpectContained(*LayerOfTexts("x"), **read);
    ExpectContained(**read, *LayerOfTexts("x"));
  }
  const auto empty = ReadUsdcBytes(*WriteUsdc(*LayerOfTexts(std::string(1, '\0'))), "t.usdc");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(At(**empty, "/A", Fields().variantSelection), Value(VariantSelections{{"set", ""}}));
  EXPECT_NE((*empty)->tree().Find(P("/Last")), kNoSpec);
}

TEST(UsdcTest, VariantSetsOfTextKeepTheirNames) {
  for (const char* name : {"look-dev", "1v", "123", ".a", "a|b", "-"}) {
    LayerBuilder builder;
    const Path variant = P("/A").AppendVariantSelection(Token(name), Token(name));
    builder.EnsurePrim(variant.AppendChild(Token("B")));
    const auto layer = std::move(builder).Build({});
    const auto read = ReadUsdcBytes(*WriteUsdc(*layer), "t.usdc");
    ASSERT_TRUE(read.ok()) << name << ": " << read.status();
    ExpectContained(*layer, **read);
  }
}

// OpenUSD writes them, and then refuses the file.
TEST(UsdcTest, VariantSetsAndVariantsWithoutANameCannotBeWritten) {
  for (const bool set : {true, false}) {
    LayerBuilder builder;
    const SpecId a = builder.EnsurePrim(P("/A"));
    const SpecId outer = builder.FindOrAdd(a, SpecType::kVariantSet, Token(set ? "" : "s"));
    builder.FindOrAdd(outer, SpecType::kVariant, Token(set ? "v" : ""));
    const std::shared_ptr<const Layer> layer = std::move(builder).Build({.identifier = "l.usda"});
    const std::string error = std::string("l.usda: a crate cannot hold the name '' of the ") +
                              (set ? "variant set '/A{=}'" : "variant '/A{s=}'") +
                              "; rename it, or write the layer as .usda";
    EXPECT_EQ(std::string(WriteUsdc(*layer).status().message()), error);
    RequestContext context;
    std::string bytes;
    EXPECT_EQ(std::string(UsdcBytes(layer)->Next(context, 100, &bytes).status().message()), error);
    EXPECT_EQ(bytes, "") << "nothing is written";
  }
}

}  // namespace
}  // namespace stagedoor
