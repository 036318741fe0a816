#include "scene/usdc/usdc_format.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "resolver/asset.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {
namespace {

struct AssetPin : RefCounted {
  explicit AssetPin(std::shared_ptr<const void> p) : pin(std::move(p)) {}
  const std::shared_ptr<const void> pin;
};

// The owner that keeps `content` alive. Bytes in our own memory never change; for all others, the
// asset is checked for changes.
RefPtr<const RefCounted> OwnerOf(std::shared_ptr<const Asset> asset, PinnedBytes content,
                                 const Layer::Info& info, SourceWatch* watch) {
  const bool own = dynamic_cast<const InMemoryAsset*>(asset.get()) || !asset->GetBuffer();
  if (own) return MakeRef<AssetPin>(std::move(content.pin));
  return MakeRef<SourceBytes>(
      SourceName(info.resolved_path, info.version),
      [asset = std::move(asset)] { return asset->Check(); }, std::move(content.pin), watch);
}

}  // namespace

LayerFormat UsdcFormat(SourceWatch* watch, std::shared_ptr<ByteBudget> expansions) {
  LayerFormat format{.name = "usdc", .extensions = {"usdc"}};
  format.reads = [](std::string_view first_bytes) {
    return IsUsdc(std::as_bytes(std::span(first_bytes)));
  };
  format.open = [watch, expansions = std::move(expansions)](
                    RequestContext& context, const std::shared_ptr<const Asset>& asset,
                    Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
    SD_ASSIGN_OR_RETURN(PinnedBytes content, ReadAll(context, *asset, asset->size()));
    const auto bytes = content.bytes;
    auto owner = OwnerOf(asset, std::move(content), info, watch);
    return ReadUsdc(bytes, std::move(owner), std::move(info), expansions);
  };
  format.write = UsdcBytes;
  return format;
}

}  // namespace stagedoor
