#include "server/stages/stage_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "resolver/asset.h"
#include "scene/layer/layer_builder.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_format.h"
#include "scene/usdc/usdc_format.h"
#include "server/store/session_records.pb.h"

namespace stagedoor::server {
namespace {

// A layer with values of many kinds, in orders that are not those of their names.
constexpr std::string_view kLayer = R"(#usda 1.0
(
    defaultPrim = "Z"
    timeCodesPerSecond = 25
    customLayerData = {
        int[] numbers = [3, 1, 2]
        dictionary inner = {
            string text = "ä \"quoted\""
        }
    }
)

def Xform "Z" (
    active = false
    prepend references = @./a.usda@</A> (offset = 10; scale = -2)
    delete payload = @b.usda@
    variants = {
        string look = "red"
    }
    append variantSets = ["look", "size"]
)
{
    reorder properties = ["b", "a"]
    double b = 0.1
    double a = -0.0
    custom double tiny = 1e-310
    float3[] points = [(1, 2, 3), (0.1, 0.2, 0.3)]
    float3[] points.timeSamples = {
        -1: [(1, 0, 0)],
        0.3: None,
        2: [],
    }
    half h = 0.333
    quatf q = (1, 0, 0, 0)
    matrix4d m = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )
    timecode t = 12
    asset file = @../c.png@
    token[] names = ["y", "x"]
    string none = None
    double nothing = nan
    double more = -inf
    double c.connect = </Z.b>
    rel to = [</Z>, </Y.p>]
    reorder nameChildren = ["k2", "k1"]
    variantSet "look" = {
        "red" {
            double inside = 1
        }
        "blue" (
            kind = "group"
        ) {
            over "K" {
                double inside = 2
            }
        }
    }
    over "k1" {
    }
    over "k2" {
    }
}

class "A" {
}
)";

class StageStateTest : public ::testing::Test {
 protected:
  // The layer of usda text, as edits make it: in memory, with the identifier of its origin.
  std::shared_ptr<const Layer> MakeLayer(std::string_view text) {
    Layer::Info info{.identifier = "/shot/session.usda",
                     .resolved_path = "/shot/./session.usda",
                     .version = "v",
                     .content_version = "c",
                     .format = "usda",
                     .anonymous = true};
    const auto asset = InMemoryAsset::FromString("a", AssetVersion("1"), std::string(text));
    const auto layer = formats().FindByName("usda")->open(context_, asset, {});
    EXPECT_TRUE(layer.ok()) << layer.status();
    return LayerBuilder(**layer).Build(std::move(info));
  }
  std::string Text(std::shared_ptr<const Layer> layer) {
    const ByteSourcePtr source = formats().FindByName("usda")->write(std::move(layer));
    std::string text;
    while (*source->Next(context_, 1000, &text)) {
    }
    return text;
  }

  std::string Serialize(const StageKey& key) {
    auto record = SerializeStageState(context_, formats(), key);
    EXPECT_TRUE(record.ok()) << record.status();
    return record.ok() ? *record : "";
  }
  absl::Status Restore(const std::string& record, StageKey& key) {
    return RestoreStageState(context_, formats(), nullptr, record, key);
  }
  const LayerFormats& formats() { return formats_; }

  const LayerFormats formats_{{UsdcFormat(), UsdaFormat()}};
  RequestContext context_;
};

TEST_F(StageStateTest, EverythingThatEditsChangeIsRestored) {
  StageKey key;
  key.options.root = "/root.usda";
  key.options.session = "/session.usda";
  key.options.load = LoadRules::None();
  key.options.load.Load(P("/A/B"), /*with_descendants=*/false);
  key.options.load.Load(P("/C"), /*with_descendants=*/true);
  key.options.muted_layers = {"/a.usda", "/b.usda"};
  StageKey other;
  other.options.root = "/root.usda";
  other.options.muted_layers = {"/c.usda"};
  other.options.load.Unload(P("/D"));
  other.session_content = "#usda 1.0";
  ASSERT_TRUE(Restore(Serialize(key), other).ok());
  EXPECT_EQ(other.CacheKey(), key.CacheKey());
  EXPECT_EQ(other.options.load, key.options.load);
  EXPECT_EQ(other.edits.layer, nullptr);
}

TEST_F(StageStateTest, SessionContentIsRestored) {
  StageKey key, other;
  key.session_content = std::string("#usda 1.0\n# \xff\0", 14);
  ASSERT_TRUE(Restore(Serialize(key), other).ok());
  EXPECT_EQ(other.session_content, key.session_content);
}

TEST_F(StageStateTest, TheEditedLayerIsRestoredExactly) {
  StageKey key, other;
  key.edits.layer = MakeLayer(kLayer);
  key.edits.fingerprint = "of the edits";
  ASSERT_TRUE(Restore(Serialize(key), other).ok());
  ASSERT_NE(other.edits.layer, nullptr);
  EXPECT_EQ(other.CacheKey(), key.CacheKey());
  EXPECT_EQ(Text(other.edits.layer), Text(key.edits.layer));
  const Layer::Info& info = other.edits.layer->info();
  EXPECT_EQ(info.identifier, "/shot/session.usda");
  EXPECT_EQ(info.resolved_path, "/shot/./session.usda");
  EXPECT_EQ(info.version, "v");
  EXPECT_EQ(info.content_version, "c");
  EXPECT_EQ(info.format, "usda");
  EXPECT_TRUE(info.anonymous);
  EXPECT_NE(other.edits.paths, nullptr);
  // And once more, so that nothing depends on where the layer came from.
  StageKey third;
  ASSERT_TRUE(Restore(Serialize(other), third).ok());
  EXPECT_EQ(Text(third.edits.layer), Text(key.edits.layer));
}

TEST_F(StageStateTest, DamagedRecordsAreErrors) {
  StageKey key, other;
  key.edits.layer = MakeLayer(kLayer);
  const std::string record = Serialize(key);
  EXPECT_EQ(Restore("no record", other).code(), absl::StatusCode::kDataLoss);
  store::v1::StateRecord parsed;
  ASSERT_TRUE(parsed.ParseFromString(record));
  store::v1::StateRecord damaged = parsed;
  damaged.mutable_edited_layer()->mutable_crate()->resize(100);
  EXPECT_EQ(Restore(damaged.SerializeAsString(), other).code(), absl::StatusCode::kDataLoss);
  for (const auto& [path, rule] : {std::pair("/A", 3), std::pair("/A", -1), std::pair("A b", 0)}) {
    damaged = parsed;
    auto* const added = damaged.add_load_rules();
    added->set_path(path);
    added->set_rule(rule);
    EXPECT_EQ(Restore(damaged.SerializeAsString(), other).code(), absl::StatusCode::kDataLoss)
        << path << rule;
  }
}

TEST_F(StageStateTest, TheContextLimitsTheMemory) {
  StageKey key;
  key.edits.layer = MakeLayer(kLayer);
  RequestContext small(RequestContext::Clock::time_point::max(), {.max_bytes = 100});
  EXPECT_EQ(SerializeStageState(small, formats(), key).status().code(),
            absl::StatusCode::kResourceExhausted);
  RequestContext writer, enough;
  const ByteSourcePtr source = formats().FindByName("usdc")->write(key.edits.layer);
  std::string crate;
  while (*source->Next(writer, 1000, &crate)) {
  }
  ASSERT_TRUE(SerializeStageState(enough, formats(), key).ok());
  EXPECT_GE(enough.reserved_bytes(), writer.reserved_bytes() + crate.size());
}

}  // namespace
}  // namespace stagedoor::server
