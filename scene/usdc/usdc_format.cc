#include "scene/usdc/usdc_format.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status_macros.h"
#include "resolver/asset.h"
#include "scene/usdc/sparse_source.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/array_owner.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {
namespace {

struct AssetPin : AssetArrayOwner {
  AssetPin(std::shared_ptr<const void> p, const Origin& origin)
      : AssetArrayOwner(origin), pin(std::move(p)) {}
  const std::shared_ptr<const void> pin;
};

// The origin that identifies the arrays in `content`, unless the version of its asset is unknown.
AssetArrayOwner::Origin OriginOf(std::span<const std::byte> content, const Layer::Info& info) {
  if (info.content_version.empty()) return {};
  Fingerprinter fingerprinter;
  fingerprinter.Add(info.resolved_path);
  fingerprinter.Add(info.content_version);
  // The content version of a large file covers only a sample.
  fingerprinter.Add(info.version);
  return {fingerprinter.FinishWords(), content.data()};
}

// The owner that keeps `content` alive. Bytes in our own memory never change; for all others, the
// asset is checked for changes.
RefPtr<const RefCounted> OwnerOf(std::shared_ptr<const Asset> asset, PinnedBytes content,
                                 const Layer::Info& info, SourceWatch* watch) {
  const bool own = dynamic_cast<const InMemoryAsset*>(asset.get()) || !asset->GetBuffer();
  const AssetArrayOwner::Origin origin = OriginOf(content.bytes, info);
  if (own) return MakeRef<AssetPin>(std::move(content.pin), origin);
  return MakeRef<SourceBytes>(
      SourceName(info.resolved_path, info.version),
      [asset = std::move(asset)] { return asset->Check(); }, std::move(content.pin), watch, origin);
}

}  // namespace

LayerFormat UsdcFormat(SourceWatch* watch, std::shared_ptr<MemoryPool> expansions) {
  LayerFormat format{.name = "usdc", .extensions = {"usdc"}};
  format.reads = [](std::string_view first_bytes) {
    return IsUsdc(std::as_bytes(std::span(first_bytes)));
  };
  format.open = [watch, expansions = std::move(expansions)](
                    RequestContext& context, const std::shared_ptr<const Asset>& asset,
                    Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
    if (const auto sparse = asset->GetSparseBuffer()) {
      const std::span<const std::byte> bytes = sparse->bytes();
      auto source = MakeRef<SparseSource>(*sparse, OriginOf(bytes, info));
      return ReadUsdc(bytes, std::move(source), std::move(info), expansions);
    }
    SD_ASSIGN_OR_RETURN(PinnedBytes content, ReadAll(context, *asset, asset->size()));
    const auto bytes = content.bytes;
    auto owner = OwnerOf(asset, std::move(content), info, watch);
    return ReadUsdc(bytes, std::move(owner), std::move(info), expansions);
  };
  format.write = UsdcBytes;
  return format;
}

}  // namespace stagedoor
