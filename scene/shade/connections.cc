#include "scene/shade/connections.h"

#include <algorithm>

#include "base/pacer.h"
#include "scene/shade/shade_tokens.h"
#include "scene/stage/stage.h"
#include "scene/values/list_op.h"

namespace stagedoor {

std::string_view BaseName(Token attribute) {
  const std::string_view name = attribute.text();
  return name.substr(IsInput(attribute) ? kInputs.size() : kOutputs.size());
}

namespace {

// Whether LightAPI itself is among the authored schemas, rather than built into another one.
bool AppliesLightApi(const Prim& prim) {
  RequestContext unbounded;
  const Value value = prim.Metadata(unbounded, Shade().apiSchemas);
  const auto* schemas = value.Get<ListOp<Token>>();
  if (schemas == nullptr) return false;
  std::vector<Token> applied;
  schemas->ApplyTo(&applied);
  return std::find(applied.begin(), applied.end(), Shade().LightAPI) != applied.end();
}

}  // namespace

bool IsContainer(const Prim& prim) {
  const ShadeTokens& tokens = Shade();
  if (prim.IsA(tokens.NodeGraph) || prim.IsA(tokens.LightFilter)) return true;
  return prim.HasApi(tokens.LightAPI) && (!prim.IsA(tokens.Shader) || AppliesLightApi(prim));
}

std::vector<Attribute> ConnectedSources(RequestContext& context, const Attribute& attribute,
                                        std::vector<Path>* invalid) {
  std::vector<Attribute> sources;
  Pacer pacer(context);
  for (const Path path : attribute.Connections(context)) {
    if (!pacer.Go()) break;
    Attribute source;
    if (path.IsProperty() && (IsInput(path.name()) || IsOutput(path.name()))) {
      const Prim prim = attribute.prim().stage().FindPrim(path.PrimPath());
      if (prim.valid()) source = prim.GetAttribute(path.name());
    }
    if (source.valid()) {
      sources.push_back(source);
    } else {
      invalid->push_back(path);
    }
  }
  return sources;
}

}  // namespace stagedoor
