#include "scene/usdz/usdz_writer.h"

#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/package/zip_writer.h"
#include "scene/usdc/usdc_writer.h"

namespace stagedoor {
namespace {

std::string RootName(const Layer& layer) {
  if (layer.info().anonymous) return "root.usdc";
  const auto [package, inside] = SplitPackagePathInner(layer.identifier());
  const std::string_view path = inside.empty() ? package : inside;
  const size_t slash = path.rfind('/');
  std::string_view stem = slash == std::string_view::npos ? path : path.substr(slash + 1);
  stem = stem.substr(0, stem.rfind('.'));
  return stem.empty() ? "root.usdc" : Concat(stem, ".usdc");
}

}  // namespace

absl::StatusOr<std::string> WriteUsdz(const Layer& layer, std::string_view root_name,
                                      std::span<const PackageFile> files) {
  SD_ASSIGN_OR_RETURN(const std::string root, WriteUsdc(layer));
  std::string package;
  ZipWriter writer([&package](std::string_view bytes) {
    package += bytes;
    return absl::OkStatus();
  });
  SD_RETURN_IF_ERROR(writer.Add(root_name, std::string_view(root)));
  for (const PackageFile& file : files) SD_RETURN_IF_ERROR(writer.Add(file.name, file.content));
  SD_RETURN_IF_ERROR(writer.Finish());
  return package;
}

absl::StatusOr<std::string> WriteUsdz(const Layer& layer) {
  return WriteUsdz(layer, RootName(layer), {});
}

}  // namespace stagedoor
