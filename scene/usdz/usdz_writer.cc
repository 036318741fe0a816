#include "scene/usdz/usdz_writer.h"

#include "base/status_macros.h"
#include "resolver/package/zip_writer.h"
#include "scene/usdc/usdc_writer.h"

namespace stagedoor {

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

}  // namespace stagedoor
