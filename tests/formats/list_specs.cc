// list_specs: prints the specs that we read from layers, one JSON line for each file named on
// standard input, in the form in which usd_core_specs.py prints those that usd-core reads:
//
//   {"file": …, "opens": true, "specs": {PATH: [TYPE, FIELD, …]}, "text": true}
//
// "text" is whether the layer, written as text, can be read back.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/tools/layer_io.h"

namespace stagedoor {
namespace {

const char* Word(SpecType type) {
  switch (type) {
    case SpecType::kPseudoRoot:
      return "pseudoRoot";
    case SpecType::kPrim:
      return "prim";
    case SpecType::kAttribute:
      return "attribute";
    case SpecType::kRelationship:
      return "relationship";
    case SpecType::kVariantSet:
      return "variantSet";
    case SpecType::kVariant:
      return "variant";
  }
  return "";
}

nlohmann::json SpecsOf(const Layer& layer) {
  nlohmann::json specs = nlohmann::json::object();
  for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
    std::vector<std::string> fields;
    for (const Token field : layer.FieldNames(spec)) fields.push_back(field.str());
    std::sort(fields.begin(), fields.end());
    fields.insert(fields.begin(), Word(layer.tree().type(spec)));
    specs[layer.tree().path(spec).ToString()] = fields;
  }
  return specs;
}

nlohmann::json AnswerFor(const std::string& file) {
  nlohmann::json answer = {{"file", file}, {"opens", false}};
  const auto layer = ReadLayerBytes(ReadFileBytes(file), file);
  if (!layer.ok()) {
    answer["reason"] = layer.status().ToString();
    return answer;
  }
  answer["opens"] = true;
  answer["specs"] = SpecsOf(**layer);
  const auto text = WriteLayerAs(**layer, "usda");
  answer["text"] = text.ok() && ReadLayerBytes(*text, file).ok();
  return answer;
}

}  // namespace
}  // namespace stagedoor

int main() {
  for (std::string file; std::getline(std::cin, file);) {
    const auto replace = nlohmann::json::error_handler_t::replace;
    std::cout << stagedoor::AnswerFor(file).dump(-1, ' ', false, replace) << "\n";
  }
}
