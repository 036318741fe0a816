// describe_layer: prints what we make of layers, one JSON line for each file named on standard
// input, for random_layers.py:
//
//   {"opens": true, "text": …, "crate": …}
//   {"opens": false, "reason": …}
//
// "text" is the layer as we write it as text, and "crate" is the crate that we write of it, read
// back and written as text. The crate is also saved as FILE.ours.usdc. Where a layer cannot be
// written in a format, the reason is in "textFails" or "crateFails".
#include <fstream>
#include <iostream>
#include <string>

#include "nlohmann/json.hpp"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_writer.h"
#include "tests/tools/layer_io.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

void Write(const Layer& layer, const std::string& extension, const std::string& file,
           Json* answer) {
  const auto bytes = extension == "usda" ? WriteCompleteUsda(layer) : WriteUsdc(layer);
  const char* const key = extension == "usda" ? "text" : "crate";
  if (!bytes.ok()) {
    (*answer)[std::string(key) + "Fails"] = std::string(bytes.status().message());
    return;
  }
  if (extension == "usda") {
    (*answer)[key] = *bytes;
    return;
  }
  std::ofstream(file + ".ours.usdc", std::ios::binary) << *bytes;
  const auto read = ReadLayerBytes(*bytes, file + ".ours.usdc");
  (*answer)[key] = read.ok() ? WriteUsda(**read) : read.status().ToString();
}

Json AnswerFor(const std::string& file) {
  const auto layer = ReadLayerBytes(ReadFileBytes(file), file);
  if (!layer.ok()) return {{"opens", false}, {"reason", std::string(layer.status().message())}};
  Json answer = {{"opens", true}};
  Write(**layer, "usda", file, &answer);
  Write(**layer, "usdc", file, &answer);
  return answer;
}

}  // namespace
}  // namespace stagedoor

int main() {
  for (std::string file; std::getline(std::cin, file);) {
    const auto replace = nlohmann::json::error_handler_t::replace;
    std::cout << stagedoor::AnswerFor(file).dump(-1, ' ', false, replace) << std::endl;
  }
}
