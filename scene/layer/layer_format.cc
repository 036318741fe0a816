#include "scene/layer/layer_format.h"

#include <algorithm>

#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

// Stands for any format (Core Specification 7.5).
constexpr std::string_view kAnyFormat = "usd";

}  // namespace

const LayerFormat* LayerFormats::FindByName(std::string_view name) const {
  for (const LayerFormat& format : formats_) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const LayerFormat* LayerFormats::FindByExtension(std::string_view extension) const {
  for (const LayerFormat& format : formats_) {
    const std::vector<std::string>& known = format.extensions;
    if (std::find(known.begin(), known.end(), extension) != known.end()) return &format;
  }
  return nullptr;
}

const LayerFormat* LayerFormats::FindForWriting(std::string_view file_name) const {
  const std::string extension = AssetExtension(file_name);
  return extension == kAnyFormat ? FindByName("usdc") : FindByExtension(extension);
}

const LayerFormat* LayerFormats::FindForReading(std::string_view resolved_path,
                                                std::string_view first_bytes) const {
  const std::string extension = AssetExtension(resolved_path);
  if (const LayerFormat* format = FindByExtension(extension)) return format;
  if (extension != kAnyFormat && resolved_path.find("://") == std::string_view::npos) {
    return nullptr;
  }
  for (const LayerFormat& format : formats_) {
    if (format.reads && format.reads(first_bytes)) return &format;
  }
  return nullptr;
}

}  // namespace stagedoor
