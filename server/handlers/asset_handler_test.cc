#include "server/handlers/asset_handler.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "resolver/package/package_resolver.h"
#include "resolver/package/testing/package_test_util.h"
#include "resolver/testing/faulty_resolver.h"
#include "server/error_info.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

struct AssetRead {
  v1::AssetInfo info;
  std::string data;
  size_t messages = 0;
};

class ReadAssetTest : public ServerTest {
 protected:
  void Put(std::string_view name, std::string_view content) {
    ASSERT_TRUE(files_->Put(name, std::string(content)).ok());
  }
  static v1::ReadAssetRequest MakeRequest(std::string_view path) {
    v1::ReadAssetRequest request;
    request.set_asset_path(std::string(path));
    return request;
  }
  AssetRead Read(const v1::ReadAssetRequest& request) {
    AssetRead read;
    for (const v1::ReadAssetResponse& part : All(&Client::ReadAsset, request)) {
      EXPECT_EQ(part.has_asset(), read.messages++ == 0);
      if (part.has_asset()) read.info = part.asset();
      read.data += part.data();
    }
    return read;
  }
  AssetRead Read(std::string_view path) { return Read(MakeRequest(path)); }
  std::string Failure(const v1::ReadAssetRequest& request) {
    return ErrorReason(End(&Client::ReadAsset, request));
  }
};

// A text with every byte, which is not that of a layer.
std::string TextureBytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

TEST_F(ReadAssetTest, ReadsAndDescribesAnyAsset) {
  const std::string texture = TextureBytes(3 << 20);
  Put("/tex/wood.png", texture);
  const AssetRead read = Read("/tex/wood.png");
  EXPECT_EQ(read.data, texture);
  EXPECT_GT(read.messages, 2u) << "a message has at most 1 MiB";
  EXPECT_EQ(read.info.identifier(), "/tex/wood.png");
  EXPECT_EQ(read.info.resolved_path(), "/tex/wood.png");
  EXPECT_EQ(read.info.size(), texture.size());
  EXPECT_EQ(read.info.version().size(), 32u);
}

TEST_F(ReadAssetTest, RangesEndWithTheAsset) {
  Put("/a.txt", "0123456789");
  const struct {
    uint64_t offset;
    std::optional<uint64_t> length;
    std::string_view data;
  } kRanges[] = {
      {0, std::nullopt, "0123456789"},
      {4, std::nullopt, "456789"},
      {0, 0, ""},
      {2, 3, "234"},
      {8, 5, "89"},
      {8, UINT64_MAX, "89"},
      {10, 1, ""},
      {UINT64_MAX, 1, ""},
  };
  for (const auto& range : kRanges) {
    v1::ReadAssetRequest request = MakeRequest("/a.txt");
    request.set_offset(range.offset);
    if (range.length) request.set_length(*range.length);
    const AssetRead read = Read(request);
    EXPECT_EQ(read.data, range.data) << range.offset;
    EXPECT_EQ(read.info.size(), 10u) << range.offset;
    EXPECT_EQ(read.messages, 1u) << range.offset;
  }
}

TEST_F(ReadAssetTest, PathsAreRelativeToTheirLayer) {
  Put("/show/tex/wood.png", "beside");
  Put("/lib/tex/wood.png", "found");
  v1::ReadAssetRequest request = MakeRequest("../tex/wood.png");
  request.set_anchor("/show/shots/shot.usda");
  EXPECT_EQ(Read(request).info.resolved_path(), "/show/tex/wood.png");
  request.set_asset_path("tex/wood.png");
  request.mutable_resolver_context()->add_search_paths("/lib");
  const AssetRead found = Read(request);
  EXPECT_EQ(found.data, "found");
  EXPECT_EQ(found.info.identifier(), "tex/wood.png");
  EXPECT_EQ(found.info.resolved_path(), "/lib/tex/wood.png");
  v1::ResolverContext::Pin* const pin = request.mutable_resolver_context()->add_pins();
  pin->set_asset_path("tex/wood.png");
  pin->set_target("/show/tex/wood.png");
  EXPECT_EQ(Read(request).data, "beside");
}

TEST_F(ReadAssetTest, ReadsPackagesAndTheirFiles) {
  const std::string package = MakePackage({{"root.usda", "#usda 1.0\n"}, {"tex/a.png", "pixels"}});
  Put("/p.usdz", package);
  StartOn({}, std::make_shared<PackageResolver>(files_));
  EXPECT_EQ(Read("/p.usdz").data, package);
  const AssetRead inner = Read("/p.usdz[tex/a.png]");
  EXPECT_EQ(inner.data, "pixels");
  v1::ReadAssetRequest request = MakeRequest("./tex/a.png");
  request.set_anchor("/p.usdz[root.usda]");
  EXPECT_EQ(Read(request).info.resolved_path(), "/p.usdz[tex/a.png]");
  EXPECT_NE(Read("/p.usdz[root.usda]").info.version(), inner.info.version());
  EXPECT_EQ(Failure(MakeRequest("/p.usdz[none.png]")), "LAYER_NOT_FOUND");
}

TEST_F(ReadAssetTest, RangesOfDifferentVersionsAreAnError) {
  Put("/a.txt", "one");
  v1::ReadAssetRequest request = MakeRequest("/a.txt");
  request.set_length(1);
  const AssetRead first = Read(request);
  request.set_version(first.info.version());
  request.set_offset(1);
  EXPECT_EQ(Read(request).data, "n");
  Put("/a.txt", "two");
  const absl::Status changed = End(&Client::ReadAsset, request);
  EXPECT_EQ(changed.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(ErrorReason(changed), "ASSET_CHANGED");
  EXPECT_NE(Read("/a.txt").info.version(), first.info.version());
  Put("/a.txt", "one");
  EXPECT_EQ(Read(request).data, "n") << "equal content has an equal version";
}

TEST_F(ReadAssetTest, AnAssetThatChangesWhileItIsReadIsAnError) {
  Put("/a.txt", "text");
  const auto faults = std::make_shared<Faults>();
  StartOn({}, std::make_shared<FaultyResolver>(files_, faults));
  faults->longest_read = 1;
  EXPECT_EQ(Read("/a.txt").data, "text");
  faults->damaged = true;
  EXPECT_EQ(Failure(MakeRequest("/a.txt")), "ASSET_CHANGED");
}

TEST_F(ReadAssetTest, ReadsAsAStageDoes) {
  Write("root.usda", "(\n subLayers = [@lib/sub.usda@]\n)\n");
  Write("show/lib/sub.usda", "def \"A\" {}\n");
  Put("/show/lib/wood.png", "wood");
  v1::OpenStageRequest open;
  open.set_root_layer("/root.usda");
  open.mutable_resolver_context()->add_search_paths("/show");
  v1::ReadAssetRequest layer = MakeRequest("lib/sub.usda"), texture = MakeRequest("lib/wood.png");
  *layer.mutable_stage() = *texture.mutable_stage() = Open(open);
  EXPECT_EQ(Read(layer).info.resolved_path(), "/show/lib/sub.usda");
  EXPECT_EQ(Read(texture).data, "wood");
  Write("show/lib/sub.usda", "def \"B\" {}\n");
  Put("/show/lib/wood.png", "steel");
  EXPECT_EQ(Failure(layer), "ASSET_CHANGED") << "it is not the layer of the snapshot any more";
  EXPECT_EQ(Read(texture).data, "steel") << "a snapshot has no textures";
}

TEST_F(ReadAssetTest, ChecksTheRequest) {
  const auto failure = [&](std::string_view path, std::string_view anchor) {
    v1::ReadAssetRequest request = MakeRequest(path);
    request.set_anchor(std::string(anchor));
    return Failure(request);
  };
  EXPECT_EQ(failure("", ""), "INVALID_FIELD");
  EXPECT_EQ(failure("./a.txt", ""), "INVALID_FIELD");
  EXPECT_EQ(failure("./a.txt", "b.usda"), "INVALID_FIELD");
  EXPECT_EQ(failure("/none.txt", ""), "LAYER_NOT_FOUND");
  Put("/a.txt", "text");
  v1::ReadAssetRequest request = MakeRequest("/a.txt");
  request.mutable_resolver_context()->add_search_paths("./relative");
  EXPECT_EQ(Failure(request), "INVALID_FIELD");
  request = MakeRequest("/a.txt");
  request.mutable_stage()->set_handle("unknown");
  EXPECT_EQ(Failure(request), "STAGE_NOT_FOUND");
}

}  // namespace
}  // namespace stagedoor::server
