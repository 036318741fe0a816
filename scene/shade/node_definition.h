#ifndef STAGEDOOR_SCENE_SHADE_NODE_DEFINITION_H_
#define STAGEDOOR_SCENE_SHADE_NODE_DEFINITION_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/values/value.h"

namespace stagedoor {

// The definition of a shader: an entry of a shader registry, or its source. Corresponds to
// OpenUSD's UsdShadeNodeDefAPI.

// The source of a shader for renderers of one kind.
struct NodeSource {
  std::string type;  // "osl" of info:osl:sourceAsset; empty: for all that have none of their own
  Value source;      // an AssetPath, the file; or a string, the code itself; may be empty
  Token sub_identifier;  // of one of several definitions in the file
};

// Values are those at the default time.
struct NodeDefinition {
  Token implementation_source;      // "id", "sourceAsset" or "sourceCode"; "id" for anything else
  Token id;                         // the name in the shader registry, if that is the source
  std::vector<NodeSource> sources;  // otherwise; the one for all first, then in property order
};

NodeDefinition ReadNodeDefinition(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_NODE_DEFINITION_H_
