// layer_dump: prints the records of a layer file, for running conformance cases during development.
//
//   layer_dump layer FILE          layer records as JSON
//   layer_dump write FILE OUT      writes the layer: as a crate if OUT ends in .usdc, as a package
//                                  if it ends in .usdz, else as text
//   layer_dump time FILE           measures reading and writing the file
//   layer_dump each                writes the records of FILE to OUT for each line 'FILE OUT' of
//                                  standard input
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"
#include "tests/tools/layer_dump_lib.h"
#include "tests/tools/layer_io.h"

namespace stagedoor {
namespace {

// Prints the rates of reading and writing, the best of five runs.
void Time(const std::string& text, const Layer& layer) {
  const auto best = [&](auto work) {
    double seconds = 1e9;
    for (int i = 0; i < 5; ++i) {
      const std::clock_t start = std::clock();  // processor time, since the machine may be busy
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

int Run(const std::string& command, const std::string& file, const std::string& out) {
  const std::string text = ReadFileBytes(file);
  const auto layer = ReadLayerBytes(text, file);
  if (!layer.ok()) {
    std::cerr << layer.status() << "\n";
    std::cout << "{\"record\":\"layer\",\"error\":true}\n";
    return 1;
  }
  if (command == "write") {
    const auto written = WriteLayerAs(**layer, out.substr(out.rfind('.') + 1));
    if (!written.ok()) return std::cerr << written.status() << "\n", 1;
    std::ofstream(out, std::ios::binary) << *written;
  } else if (command == "time") {
    Time(text, **layer);
  } else {
    std::cout << DumpLayer(**layer);
  }
  return 0;
}

// Handles thousands of small generated layers in one process.
int RunEach(std::istream& lines) {
  for (std::string file, out; lines >> file >> out;) {
    const auto layer = ReadLayerBytes(ReadFileBytes(file), file);
    std::ofstream(out, std::ios::binary)
        << (layer.ok() ? DumpLayer(**layer) : "{\"record\":\"layer\",\"error\":true}\n");
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "each") return stagedoor::RunEach(std::cin);
  if (argc < 3) {
    std::cerr << "usage: layer_dump layer FILE | layer_dump write FILE OUT | layer_dump time FILE "
                 "| layer_dump each\n";
    return 2;
  }
  return stagedoor::Run(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
