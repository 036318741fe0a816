// Every layer of the project and of the conformance corpus survives conversion between formats.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"
#include "scene/paths/path.h"
#include "scene/values/spline_evaluation.h"
#include "tests/tools/layer_dump_lib.h"
#include "tests/tools/layer_io.h"

namespace stagedoor {
namespace {

using Formats = std::vector<std::string_view>;

// The first line in which the dumps differ, or "".
std::string Difference(std::string_view before, std::string_view after) {
  while (!before.empty() || !after.empty()) {
    const std::string_view a = before.substr(0, before.find('\n'));
    const std::string_view b = after.substr(0, after.find('\n'));
    if (a != b) return "before: " + std::string(a) + "\nafter:  " + std::string(b);
    before.remove_prefix(std::min(before.size(), a.size() + 1));
    after.remove_prefix(std::min(after.size(), b.size() + 1));
  }
  return "";
}

// Removes fields with default values, since text does not record whether they were authored.
std::string WithoutPlainFields(std::string dump) {
  for (const std::string_view field : {R"("custom":false)", R"("variability":"varying")"}) {
    for (size_t at = 0; (at = dump.find(field, at)) != std::string::npos;) {
      const bool comma_behind = dump[at + field.size()] == ',';
      const bool comma_before = !comma_behind && dump[at - 1] == ',';
      dump.erase(at - (comma_before ? 1 : 0),
                 field.size() + (comma_behind || comma_before ? 1 : 0));
    }
  }
  return dump;
}

// The dump, and the layer as text for what JSON does not record: the types of values.
std::string Everything(const Layer& layer) {
  return WithoutPlainFields(DumpLayer(layer)) + *WriteLayerAs(layer, "usda");
}

// As Everything, after writing and reading the layer in each of these formats in turn.
absl::StatusOr<std::string> EverythingThrough(std::shared_ptr<const Layer> layer,
                                              const Formats& formats) {
  for (const std::string_view format : formats) {
    auto bytes = WriteLayerAs(*layer, format);
    if (!bytes.ok()) return bytes.status();
    auto read = ReadLayerBytes(*std::move(bytes), "written." + std::string(format));
    if (!read.ok()) return read.status();
    layer = *std::move(read);
  }
  return Everything(*layer);
}

// The layer as it is after a round trip through a crate. Crates cannot represent a path as a value
// (a relationship's default, an odd defaultPrim): OpenUSD fails to write it, we write its text as a
// token. Regressive tangents are shortened on reading, as in OpenUSD.
std::shared_ptr<const Layer> AsInCrate(std::shared_ptr<const Layer> layer) {
  LayerBuilder builder(*layer);
  bool changed = false;
  for (SpecId spec = 0; spec < builder.size(); ++spec) {
    if (const Value* value = builder.Get(spec, Fields().spline); value && value->Is<Spline>()) {
      Spline spline = *value->Get<Spline>();
      AdjustRegressiveTangents(&spline);
      builder.Set(spec, Fields().spline, Value(std::move(spline)));
      changed = true;
    }
    for (const Token field : {Fields().default_, Fields().defaultPrim}) {
      const Value* value = builder.Get(spec, field);
      if (!value || !value->Is<Path>()) continue;
      builder.Set(spec, field, Value(Token(value->Get<Path>()->ToString())));
      changed = true;
    }
  }
  return changed ? std::move(builder).Build(layer->info()) : layer;
}

void ExpectLayersSurvive(const Formats& formats) {
  const bool crates = formats != Formats{"usda"};
  size_t layers = 0;
  for (const std::string& file : TestLayerFiles()) {
    auto layer = ReadLayerBytes(ReadFileBytes(file), file);
    if (!layer.ok()) continue;  // the corpus also has layers that must be rejected
    ++layers;
    if (crates) layer = AsInCrate(*layer);
    const auto through = EverythingThrough(*layer, formats);
    ASSERT_TRUE(through.ok()) << file << ": " << through.status();
    EXPECT_EQ(Difference(Everything(**layer), *through), "") << file;
  }
  EXPECT_GT(layers, 15u);
}

TEST(RoundTripTest, TextKeepsEveryLayer) { ExpectLayersSurvive({"usda"}); }

TEST(RoundTripTest, TextThroughCrateKeepsEveryLayer) {
  ExpectLayersSurvive({"usda", "usdc", "usda"});
}

TEST(RoundTripTest, CrateThroughTextKeepsEveryLayer) {
  ExpectLayersSurvive({"usdc", "usda", "usdc"});
}

TEST(RoundTripTest, PackagesKeepEveryLayer) { ExpectLayersSurvive({"usdz"}); }

}  // namespace
}  // namespace stagedoor
