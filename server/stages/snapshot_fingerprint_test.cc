#include "server/stages/snapshot_fingerprint.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"

namespace stagedoor::server {
namespace {

constexpr char kRoot[] =
    "(subLayers = [@./sub.usda@])\ndef \"P\" (references = @./ref.usda@</A>) {}\n";

// What a daemon that has these layers reports.
std::string Fingerprint(const char* referenced, const StageKey& changes = {}) {
  TestScene scene;
  scene.Write("root.usda", kRoot);
  scene.Write("sub.usda", "def \"S\" {}\n");
  scene.Write("ref.usda", referenced);
  StageKey stage_key = changes;
  stage_key.options.root = "/root.usda";
  const auto stage = scene.Open("root.usda", stage_key.options);
  return stage == nullptr ? std::string() : SnapshotFingerprint(stage_key, *stage);
}

TEST(SnapshotFingerprintTest, IsEqualOnDaemonsWithTheSameLayers) {
  EXPECT_EQ(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n"));
  EXPECT_EQ(Fingerprint("def \"A\" {}\n").size(), 32u);
}

TEST(SnapshotFingerprintTest, ChangesWithAnyLayer) {
  EXPECT_NE(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n#\n"));
}

TEST(SnapshotFingerprintTest, ChangesWithTheKey) {
  StageKey edited;
  edited.session_content = "#usda 1.0\n";
  EXPECT_NE(Fingerprint("def \"A\" {}\n"), Fingerprint("def \"A\" {}\n", edited));
}

}  // namespace
}  // namespace stagedoor::server
