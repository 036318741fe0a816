#include "resolver/asset.h"

#include <array>
#include <memory>
#include <string>

#include "base/status.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::string ReadAt(const Asset& asset, uint64_t offset, size_t most) {
  RequestContext context;
  std::string out(most, '?');
  const auto count =
      asset.Read(context, offset, std::as_writable_bytes(std::span(out.data(), out.size())));
  EXPECT_TRUE(count.ok()) << count.status();
  return out.substr(0, count.value_or(0));
}

TEST(AssetVersionTest, AnUnknownVersionEqualsNoOther) {
  EXPECT_NE(AssetVersion(), AssetVersion("1"));
  EXPECT_EQ(AssetVersion("1"), AssetVersion("1"));
  EXPECT_NE(AssetVersion("1"), AssetVersion("2"));
}

TEST(AssetVersionTest, PartsKeepWhatIsLocalApart) {
  const AssetVersion part = AssetVersion("content", "inode 1").OfPart("[0+10]");
  EXPECT_EQ(part.content(), "content[0+10]");
  EXPECT_NE(part, AssetVersion("content", "inode 2").OfPart("[0+10]"));
  EXPECT_EQ(AssetVersion("v").OfPart("[1]"), AssetVersion("v[1]"));
}

TEST(InMemoryAssetTest, ReadsFromAnyOffsetUpToItsEnd) {
  const auto asset = InMemoryAsset::FromString("/a", AssetVersion("1"), "0123456789");
  EXPECT_EQ(asset->name(), "/a");
  EXPECT_EQ(asset->version(), AssetVersion("1"));
  EXPECT_EQ(asset->size(), 10u);
  EXPECT_EQ(ReadAt(*asset, 0, 4), "0123");
  EXPECT_EQ(ReadAt(*asset, 7, 4), "789");
  EXPECT_EQ(ReadAt(*asset, 9, 4), "9");
  EXPECT_EQ(ReadAt(*asset, 10, 4), "");
  EXPECT_EQ(ReadAt(*asset, ~uint64_t{0}, 4), "");
  EXPECT_EQ(ReadAt(*asset, 3, 0), "");
}

TEST(InMemoryAssetTest, ItsPinKeepsTheBytesAlive) {
  auto asset = InMemoryAsset::FromString("/a", AssetVersion("1"), "0123456789");
  const auto bytes = asset->GetBuffer();
  asset.reset();
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->text(), "0123456789");
}

TEST(InMemoryAssetTest, ChangedContentIsNotReturned) {
  absl::Status state;
  const InMemoryAsset asset("/a", AssetVersion("1"), {}, [&] { return state; });
  EXPECT_TRUE(asset.Check().ok());
  state = DataLossError("overwritten");
  EXPECT_EQ(asset.Check(), state);
  const std::string content = "0123";
  const InMemoryAsset full("/a", AssetVersion("1"),
                           {std::as_bytes(std::span(content.data(), content.size())), nullptr},
                           [&] { return state; });
  RequestContext context;
  std::array<std::byte, 4> out;
  EXPECT_EQ(full.Read(context, 0, out).status(), state);
}

TEST(ReadAllTest, ReturnsTheMappingIfThereIsOne) {
  const auto asset = InMemoryAsset::FromString("/a", AssetVersion("1"), "0123456789");
  RequestContext context;
  const auto bytes = ReadAll(context, *asset, 10);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->bytes.data(), asset->GetBuffer()->bytes.data());
}

TEST(ReadAllTest, RejectsAssetsAboveTheLimit) {
  const auto asset = InMemoryAsset::FromString("/a", AssetVersion("1"), "0123456789");
  RequestContext context;
  const absl::Status refused = ReadAll(context, *asset, 9).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(refused), "'/a' has 10 bytes; at most 9 are allowed");
}

// Claims to have ten bytes, but ends after `count`. Each read returns one byte.
class ShortAsset final : public Asset {
 public:
  explicit ShortAsset(size_t count) : left_(count) {}
  const std::string& name() const override { return name_; }
  const AssetVersion& version() const override { return version_; }
  uint64_t size() const override { return 10; }
  absl::StatusOr<size_t> Read(RequestContext&, uint64_t offset,
                              std::span<std::byte> out) const override {
    EXPECT_EQ(offset + out.size(), 10u);
    if (offset >= left_) return size_t{0};
    out[0] = std::byte{'x'};
    return size_t{1};
  }

 private:
  const std::string name_ = "/short";
  const AssetVersion version_{"1"};
  const size_t left_;
};

TEST(ReadAllTest, AnAssetThatEndsEarlyIsDamaged) {
  RequestContext context;
  EXPECT_EQ(ReadAll(context, ShortAsset(10), 10).value().text(), std::string(10, 'x'));
  const absl::Status damaged = ReadAll(context, ShortAsset(4), 10).status();
  EXPECT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Message(damaged), "'/short' is truncated: it ended after 4 bytes");
}

TEST(ReadAllTest, EndsWithTheRequest) {
  RequestContext context;
  context.Cancel();
  EXPECT_EQ(ReadAll(context, ShortAsset(10), 10).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
