#include "scene/usdz/usdz_format.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "resolver/package/zip_archive.h"
#include "scene/usdz/usdz_writer.h"

namespace stagedoor {
namespace {

constexpr int kMaxNesting = 8;

bool IsPackage(std::string_view first_bytes) { return first_bytes.starts_with("PK\3\4"); }

class PackageOpener {
 public:
  explicit PackageOpener(std::vector<LayerFormat> inner) : inner_(std::move(inner)) {}

  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    std::shared_ptr<const Asset> asset,
                                                    Layer::Info info) const {
    for (int depth = 0; depth < kMaxNesting; ++depth) {
      SD_ASSIGN_OR_RETURN(const ZipArchive archive, ZipArchive::Read(context, *asset));
      const ZipEntry& first = archive.entries().front();
      std::string name = Concat(asset->name(), "[", first.name, "]");
      SD_ASSIGN_OR_RETURN(asset, OpenEntry(std::move(asset), first, std::move(name)));
      std::array<std::byte, 16> head;
      SD_ASSIGN_OR_RETURN(const size_t size, asset->Read(context, 0, head));
      const std::string_view bytes(reinterpret_cast<const char*>(head.data()), size);
      const std::string extension = AssetExtension(first.name);
      if (extension == "usdz" || (extension == "usd" && IsPackage(bytes))) continue;
      const LayerFormat* const format = inner_.FindForReading(first.name, bytes);
      if (!format) return InvalidArgumentError(asset->name(), ": not a layer in any known format");
      return format->open(context, asset, std::move(info));
    }
    return InvalidArgumentError(asset->name(), ": packages are nested too deeply");
  }

 private:
  const LayerFormats inner_;
};

}  // namespace

LayerFormat UsdzFormat(std::vector<LayerFormat> inner) {
  LayerFormat format{.name = "usdz", .extensions = {"usdz"}};
  format.reads = IsPackage;
  format.write = UsdzBytes;
  const auto opener = std::make_shared<const PackageOpener>(std::move(inner));
  format.open = [opener](RequestContext& context, const std::shared_ptr<const Asset>& asset,
                         Layer::Info info) {
    return opener->Open(context, asset, std::move(info));
  };
  return format;
}

}  // namespace stagedoor
