// layer_dump: prints the records of a layer file, for runs of the conformance cases during development.
//
//   layer_dump layer FILE          layer records as JSON
//   layer_dump write FILE OUT      writes the layer as text
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "scene/usda/usda_reader.h"
#include "tests/tools/layer_dump_lib.h"

namespace stagedoor {
namespace {

int Run(const std::string& command, const std::string& file, const std::string& out) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto layer = ReadUsda(text, {.identifier = file, .resolved_path = file});
  if (!layer.ok()) {
    std::cerr << layer.status() << "\n";
    std::cout << "{\"record\":\"layer\",\"error\":true}\n";
    return 1;
  }
  std::cout << DumpLayer(**layer);
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: layer_dump layer FILE | layer_dump write FILE OUT\n";
    return 2;
  }
  return stagedoor::Run(argv[1], argv[2], argc > 3 ? argv[3] : "");
}
