#include "tests/tools/layer_io.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "scene/usda/usda_format.h"
#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/usdz/usdz_format.h"
#include "scene/usdz/usdz_writer.h"

namespace stagedoor {
namespace {

struct OwnedBytes : RefCounted {
  explicit OwnedBytes(std::string b) : bytes(std::move(b)) {}
  const std::string bytes;
};

}  // namespace

std::string ReadFileBytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

absl::StatusOr<std::shared_ptr<const Layer>> ReadLayerBytes(std::string bytes,
                                                            const std::string& file) {
  Layer::Info info;
  info.identifier = info.resolved_path = file;
  if (IsUsdc(std::as_bytes(std::span(bytes)))) {
    auto owner = MakeRef<OwnedBytes>(std::move(bytes));
    const auto view = std::as_bytes(std::span(owner->bytes));
    return ReadUsdc(view, std::move(owner), std::move(info));
  }
  if (bytes.starts_with("PK")) {
    RequestContext context;
    const auto asset = InMemoryAsset::FromString(file, AssetVersion("1"), std::move(bytes));
    return UsdzFormat({UsdcFormat(), UsdaFormat()}).open(context, asset, std::move(info));
  }
  return ReadUsda(bytes, std::move(info));
}

absl::StatusOr<std::string> WriteLayerAs(const Layer& layer, std::string_view extension) {
  if (extension == "usdc") return WriteUsdc(layer);
  if (extension == "usdz") return WriteUsdz(layer, "root.usdc", {});
  return WriteUsda(layer);
}

std::vector<std::string> LayerFilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder, std::filesystem::directory_options::follow_directory_symlink)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && extension.starts_with(".usd")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> TestLayerFiles() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/data", "scene"}) {
    for (std::string& file : LayerFilesBelow(folder)) files.push_back(std::move(file));
  }
  const char* corpus = std::getenv("STAGEDOOR_CONFORMANCE");
  const std::string cases = corpus ? std::string(corpus) + "/cases" : std::string();
  if (!corpus || !std::filesystem::is_directory(cases)) {
    std::puts("conformance layers: skipped: STAGEDOOR_CONFORMANCE does not name a corpus");
    return files;
  }
  for (std::string& file : LayerFilesBelow(cases)) files.push_back(std::move(file));
  return files;
}

}  // namespace stagedoor
