#ifndef STAGEDOOR_SCENE_SHADE_CONNECTIONS_H_
#define STAGEDOOR_SCENE_SHADE_CONNECTIONS_H_

#include <string_view>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/property.h"

namespace stagedoor {

// Connections between the inputs and outputs of materials, node graphs, shaders and lights.
// Correspond to OpenUSD's UsdShadeConnectableAPI.

// The names of inputs are "inputs:NAME", those of outputs "outputs:NAME".
inline constexpr std::string_view kInputs = "inputs:";
inline constexpr std::string_view kOutputs = "outputs:";
inline bool IsInput(Token attribute) { return attribute.text().starts_with(kInputs); }
inline bool IsOutput(Token attribute) { return attribute.text().starts_with(kOutputs); }
// NAME, of an input or output.
std::string_view BaseName(Token attribute);

// Whether a prim only passes values on: to what is in it by its inputs, and from that by its
// outputs. Materials, node graphs, lights and light filters do; a shader only if LightAPI itself is
// applied to it. Corresponds to IsContainer.
bool IsContainer(const Prim& prim);

// The inputs and outputs that an input or output is connected to, in order. Appends the paths of
// the connections that are none, or are missing, to `invalid`. Corresponds to GetConnectedSources.
std::vector<Attribute> ConnectedSources(RequestContext& context, const Attribute& attribute,
                                        std::vector<Path>* invalid);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_CONNECTIONS_H_
