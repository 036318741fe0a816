#include "tests/tools/shade_dump_networks.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/strings.h"
#include "scene/shade/connections.h"
#include "scene/shade/material_network.h"
#include "scene/shade/node_definition.h"
#include "scene/shade/value_producers.h"
#include "scene/values/asset_path.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

std::string PathText(const Attribute& attribute) { return attribute.path().ToString(); }

Json PathTexts(const std::vector<Attribute>& attributes) {
  Json texts = Json::array();
  for (const Attribute& attribute : attributes) texts.push_back(PathText(attribute));
  return texts;
}

Json Definition(RequestContext& context, const Prim& prim) {
  const NodeDefinition definition = ReadNodeDefinition(context, prim);
  Json sources = Json::object();
  for (const NodeSource& source : definition.sources) {
    const AssetPath* asset = source.source.Get<AssetPath>();
    const std::string* code = source.source.Get<std::string>();
    const std::string text = asset != nullptr ? asset->authored : code != nullptr ? *code : "";
    sources[source.type] = {text, std::string(source.sub_identifier.text())};
  }
  return {std::string(definition.implementation_source.text()), std::string(definition.id.text()),
          sources};
}

Json Nodes(const MaterialNetwork& network) {
  Json nodes = Json::object();
  for (const NetworkNode& node : network.nodes) {
    Json& ports = nodes[node.prim.PathText()] = Json::object();
    for (const NetworkPort& port : node.ports) {
      Json connections = Json::array();
      for (const NetworkSource& source : port.connections) {
        connections.push_back(
            Concat(network.nodes[source.node].prim.PathText(), ".", source.name.text()));
      }
      Json values = Json::array();
      if (port.value.valid()) values.push_back(PathText(port.value));
      ports[std::string(port.attribute.name().text())] = {connections, values};
    }
  }
  return nodes;
}

void AddMaterial(RequestContext& context, const Prim& prim, Json* record) {
  (*record)["base"] = BaseMaterialPath(prim).ToString();
  for (const std::string name : {"", "ri", "odd", "a:b"}) {
    ConnectionProblems problems(context);
    const MaterialNetwork network =
        ComputeMaterialNetwork(context, prim, {.render_contexts = {name}}, problems);
    Json terminals = Json::object();
    for (const NetworkTerminal& terminal : network.terminals) {
      terminals[std::string(terminal.name.text())] = {
          network.nodes[terminal.source.node].prim.PathText(),
          std::string(BaseName(terminal.source.name))};
    }
    (*record)["terminals " + name] = terminals;
    (*record)["nodes " + name] = Nodes(network);
  }
}

}  // namespace

void PrintNetworks(RequestContext& context, const Prim& prim) {
  Json record = {{"path", prim.PathText()}, {"definition", Definition(context, prim)}};
  if (prim.IsA(Token("Material"))) AddMaterial(context, prim, &record);
  std::cout << record.dump() << "\n";
  ConnectionProblems problems(context);
  ValueProducers producers(context, problems);
  for (const Token name : prim.AuthoredPropertyNames()) {
    const Attribute attribute = prim.GetAttribute(name);
    if (!attribute.valid() || (!IsInput(name) && !IsOutput(name))) continue;
    const Json found = {{"path", PathText(attribute)},
                        {"producers", PathTexts(producers.Find(attribute, false))},
                        {"outputs", PathTexts(producers.Find(attribute, true))}};
    std::cout << found.dump() << "\n";
  }
}

}  // namespace stagedoor
