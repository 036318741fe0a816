// layer_dump: prints the records of a layer file, for runs of the conformance cases during
// development.
//
//   layer_dump layer FILE          layer records as JSON
//   layer_dump write FILE OUT      writes the layer: as a crate where OUT ends in .usdc, as a
//   package where
//                                  it ends in .usdz, else as text
//   layer_dump time FILE           how fast the file is read and written
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/usdz/usdz_format.h"
#include "scene/usdz/usdz_writer.h"
#include "tests/tools/layer_dump_lib.h"

namespace stagedoor {
namespace {

Layer::Info Info(const std::string& file) {
  Layer::Info info;
  info.identifier = info.resolved_path = file;
  return info;
}

LayerFormat TextFormat() {
  LayerFormat format{.name = "usda", .extensions = {"usda"}, .reads = LooksLikeUsda};
  format.open = [](RequestContext& context, const std::shared_ptr<const Asset>& asset,
                   Layer::Info info) -> absl::StatusOr<std::shared_ptr<const Layer>> {
    SD_ASSIGN_OR_RETURN(const PinnedBytes content, ReadAll(context, *asset, asset->size()));
    return ReadUsda(content.text(), std::move(info));
  };
  return format;
}

// Rates of reading and writing, the best of five.
void Time(const std::string& text, const Layer& layer) {
  const auto best = [&](auto work) {
    double seconds = 1e9;
    for (int i = 0; i < 5; ++i) {
      const std::clock_t start = std::clock();  // processor time: others may be at work
      work();
      seconds = std::min(seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return seconds;
  };
  const double mib = static_cast<double>(text.size()) / (1 << 20);
  const double read = best([&] { (void)ReadUsda(text, Layer::Info()).ok(); });
  const double write = best([&] { (void)WriteUsda(layer).size(); });
  std::printf("read %.3f s, %.1f MiB/s, %.2f M specs/s; write %.3f s, %.1f MiB/s; %.1f MiB held\n",
              read, mib / read, layer.tree().size() / read / 1e6, write,
              WriteUsda(layer).size() / 1048576.0 / write, layer.byte_size() / 1048576.0);
}

// By content, as all readers here.
absl::StatusOr<std::shared_ptr<const Layer>> Read(const std::string& text,
                                                  const std::string& file) {
  const auto bytes = std::as_bytes(std::span(text));
  if (IsUsdc(bytes)) return ReadUsdc(bytes, RefPtr<const RefCounted>(), Info(file));
  if (text.starts_with("PK")) {
    RequestContext context;
    const auto asset = PinnedAsset::Own(file, AssetVersion("1"), text);
    return UsdzFormat({UsdcFormat(), TextFormat()}).open(context, asset, Info(file));
  }
  return ReadUsda(text, Info(file));
}

absl::StatusOr<std::string> Write(const Layer& layer, const std::string& out) {
  if (out.ends_with(".usdc")) return WriteUsdc(layer);
  if (out.ends_with(".usdz")) return WriteUsdz(layer, "root.usdc", {});
  return WriteUsda(layer);
}

int Run(const std::string& command, const std::string& file, const std::string& out) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto layer = Read(text, file);
  if (!layer.ok()) {
    std::cerr << layer.status() << "\n";
    std::cout << "{\"record\":\"layer\",\"error\":true}\n";
    return 1;
  }
  if (command == "write") {
    const auto written = Write(**layer, out);
    if (!written.ok()) return std::cerr << written.status() << "\n", 1;
    std::ofstream(out, std::ios::binary) << *written;
  } else if (command == "time") {
    Time(text, **layer);
  } else {
    std::cout << DumpLayer(**layer);
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr
        << "usage: layer_dump layer FILE | layer_dump write FILE OUT | layer_dump time FILE\n";
    return 2;
  }
  return stagedoor::Run(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
