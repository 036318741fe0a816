// write_layers OUT: writes every test layer in every format, as OUT/N.usda, OUT/N.usdc and
// OUT/N.usdz, and prints a line 'N FILE' for each. Used by usd_core_test.py.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>

#include "tests/tools/layer_io.h"

namespace stagedoor {
namespace {

bool WriteAll(const std::string& file, const std::string& stem) {
  const auto layer = ReadLayerBytes(ReadFileBytes(file), file);
  if (!layer.ok()) return false;  // the corpus also has layers that must be rejected
  for (const std::string extension : {"usda", "usdc", "usdz"}) {
    const auto bytes = WriteLayerAs(**layer, extension);
    if (!bytes.ok()) {
      std::cerr << file << " as " << extension << ": " << bytes.status() << "\n";
      return false;
    }
    std::ofstream(stem + "." + extension, std::ios::binary) << *bytes;
  }
  return true;
}

int Run(const std::string& out) {
  int written = 0;
  for (const std::string& file : TestLayerFiles()) {
    if (!WriteAll(file, out + "/" + std::to_string(written))) continue;
    std::error_code error;
    std::cout << written++ << " " << std::filesystem::absolute(file, error).string() << "\n";
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_layers OUT\n";
    return 2;
  }
  return stagedoor::Run(argv[1]);
}
