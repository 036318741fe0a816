#include "scene/stage/path_expressions.h"

#include "base/status.h"
#include "scene/layer/field_keys.h"
#include "scene/values/path_expression_value.h"

namespace stagedoor {
namespace {

uint32_t NodeOf(const Prim& prim, const PropertyOpinion& opinion) {
  return prim.index().index->prim_stack()[opinion.site].node;
}

// Translates the paths of `tree` from the namespace of a node to that of the stage.
PathExpression Map(const Prim& prim, uint32_t node, const PathExpression& tree) {
  const bool maps_root = prim.index().MapsRoot(node);
  return tree.MapPaths([&](Path path) {
    // As in OpenUSD, paths that could not be anchored or contain a variant selection are not
    // translated.
    if (!path.IsAbsolute()) return maps_root ? path : Path();
    if (path.ContainsVariantSelection()) return path;
    return prim.MapToStage(node, path);
  });
}

// Matches nothing if the text is malformed or the request is over.
PathExpression Parse(RequestContext& context, std::string_view text) {
  constexpr size_t kMost = PathExpression::kMaxTextBytes;
  if (text.size() > kMost) {
    context.Fail(ResourceExhaustedError("cannot evaluate a path expression of ", text.size(),
                                        " bytes; the limit is ", kMost, " bytes"));
  }
  if (!context.Spend(text.size()).ok()) return PathExpression();
  return PathExpression::Parse(text).value_or(PathExpression());
}

// Reads the default of an opinion, anchored to its prim and in the namespace of the stage.
PathExpression ReadOpinion(RequestContext& context, const Prim& prim,
                           const PropertyOpinion& opinion, std::string_view text) {
  const uint32_t node = NodeOf(prim, opinion);
  const Path anchor = prim.index().index->nodes()[node].path.PrimPath();
  return Map(prim, node, Parse(context, text).MakeAbsolute(anchor));
}

}  // namespace

PathExpression MapPathExpression(RequestContext& context, const Prim& prim,
                                 const PropertyOpinion& opinion, std::string_view text) {
  return Map(prim, NodeOf(prim, opinion), Parse(context, text));
}

PathExpression ComposePathExpression(RequestContext& context, const Prim& prim, Token attribute,
                                     const PropertyOpinion& strongest, std::string_view text) {
  PathExpression tree = ReadOpinion(context, prim, strongest, text);
  if (!tree.ContainsWeakerExpressionReference()) return tree;
  WalkProperty(*prim.index().index, attribute, [&](const PropertyOpinion& opinion) {
    if (opinion.site <= strongest.site) return true;  // not weaker
    const Value value = opinion.layer->Get(opinion.spec, Fields().default_);
    if (value.empty()) return true;
    const PathExpressionValue* weaker = value.Get<PathExpressionValue>();
    if (!weaker) return false;  // a block or another type ends the search
    tree = tree.ComposeOver(ReadOpinion(context, prim, opinion, weaker->text));
    return tree.ContainsWeakerExpressionReference();
  });
  // A reference to a weaker expression that does not exist matches nothing.
  return tree.ComposeOver(PathExpression());
}

}  // namespace stagedoor
