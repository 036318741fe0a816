#ifndef STAGEDOOR_SCENE_SHADE_MATERIAL_NETWORK_H_
#define STAGEDOOR_SCENE_SHADE_MATERIAL_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/shade/connection_problems.h"
#include "scene/stage/property.h"

namespace stagedoor {

// A source of values: an output or input of a node.
struct NetworkSource {
  uint32_t node;  // an index into the nodes of the network
  Token name;     // of the attribute, such as "outputs:rgb"
};

// An input of a node; in a graph, also an output.
struct NetworkPort {
  Attribute attribute;
  Attribute value;                         // that has its value; invalid if it has none
  std::vector<NetworkSource> connections;  // in order
};

struct NetworkNode {
  Prim prim;
  std::vector<NetworkPort> ports;  // in property order
};

// The shader that a renderer begins with, which makes a surface, a displacement or a volume.
struct NetworkTerminal {
  Token name;                  // "surface", "displacement", "volume"
  std::string render_context;  // of the output of the material; empty for all renderers
  NetworkSource source;
};

// The shaders of a material, and how they are connected.
struct MaterialNetwork {
  explicit MaterialNetwork(RequestContext& context) : reserved(context) {}

  std::vector<NetworkTerminal> terminals;
  std::vector<NetworkNode> nodes;  // breadth first, from the terminals
  Reservation reserved;            // for the nodes
};

struct MaterialNetworkOptions {
  // The contexts whose outputs are looked for, in this order, before those for all renderers.
  std::vector<std::string> render_contexts;
  // Whether the nodes are shaders only, connected as if materials and node graphs were not there;
  // otherwise also those, connected as authored.
  bool flatten = true;
};

// The network of a material. Its terminals are what OpenUSD's
// UsdShadeMaterial::ComputeSurfaceSource, ComputeDisplacementSource and ComputeVolumeSource return,
// its nodes those that connections lead to from there (in a graph, from the material), with their
// authored inputs. Incomplete once the request is over.
MaterialNetwork ComputeMaterialNetwork(RequestContext& context, const Prim& material,
                                       const MaterialNetworkOptions& options,
                                       ConnectionProblems& problems);

// The path of the material that `material` specializes; empty if there is none. Corresponds to
// UsdShadeMaterial::GetBaseMaterialPath.
Path BaseMaterialPath(const Prim& material);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_MATERIAL_NETWORK_H_
