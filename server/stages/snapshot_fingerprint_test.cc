#include "server/stages/snapshot_fingerprint.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "server/stages/stage_key.h"

namespace stagedoor::server {
namespace {

constexpr char kRoot[] =
    "(subLayers = [@./sub.usda@])\ndef \"P\" (references = @./ref.usda@</A>) {}\n";

// The fingerprint that a daemon with these layers reports.
std::string Fingerprint(const char* referenced, const StageKey& changes = {}) {
  TestScene scene;
  scene.Write("root.usda", kRoot);
  scene.Write("sub.usda", "def \"S\" {}\n");
  scene.Write("ref.usda", referenced);
  StageKey stage_key = changes;
  stage_key.options.root = "/root.usda";
  const auto stage = scene.Open("root.usda", stage_key.options);
  return stage == nullptr ? std::string() : SnapshotFingerprint(stage_key.CacheKey(), *stage);
}

TEST(SnapshotFingerprintTest, IsEqualOnDaemonsWithTheSameLayers) {
  EXPECT_EQ(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n"));
  EXPECT_EQ(Fingerprint("def \"A\" {}\n").size(), 32u);
}

TEST(SnapshotFingerprintTest, ChangesWithAnyLayer) {
  EXPECT_NE(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n#\n"));
}

TEST(SnapshotFingerprintTest, ChangesWithThePinFiles) {
  const auto with = [](const char* content) {
    StageKey stage_key;
    stage_key.options.resolver_context =
        ResolverContext::Create({.pin_files = {"/p.json"}})
            .WithPinFiles({{.resolved_path = "/p.json", .content_fingerprint = content}});
    TestScene scene;
    scene.Write("root.usda", "def \"A\" {}\n");
    scene.Write("p.json", "");
    const auto root = *scene.layers().Open(scene.context(), {}, "/root.usda", nullptr);
    const auto stage = Stage::Open(scene.context(), scene.environment(), stage_key.options, root,
                                   /*session=*/nullptr);
    return stage.ok() ? SnapshotFingerprint(stage_key.CacheKey(), **stage) : std::string();
  };
  EXPECT_EQ(with("1"), with("1"));
  EXPECT_NE(with("1"), with("2"));
}

TEST(SnapshotFingerprintTest, ChangesWithTheKey) {
  StageKey edited;
  edited.session_content = "#usda 1.0\n";
  EXPECT_NE(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n", edited));
}

}  // namespace
}  // namespace stagedoor::server
