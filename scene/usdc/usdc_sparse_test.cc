// Crates of which only the parts that are read are fetched.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "base/request_scope.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/store_resolver.h"
#include "resolver/store/testing/fake_store.h"
#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/refused_value.h"

namespace stagedoor {
namespace {

constexpr char kPath[] = "fake://host/a.usdc";
constexpr size_t kHead = 4096;

std::string EverythingText() {
  std::ifstream file("scene/usda/testdata/everything.usda");
  return {std::istreambuf_iterator<char>(file), {}};
}

// A crate with meshes whose points differ and take 120 kB each.
std::string ManyMeshes(int count) {
  std::string text = "#usda 1.0\n";
  for (int mesh = 0; mesh < count; ++mesh) {
    text += Concat("def Mesh \"M", mesh, "\" {\n  float3[] points = [");
    for (int i = 0; i < 10000; ++i) {
      text += Concat(i == 0 ? "" : ", ", "(", mesh, ", ", i, ", 0.5)");
    }
    text += Concat("]\n  double x.timeSamples = { 1: ", mesh, ".25, 2: 7 }\n}\n");
  }
  const auto layer = ReadUsda(text, {.identifier = "a.usda"});
  EXPECT_TRUE(layer.ok()) << layer.status();
  return *WriteUsdc(**layer);
}

class UsdcSparseTest : public testing::Test {
 protected:
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context) {
    const auto asset = resolver_.OpenAsset(context, {}, kPath);
    if (!asset.ok()) return asset.status();
    const RequestScope::Guard guard(RequestScope::Current().WithContext(&context));
    return format_.open(context, *asset,
                        {.resolved_path = kPath, .content_version = (*asset)->version().token()});
  }
  std::shared_ptr<const Layer> Open() {
    const auto layer = Open(context_);
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }
  static Value PointsOf(const Layer& layer, int mesh) {
    return layer.Get(layer.tree().Find(*Path::Parse(Concat("/M", mesh, ".points"))),
                     Token("default"));
  }

  const std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
  const std::unique_ptr<BlockCache> cache_ = *BlockCache::Create({});
  const StoreResolver resolver_{store_, *cache_, {.head_bytes = kHead}};
  const LayerFormat format_ = UsdcFormat(nullptr, nullptr);
  RequestContext context_;
};

TEST_F(UsdcSparseTest, ReadsLikeAWholeFile) {
  const auto text_layer = ReadUsda(EverythingText(), {.identifier = "a.usda"});
  for (const std::string& bytes : {*WriteUsdc(**text_layer), ReadCorpusFile("everything.usdc")}) {
    store_->Put(kPath, bytes);
    const auto layer = Open();
    ASSERT_NE(layer, nullptr);
    EXPECT_EQ(WriteUsda(*layer), EverythingText());
    EXPECT_FALSE(context_.failed());
  }
}

TEST_F(UsdcSparseTest, OpeningCostsTheTablesAndAValueItsBlocks) {
  const std::string bytes = ManyMeshes(20);
  ASSERT_GT(bytes.size(), 20 * 120000u);
  store_->Put(kPath, bytes);
  const auto layer = Open();
  ASSERT_NE(layer, nullptr);
  EXPECT_LT(store_->bytes, kHead + 4 * kBlockBytes);
  EXPECT_LE(store_->fetches, 5);
  const uint64_t before = store_->bytes;
  const Value points = PointsOf(*layer, 7);
  ASSERT_NE(points.Get<Array<Vec3f>>(), nullptr);
  EXPECT_EQ(points.Get<Array<Vec3f>>()->size(), 10000u);
  EXPECT_EQ((*points.Get<Array<Vec3f>>())[9999], (Vec3f{7, 9999, 0.5F}));
  EXPECT_LE(store_->bytes - before, 120000 + 2 * kBlockBytes);
}

TEST_F(UsdcSparseTest, AFetchThatFailsEndsTheRequest) {
  store_->Put(kPath, ManyMeshes(3));
  const auto layer = Open();
  ASSERT_NE(layer, nullptr);
  store_->unavailable = true;
  RequestContext failing;
  {
    const RequestScope::Guard guard(RequestScope::Current().WithContext(&failing));
    EXPECT_TRUE(IsRefused(PointsOf(*layer, 1)));
  }
  EXPECT_EQ(failing.Check().code(), absl::StatusCode::kUnavailable);
  store_->unavailable = false;
  EXPECT_NE(PointsOf(*layer, 1).Get<Array<Vec3f>>(), nullptr) << "the next one may succeed";
}

TEST_F(UsdcSparseTest, ARequestThatEndedDoesNotFetch) {
  store_->Put(kPath, ManyMeshes(3));
  const auto layer = Open();
  ASSERT_NE(layer, nullptr);
  const int before = store_->fetches;
  RequestContext ended;
  ended.Cancel();
  const RequestScope::Guard guard(RequestScope::Current().WithContext(&ended));
  EXPECT_TRUE(IsRefused(PointsOf(*layer, 1)));
  EXPECT_EQ(store_->fetches, before);
}

TEST_F(UsdcSparseTest, ErrorsWhileOpeningAreThoseOfTheStore) {
  store_->Put(kPath, ManyMeshes(1));
  store_->fails_after = 0;
  RequestContext context;
  EXPECT_EQ(Open(context).status().code(), absl::StatusCode::kUnavailable);
  store_->fails_after = UINT64_MAX;
  EXPECT_NE(Open(), nullptr);
}

TEST_F(UsdcSparseTest, SamplesAreFetchedWhenTheyAreRead) {
  store_->Put(kPath, ManyMeshes(3));
  const auto layer = Open();
  ASSERT_NE(layer, nullptr);
  const SpecId x = layer->tree().Find(*Path::Parse("/M2.x"));
  const Value value = layer->Get(x, Token("timeSamples"));
  ASSERT_NE(value.samples(), nullptr);
  EXPECT_EQ(value.samples()->At(0), Value(2.25));
  EXPECT_EQ(value.samples()->Between(0, 0.5), Value(4.625));
}

TEST_F(UsdcSparseTest, ViewsOutliveTheLayerAndTheCache) {
  store_->Put(kPath, ManyMeshes(2));
  Value points;
  {
    const auto layer = Open();
    points = PointsOf(*layer, 1);
  }
  EXPECT_EQ((*points.Get<Array<Vec3f>>())[5], (Vec3f{1, 5, 0.5F}));
}

}  // namespace
}  // namespace stagedoor
