#include "scene/stage/path_expressions.h"

#include "scene/layer/fields.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {
namespace {

// In the namespace of the stage.
PathExpressionTree ReadOpinion(const Prim& prim, const PropertyOpinion& opinion,
                               std::string_view text) {
  const auto parsed = PathExpressionTree::Parse(text);
  if (!parsed.ok()) return PathExpressionTree();
  const uint32_t node = prim.index().index->sites()[opinion.site].node;
  const PrimIndexNode& at = prim.index().index->nodes()[node];
  const bool maps_root = prim.index().MapsRoot(node);
  return parsed->MakeAbsolute(at.path.PrimPath()).MapPaths([&](Path path) {
    // What could not be anchored, or was to a variant, is left as it is (as OpenUSD does).
    if (!path.IsAbsolute()) return maps_root ? path : Path();
    if (path.ContainsVariantSelection()) return path;
    return prim.MapToStage(node, path);
  });
}

}  // namespace

PathExpressionTree ComposePathExpression(const Prim& prim, Token attribute,
                                         const PropertyOpinion& strongest, std::string_view text) {
  PathExpressionTree tree = ReadOpinion(prim, strongest, text);
  if (!tree.HasWeakerReference()) return tree;
  WalkProperty(*prim.index().index, attribute, [&](const PropertyOpinion& opinion) {
    if (opinion.site <= strongest.site) return true;
    const Value value = opinion.layer->Get(opinion.spec, Fields().default_);
    if (value.empty()) return true;
    const PathExpression* weaker = value.Get<PathExpression>();
    if (!weaker) return false;
    tree = tree.ComposeOver(ReadOpinion(prim, opinion, weaker->text));
    return tree.HasWeakerReference();
  });
  return tree.ComposeOver(PathExpressionTree());
}

}  // namespace stagedoor
