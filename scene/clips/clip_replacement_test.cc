// Readers move across clips while the budget evicts them and their files are replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "scene/clips/clip_environment.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

constexpr int kClips = 16;
constexpr int kNumbers = 64;  // length of each array
constexpr int kClients = 16;
constexpr int kVersions = 40;

// All elements of clip i at version n are kClips * n + i. Versions increase.
class ClipReplacementTest : public testing::Test {
 protected:
  ClipReplacementTest() {
    std::string assets, active;
    for (int i = 0; i < kClips; ++i) {
      Replace(i, 0);
      assets += Concat(i ? "," : "", "@./e", i, ".usda@");
      active += Concat(i ? "," : "", "(", i, ",", i, ")");
    }
    scene_.Write("m.usda", "def \"M\" {\n  double[] b\n}\n");
    scene_.Write(
        "root.usda",
        Concat("def \"M\" (clips = { dictionary default = {\n"
               "  asset manifestAssetPath = @./m.usda@\n  string primPath = \"/M\"\n"
               "  asset[] assetPaths = [",
               assets, "]\n  double2[] active = [", active, "]\n}})\n{\n  double[] b\n}\n"));
    ClipEnvironment::Options options;
    options.cache.max_layers = 3;
    small_ = std::make_unique<ClipEnvironment>(scene_.layers(), options);
    scene_.mutable_environment().clips = small_.get();
    stage_ = scene_.Open("root.usda");
    source_ = Attribute(stage_->FindProperty(P("/M.b"))).Compile(scene_.context());
  }

  void Replace(int clip, int version) {
    newest_[clip].store(version, std::memory_order_release);
    std::string numbers;
    for (int k = 0; k < kNumbers; ++k) numbers += Concat(k ? "," : "", kClips * version + clip);
    scene_.Write(Concat("e", clip, ".usda"), Concat("def \"M\" {\n  double[] b.timeSamples = {",
                                                    clip, ": [", numbers, "]}\n}\n"));
  }

  // The version from which a clip's value at its own time comes; -1 if no version has that value.
  int VersionRead(RequestContext& context, int clip) {
    const Value value = source_.ValueAt(context, TimeCode::At(clip), Interpolation::kLinear);
    const Array<double>* numbers = value.Get<Array<double>>();
    if (numbers == nullptr || numbers->size() != kNumbers) return -1;
    const double first = (*numbers)[0];
    if (std::any_of(numbers->begin(), numbers->end(), [&](double x) { return x != first; })) {
      return -1;
    }
    const int number = static_cast<int>(first);
    if (number != first || number % kClips != clip) return -1;
    return number / kClips <= newest_[clip].load(std::memory_order_acquire) ? number / kClips : -1;
  }

  // Halfway between two clips: the mean of one version of each.
  bool IsMeanOfVersions(RequestContext& context, int clip) {
    const Value value = source_.ValueAt(context, TimeCode::At(clip + 0.5), Interpolation::kLinear);
    const Array<double>* numbers = value.Get<Array<double>>();
    if (numbers == nullptr || numbers->size() != kNumbers) return false;
    const double first = (*numbers)[0];
    const double versions = (2 * first - 2 * clip - 1) / kClips;
    return versions >= 0 && versions <= 2 * kVersions && versions == static_cast<int>(versions) &&
           std::all_of(numbers->begin(), numbers->end(), [&](double x) { return x == first; });
  }

  TestScene scene_;
  std::unique_ptr<ClipEnvironment> small_;
  std::shared_ptr<const Stage> stage_;
  AttributeSource source_;
  std::atomic<int> newest_[kClips] = {};
};

TEST_F(ClipReplacementTest, AnswersAreOfOneVersionAndCurrentAfterARefresh) {
  std::atomic<int> wrong{0};
  std::atomic<int> reading{kClients};
  std::vector<std::thread> threads;
  for (int t = 0; t < kClients; ++t) {
    threads.emplace_back([&, t] {
      RequestContext context;
      for (int i = 0; i < 150; ++i) {
        const int clip = (i * 5 + t) % (kClips - 1);
        if (VersionRead(context, clip) < 0) ++wrong;
        if (!IsMeanOfVersions(context, clip)) ++wrong;
      }
      --reading;
    });
  }
  RequestContext context;
  int version = 0;
  while (version < kVersions || reading > 0) {
    if (version < kVersions) ++version;
    for (int clip = 0; clip < kClips; ++clip) Replace(clip, version);
    small_->cache().Refresh(context);
    // The new version is seen while others keep reading, as soon as none of them pins this clip.
    while (VersionRead(context, version % kClips) != version) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (int clip = 0; clip < kClips; ++clip) EXPECT_EQ(VersionRead(context, clip), version) << clip;
  small_->cache().Trim();
  EXPECT_LE(small_->cache().Stats().layers, 3u);
  EXPECT_GT(small_->cache().Stats().evictions, 0u);
  EXPECT_EQ(small_->cache().Stats().pinned_layers, 0u);
}

}  // namespace
}  // namespace stagedoor
