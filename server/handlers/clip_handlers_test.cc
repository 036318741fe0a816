#include "server/handlers/clip_handlers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/strings.h"
#include "server/testing/data_streams.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class ClipHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("clip.1.usda", "def \"C\" { double x.timeSamples = { 1: 10 }; }\n");
    Write("clip.2.usda", "def \"C\" { double x.timeSamples = { 2: 20 }; double y = 1; }\n");
    Write("root.usda", R"(def "P" (
    clips = { dictionary default = {
        asset[] assetPaths = [@./clip.1.usda@, @./clip.2.usda@]
        double2[] active = [(1, 0), (2, 1)]
        string primPath = "/C"
    } }
)
{
}
)");
  }

  static v1::StitchClipsRequest Stitch() {
    v1::StitchClipsRequest request;
    request.add_clips("/clip.1.usda");
    request.add_clips("/clip.2.usda");
    request.set_output("/result.usda");
    request.set_clip_path("/C");
    return request;
  }
  v1::GenerateClipManifestRequest ManifestOfStage() {
    v1::GenerateClipManifestRequest request;
    request.set_format(v1::LAYER_FORMAT_USDA);
    v1::ClipSetSource* source = request.mutable_clip_set();
    *source->mutable_stage()->mutable_stage() = Open();
    source->set_prim_path("/P");
    return request;
  }
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ClipHandlersTest, StitchingMakesThreeFilesNamedByTheOutput) {
  const auto files = FilesOf(All(&Client::StitchClips, Stitch()));
  Strings names;
  for (const auto& [name, content] : files) names.push_back(name);
  EXPECT_EQ(names, (Strings{"result.manifest.usda", "result.topology.usda", "result.usda"}));
  const std::string& result = files.at("result.usda");
  EXPECT_TRUE(Has(result, "dictionary default = {")) << result;
  EXPECT_TRUE(Has(result, "asset[] assetPaths = [@./clip.1.usda@, @./clip.2.usda@]")) << result;
  EXPECT_TRUE(Has(result, "./result.topology.usda")) << result;
  EXPECT_TRUE(Has(files.at("result.topology.usda"), "double y = 1"));
  EXPECT_FALSE(Has(files.at("result.manifest.usda"), "timeSamples"));
}

// So many that the paths of one clip would be freed while the next ones are added, if the call did
// not hold them: AddressSanitizer notices.
TEST_F(ClipHandlersTest, StitchingHoldsThePathsOfAllClips) {
  constexpr int kAttributes = 20000;
  std::string clip = "def \"C\" {\n";
  for (int i = 0; i < kAttributes; ++i) {
    clip += Concat("double x", i, ".timeSamples = { 1: 10 }\n");
  }
  Write("clip.1.usda", clip + "}\n");
  const auto files = FilesOf(All(&Client::StitchClips, Stitch()));
  const std::string& manifest = files.at("result.manifest.usda");
  EXPECT_TRUE(Has(manifest, "double x0\n"));
  EXPECT_TRUE(Has(manifest, Concat("double x", kAttributes - 1, "\n")));
}

TEST_F(ClipHandlersTest, StitchedFilesFollowTheExtension) {
  v1::StitchClipsRequest request = Stitch();
  request.set_output("/result.usdc");
  const auto files = FilesOf(All(&Client::StitchClips, request));
  ASSERT_EQ(files.count("result.usdc"), 1u);
  EXPECT_EQ(files.at("result.usdc").substr(0, 8), "PXR-USDC");
  for (const char* output : {"/result.txt", "/result"}) {
    request.set_output(output);
    EXPECT_EQ(ErrorReason(End(&Client::StitchClips, request)), "INVALID_FIELD") << output;
  }
}

TEST_F(ClipHandlersTest, StitchingAppliesItsOptions) {
  v1::StitchClipsRequest request = Stitch();
  request.set_clip_set("sim");
  request.set_start_time_code(1);
  request.set_end_time_code(2);
  request.set_interpolate_missing_clip_values(true);
  std::string result = FilesOf(All(&Client::StitchClips, request)).at("result.usda");
  EXPECT_TRUE(Has(result, "dictionary sim = {")) << result;
  EXPECT_TRUE(Has(result, "bool interpolateMissingClipValues = 1")) << result;
  EXPECT_TRUE(Has(result, "startTimeCode = 1")) << result;
  EXPECT_TRUE(Has(result, "endTimeCode = 2")) << result;
  v1::ClipTemplate* pattern = request.mutable_clip_template();
  pattern->set_path("./clip.#.usda");
  pattern->set_stride(1);
  result = FilesOf(All(&Client::StitchClips, request)).at("result.usda");
  EXPECT_TRUE(Has(result, "string templateAssetPath = \"./clip.#.usda\"")) << result;
  EXPECT_FALSE(Has(result, "templateActiveOffset")) << result;
  pattern->set_active_offset(0.5);
  result = FilesOf(All(&Client::StitchClips, request)).at("result.usda");
  EXPECT_TRUE(Has(result, "double templateActiveOffset = 0.5")) << result;
}

TEST_F(ClipHandlersTest, StitchingErrorsNameTheCause) {
  v1::StitchClipsRequest request = Stitch();
  request.set_clip_path("no path");
  EXPECT_EQ(ErrorReason(End(&Client::StitchClips, request)), "INVALID_PATH");
  request = Stitch();
  request.add_clips("/missing.usda");
  const absl::Status missing = End(&Client::StitchClips, request);
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(missing), "LAYER_NOT_FOUND");
  EXPECT_TRUE(Has(std::string(Message(missing)), "/missing.usda")) << missing;
  Write("broken.usda", "def \"A\" {\n  int a = x\n}\n");
  request = Stitch();
  request.add_clips("/broken.usda");
  EXPECT_EQ(ErrorReason(End(&Client::StitchClips, request)), "LAYER_SYNTAX");
}

TEST_F(ClipHandlersTest, ManifestOfAClipSetDeclaresVaryingAttributes) {
  v1::GenerateClipManifestRequest request = ManifestOfStage();
  const std::string manifest = DataOf(All(&Client::GenerateClipManifest, request));
  EXPECT_TRUE(Has(manifest, "double x")) << manifest;
  EXPECT_FALSE(Has(manifest, "double y")) << manifest;
  EXPECT_FALSE(Has(manifest, "timeSamples")) << manifest;
}

TEST_F(ClipHandlersTest, ManifestHasBlocksForClipsWithoutSamplesOnRequest) {
  Write("clip.2.usda", "def \"C\" { double other.timeSamples = { 2: 20 }; }\n");
  v1::GenerateClipManifestRequest request = ManifestOfStage();
  request.mutable_clip_set()->set_write_blocks(true);
  const std::string manifest = DataOf(All(&Client::GenerateClipManifest, request));
  EXPECT_TRUE(Has(manifest, "2: None")) << manifest;
}

TEST_F(ClipHandlersTest, AManifestOfLayersNeedsNoStage) {
  v1::GenerateClipManifestRequest request;
  request.set_format(v1::LAYER_FORMAT_USDA);
  request.mutable_clip_layers()->add_clips("/clip.1.usda");
  request.mutable_clip_layers()->set_clip_path("/C");
  EXPECT_TRUE(Has(DataOf(All(&Client::GenerateClipManifest, request)), "double x"));
  request.mutable_clip_layers()->add_clips("/missing.usda");
  EXPECT_EQ(ErrorReason(End(&Client::GenerateClipManifest, request)), "LAYER_NOT_FOUND");
}

TEST_F(ClipHandlersTest, ManifestErrorsNameTheCause) {
  EXPECT_EQ(ErrorReason(End(&Client::GenerateClipManifest, v1::GenerateClipManifestRequest())),
            "INVALID_FIELD");
  v1::GenerateClipManifestRequest request = ManifestOfStage();
  request.mutable_clip_set()->set_clip_set("other");
  const absl::Status unknown = End(&Client::GenerateClipManifest, request);
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Has(std::string(Message(unknown)), "other")) << unknown;
  request.mutable_clip_set()->set_prim_path("/Nobody");
  EXPECT_EQ(ErrorReason(End(&Client::GenerateClipManifest, request)), "PRIM_NOT_FOUND");
}

TEST_F(ClipHandlersTest, AClipSetWithoutClipsHasNoManifest) {
  Write("root.usda", R"(def "P" (
    clips = { dictionary default = {
        string primPath = "/C"
    } }
) {}
)");
  const absl::Status status = End(&Client::GenerateClipManifest, ManifestOfStage());
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(Has(std::string(Message(status)), "default")) << status;
  EXPECT_TRUE(Has(std::string(Message(status)), "/P")) << status;
}

TEST_F(ClipHandlersTest, ManifestIsMadeFromTheNamedClipSet) {
  Write("other.usda", "def \"C\" { double z.timeSamples = { 1: 10 }; }\n");
  Write("root.usda", R"(def "P" (
    clips = {
        dictionary a = {
            asset[] assetPaths = [@./other.usda@]
            double2[] active = [(1, 0)]
            string primPath = "/C"
        }
        dictionary default = {
            asset[] assetPaths = [@./clip.1.usda@]
            double2[] active = [(1, 0)]
            string primPath = "/C"
        }
    }
) {}
)");
  v1::GenerateClipManifestRequest request = ManifestOfStage();
  const std::string by_default = DataOf(All(&Client::GenerateClipManifest, request));
  EXPECT_TRUE(Has(by_default, "double x")) << by_default;
  EXPECT_FALSE(Has(by_default, "double z")) << by_default;
  request.mutable_clip_set()->set_clip_set("a");
  const std::string named = DataOf(All(&Client::GenerateClipManifest, request));
  EXPECT_TRUE(Has(named, "double z")) << named;
  EXPECT_FALSE(Has(named, "double x")) << named;
  request.set_format(v1::LAYER_FORMAT_USDC);
  EXPECT_EQ(DataOf(All(&Client::GenerateClipManifest, request)).substr(0, 8), "PXR-USDC");
}

TEST_F(ClipHandlersTest, StitchingOmitsUnsetOptions) {
  const std::string result = FilesOf(All(&Client::StitchClips, Stitch())).at("result.usda");
  EXPECT_FALSE(Has(result, "interpolateMissingClipValues")) << result;
  EXPECT_FALSE(Has(result, "template")) << result;
}

TEST_F(ClipHandlersTest, ManifestRejectsAnInvalidClipPath) {
  v1::GenerateClipManifestRequest request;
  request.mutable_clip_layers()->add_clips("/clip.1.usda");
  for (const char* path : {"no path", "/"}) {
    request.mutable_clip_layers()->set_clip_path(path);
    EXPECT_EQ(ErrorReason(End(&Client::GenerateClipManifest, request)), "INVALID_PATH") << path;
  }
}

TEST_F(ClipHandlersTest, StitchingRejectsThePseudoRoot) {
  v1::StitchClipsRequest request = Stitch();
  request.set_clip_path("/");
  EXPECT_EQ(ErrorReason(End(&Client::StitchClips, request)), "INVALID_PATH");
}

}  // namespace
}  // namespace stagedoor::server
