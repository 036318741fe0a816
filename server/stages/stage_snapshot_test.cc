#include "server/stages/stage_snapshot.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "server/error_info.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {
namespace {

constexpr size_t kAttributes = 20;

class StageSnapshotTest : public testing::Test {
 protected:
  StageSnapshotTest() : cache_(scene_.environment(), {}) {
    std::string text = "def \"P\" {\n";
    for (size_t i = 0; i < kAttributes; ++i) text += Concat("double x", i, "\n");
    scene_.Write("root.usda", text + "}\n");
    StageKey stage_key;
    stage_key.options.root = "/root.usda";
    snapshot_ = cache_.Open(scene_.context(), stage_key)->snapshot;
  }

  // The paths of the attributes that FindAttributes gives for `paths`, or the reasons of errors.
  std::vector<std::string> Find(const std::vector<std::string>& paths) {
    const std::vector<std::string_view> views(paths.begin(), paths.end());
    std::vector<std::string> found;
    const absl::Status status = snapshot_->FindAttributes(
        scene_.context(), views,
        [&](size_t index, absl::StatusOr<AttributeQueryTable::Pointer> attribute) {
          EXPECT_EQ(index, found.size());
          found.push_back(attribute.ok() ? (*attribute)->attribute().path().ToString()
                                         : v1::ErrorReason_Name(GetReason(attribute.status())));
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return found;
  }

  TestScene scene_;
  StageCache cache_;
  std::shared_ptr<const StageSnapshot> snapshot_;
};

TEST_F(StageSnapshotTest, FindsAttributesInTheOrderOfTheRequest) {
  for (int round = 0; round < 2; ++round) {  // then, the attributes are known
    std::vector<std::string> paths;
    EXPECT_EQ(Find(paths), paths);
    for (size_t i = 0; i < kAttributes; ++i) {
      paths.push_back(Concat("/P.x", (7 * i) % kAttributes));
      EXPECT_EQ(Find(paths), paths);
    }
  }
}

TEST_F(StageSnapshotTest, AnErrorBelongsToItsPath) {
  EXPECT_EQ(Find({"/P.x1", "/P.y", "/Q.x", "P", "/P.x2"}),
            (std::vector<std::string>{"/P.x1", "ERROR_REASON_ATTRIBUTE_NOT_FOUND",
                                      "ERROR_REASON_PRIM_NOT_FOUND", "ERROR_REASON_INVALID_PATH",
                                      "/P.x2"}));
}

TEST_F(StageSnapshotTest, TakingMayStop) {
  size_t taken = 0;
  const absl::Status status = snapshot_->FindAttributes(
      scene_.context(), {"/P.x1", "/P.x2", "/P.x3"}, [&](size_t, const auto&) {
        ++taken;
        return taken == 2 ? AbortedError("enough") : absl::OkStatus();
      });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(taken, 2u);
}

}  // namespace
}  // namespace stagedoor::server
