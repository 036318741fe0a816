#include "tests/backend/table_store.h"

#include <memory>
#include <string>

#include "base/testing/temp_dir.h"
#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/store_resolver.h"
#include "resolver/testing/resolver_conformance.h"
#include "scene/engine/local_engine.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

class TableBackend final : public ResolverBackend {
 public:
  const Resolver& resolver() const override { return resolver_; }
  std::string Path(std::string_view name) const override { return Concat("table://db/", name); }
  void Write(std::string_view name, std::string_view content) override {
    store_->Write(Path(name), std::string(content));
  }
  void Remove(std::string_view name) override { store_->Erase(Path(name)); }
  bool KeepsOldContent() const override { return false; }

 private:
  const std::shared_ptr<TableStore> store_ = std::make_shared<TableStore>();
  const std::unique_ptr<BlockCache> cache_ = *BlockCache::Create({});
  const StoreResolver resolver_{store_, *cache_, {.revalidate = std::chrono::milliseconds(0)}};
};

std::unique_ptr<ResolverBackend> Make() { return std::make_unique<TableBackend>(); }
INSTANTIATE_TEST_SUITE_P(Table, ResolverConformance, testing::Values(&Make));

TEST(TableStoreTest, AStageIsMadeOfRowsAndFiles) {
  const auto store = std::make_shared<TableStore>();
  const auto cache = *BlockCache::Create({});
  store->Write("table://db/char.usda", "#usda 1.0\n(subLayers = [@./look.usda@])\n");
  store->Write("table://db/look.usda", "#usda 1.0\nover \"C\"\n{\n  double x = 4\n}\n");
  const TempDir folder;
  folder.Write("shot.usda", "#usda 1.0\n(subLayers = [@table://db/char.usda@])\ndef \"C\" {}\n");
  ThreadPoolExecutor executor(2);
  LocalEngineOptions options;
  options.backends["table"] =
      std::make_shared<StoreResolver>(store, *cache, StoreResolverOptions());
  const auto engine = LocalEngine::Create(options, executor);
  ASSERT_TRUE(engine.ok()) << engine.status();
  RequestContext context;
  const auto stage = Stage::Open(context, (*engine)->environment(), {.root = folder / "shot.usda"});
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_TRUE((*stage)->FindPrim("/C").valid());
  EXPECT_EQ((*stage)->FindPrim("/C").PropertyNames(), std::vector<Token>{Token("x")});
}

}  // namespace
}  // namespace stagedoor
