#include "scene/shade/material_network.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/composition/prim_index.h"
#include "scene/shade/connections.h"
#include "scene/shade/shade_tokens.h"
#include "scene/shade/value_producers.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr std::string_view kTerminals[] = {"surface", "displacement", "volume"};
constexpr size_t kNodeBytes = sizeof(NetworkNode) + 96;  // with the entry of the map

class NetworkBuilder {
 public:
  NetworkBuilder(RequestContext& context, const MaterialNetworkOptions& options,
                 ConnectionProblems& problems)
      : context_(context),
        options_(options),
        problems_(problems),
        producers_(context, problems),
        pacer_(context),
        network_(context) {}

  MaterialNetwork Build(const Prim& material) {
    if (!options_.flatten) NodeOf(material);
    for (const std::string_view name : kTerminals) AddTerminal(material, name);
    // Adding the ports of a node may add nodes.
    for (size_t i = 0; i < network_.nodes.size() && pacer_.Go(); ++i) AddPorts(i);
    return std::move(network_);
  }

 private:
  void AddTerminal(const Prim& material, std::string_view name) {
    for (const std::string& context : options_.render_contexts) {
      if (!context.empty() && AddTerminal(material, name, context)) return;
    }
    AddTerminal(material, name, "");
  }

  bool AddTerminal(const Prim& material, std::string_view name, const std::string& context) {
    const auto output = Token::Find(Concat(kOutputs, context, context.empty() ? "" : ":", name));
    const Attribute attribute = output ? material.GetAttribute(*output) : Attribute();
    if (!attribute.valid()) return false;
    const std::vector<Attribute> found = producers_.Find(attribute, /*outputs_only=*/true);
    if (found.empty()) return false;
    // As in OpenUSD, another prim than a shader leaves the material without this terminal.
    if (!found.front().prim().IsA(Shade().Shader)) return true;
    network_.terminals.push_back(
        {.name = Token(name), .render_context = context, .source = SourceOf(found.front())});
    return true;
  }

  NetworkSource SourceOf(const Attribute& attribute) {
    return {.node = NodeOf(attribute.prim()), .name = attribute.name()};
  }

  uint32_t NodeOf(const Prim& prim) {
    const auto next = static_cast<uint32_t>(network_.nodes.size());
    const auto [it, is_new] = numbers_.try_emplace(prim, next);
    if (is_new && network_.reserved.Grow(kNodeBytes, "shader nodes").ok()) {
      network_.nodes.push_back({.prim = prim, .ports = {}});
    }
    return it->second;
  }

  void AddPorts(size_t node) {
    const Prim prim = network_.nodes[node].prim;
    std::vector<NetworkPort> ports;
    for (const Token name : prim.AuthoredPropertyNames()) {
      if (!pacer_.Go()) break;
      if (!IsInput(name) && (options_.flatten || !IsOutput(name))) continue;
      const Attribute attribute = prim.GetAttribute(name);
      if (!attribute.valid()) continue;
      ports.push_back(options_.flatten ? FlatPort(attribute) : GraphPort(attribute));
      const size_t bytes =
          sizeof(NetworkPort) + ports.back().connections.size() * sizeof(NetworkSource);
      if (!network_.reserved.Grow(bytes, "inputs of shaders").ok()) break;
    }
    network_.nodes[node].ports = std::move(ports);
  }

  // A port that is connected to shaders only.
  NetworkPort FlatPort(const Attribute& attribute) {
    NetworkPort port{.attribute = attribute, .value = {}, .connections = {}};
    for (const Attribute& producer : producers_.Find(attribute, /*outputs_only=*/false)) {
      if (!pacer_.Go()) break;
      if (IsOutput(producer.name()) && !IsContainer(producer.prim())) {
        port.connections.push_back(SourceOf(producer));
      } else if (!port.value.valid()) {
        port.value = producer;
      }
    }
    return port;
  }

  // A port that is connected as authored.
  NetworkPort GraphPort(const Attribute& attribute) {
    NetworkPort port{.attribute = attribute, .value = {}, .connections = {}};
    if (attribute.HasAuthoredValue(context_)) port.value = attribute;
    std::vector<Path> invalid;
    for (const Attribute& source : ConnectedSources(context_, attribute, &invalid)) {
      port.connections.push_back(SourceOf(source));
    }
    for (const Path source : invalid) {
      problems_.Add({.attribute = attribute.path(),
                     .source = source,
                     .reason = ConnectionProblem::Reason::kNoSource});
    }
    return port;
  }

  RequestContext& context_;
  const MaterialNetworkOptions& options_;
  ConnectionProblems& problems_;
  ValueProducers producers_;
  Pacer pacer_;
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };
  std::unordered_map<Prim, uint32_t, PrimHash> numbers_;
  MaterialNetwork network_;
};

}  // namespace

MaterialNetwork ComputeMaterialNetwork(RequestContext& context, const Prim& material,
                                       const MaterialNetworkOptions& options,
                                       ConnectionProblems& problems) {
  return NetworkBuilder(context, options, problems).Build(material);
}

Path BaseMaterialPath(const Prim& material) {
  for (const PrimIndexNode& node : material.index().index->nodes()) {
    if (node.arc != ArcType::kSpecialize || node.parent != 0) continue;
    const Path path = material.MapToStage(0, node.path);
    if (path.empty()) continue;
    const Prim base = material.stage().FindPrim(path);
    if (base.valid() && base.IsA(Shade().Material)) return path;
  }
  return Path();
}

}  // namespace stagedoor
