#include "scene/stage/path_expressions.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "scene/layer/field_keys.h"
#include "scene/stage/clip_assets.h"
#include "scene/values/dictionary.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/rewrite_values.h"

namespace stagedoor {
namespace {

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

// Whether a composed expression has few enough parts; fails the request if not. Terms that opinions
// repeat can make it exponentially larger than their texts.
constexpr size_t kMostParts = size_t{1} << 20;
bool Fits(RequestContext& context, const PathExpression& tree) {
  if (tree.work() <= kMostParts) return context.Spend(tree.work()).ok();
  context.Fail(ResourceExhaustedError("cannot compose a path expression of more than ", kMostParts,
                                      " parts"));
  return false;
}

// The node that supplies the values of `source`; none for a fallback.
std::optional<uint32_t> NodeOf(RequestContext& context, const Prim& prim, Token attribute,
                               const AttributeSource& source) {
  if (source.opinion()) return prim.index().index->prim_stack()[source.opinion()->site].node;
  if (source.clip_attribute()) return FindClipNode(context, prim, attribute, source);
  return std::nullopt;
}

// The value `text` of a source, in the namespace of the stage.
PathExpression Read(RequestContext& context, const Prim& prim, Token attribute,
                    const AttributeSource& source, std::string_view text) {
  PathExpression tree = Parse(context, text);
  const std::optional<uint32_t> node = NodeOf(context, prim, attribute, source);
  if (!node) return tree;
  if (source.kind() != ResolveInfoSource::kDefault) return Map(prim, *node, tree);
  return Map(prim, *node, tree.MakeAbsolute(prim.index().index->nodes()[*node].path.PrimPath()));
}

PathExpressionValue MapText(RequestContext& context, const Prim& prim, uint32_t node,
                            const PathExpressionValue& expression) {
  return {Map(prim, node, Parse(context, expression.text)).ToText()};
}

}  // namespace

Value MapPathExpressions(RequestContext& context, const Prim& prim, uint32_t node, Value value) {
  // The type of an array is that of its elements.
  if (value.type() != ValueType::kPathExpression && !value.Is<Dictionary>()) return value;
  return RewriteValues(value, [&](const Value& held) -> std::optional<Value> {
    if (const auto* one = held.Get<PathExpressionValue>()) {
      return Value(MapText(context, prim, node, *one));
    }
    const auto* many = held.Get<Array<PathExpressionValue>>();
    if (!many) return std::nullopt;
    std::vector<PathExpressionValue> mapped;
    mapped.reserve(many->size());
    for (const PathExpressionValue& one : *many) {
      mapped.push_back(MapText(context, prim, node, one));
    }
    return Value(Array<PathExpressionValue>::FromVector(std::move(mapped)));
  });
}

PathExpression ComposePathExpression(RequestContext& context, const Prim& prim, Token attribute,
                                     const AttributeSource& source, std::string_view text,
                                     TimeCode time) {
  PathExpression tree = Read(context, prim, attribute, source, text);
  std::shared_ptr<const AttributeSource> held;
  for (const AttributeSource* at = &source;
       tree.work() <= kMostParts && tree.ContainsWeakerExpressionReference();) {
    held = at->Weaker(context);
    at = held.get();
    if (!at) break;
    const Value value = at->ValueAt(context, time, Interpolation::kHeld);
    const auto* weaker = value.Get<PathExpressionValue>();
    if (!weaker) break;  // a block or another type ends the search
    tree = tree.ComposeOver(Read(context, prim, attribute, *at, weaker->text));
  }
  if (!Fits(context, tree)) return PathExpression();
  // A reference to a weaker expression that does not exist matches nothing.
  return tree.ComposeOver(PathExpression());
}

Value ResolvePathExpressions(RequestContext& context, const Prim& prim, Token attribute,
                             const AttributeSource& source, Value value, TimeCode time) {
  if (const auto* one = value.Get<PathExpressionValue>()) {
    const PathExpression tree =
        ComposePathExpression(context, prim, attribute, source, one->text, time);
    return Value(PathExpressionValue{tree.ToText()});
  }
  if (value.type() != ValueType::kPathExpression) return value;
  const std::optional<uint32_t> node = NodeOf(context, prim, attribute, source);
  return node ? MapPathExpressions(context, prim, *node, std::move(value)) : value;
}

}  // namespace stagedoor
