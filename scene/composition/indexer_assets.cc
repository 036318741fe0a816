// PrimIndexer: references and payloads.
#include "base/status.h"
#include "base/strings.h"
#include "scene/composition/expression.h"
#include "scene/composition/layer_rates.h"
#include "scene/composition/prim_indexer.h"
#include "scene/paths/identifier.h"

namespace stagedoor {
namespace {

bool IsAssetArc(Arc arc) { return arc == Arc::kReference || arc == Arc::kPayload; }

// Internal references see all of their own namespace, but what is outside of their target is not
// what a load rule means.
Path MapUpForPayload(const MapFunction& map, Arc arc, Path path) {
  if (map.HasRootIdentity() && IsAssetArc(arc)) {
    return map.WithoutRootIdentity().MapSourceToTarget(path);
  }
  return map.MapSourceToTarget(path);
}

Path MapToRootForPayload(const PrimGraph& graph, NodeId node, Path path) {
  const MapFunction& to_root = graph[node].to_root;
  Path mapped = to_root.MapSourceToTarget(path);
  if (mapped != path || !to_root.HasRootIdentity()) return mapped;
  for (NodeId n = node; !mapped.empty() && graph[n].parent != kNoNode; n = graph[n].parent) {
    mapped = MapUpForPayload(graph[n].to_parent, graph[n].arc, mapped);
  }
  return mapped;
}

bool HasSpecsBelow(const PrimGraph& graph, NodeId id, bool at_introduction) {
  const GraphNode& node = graph[id];
  if (at_introduction ? !FindSpecs(*node.stack, graph.PathAtIntroduction(id)).empty()
                      : node.has_specs()) {
    return true;
  }
  for (NodeId c = node.first_child; c != kNoNode; c = graph[c].next) {
    if (HasSpecsBelow(graph, c, at_introduction)) return true;
  }
  return false;
}

// Asset paths are UTF-8 without control characters.
bool IsAssetPath(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    uint32_t code = 0;
    const size_t length = DecodeUtf8(text, at, &code);
    if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    at += length;
  }
  return true;
}

}  // namespace

AnchorAsset PrimIndexer::Anchor(const LayerStack& stack, std::string_view what) {
  return [this, &stack, what](const Layer& layer, AssetArc* arc) {
    if (!budget_.SpendOnScan(kItemsPerListItem)) return false;
    if (arc->authored.empty()) return true;
    if (IsVariableExpression(arc->authored)) {
      StringExpressionResult result =
          EvaluateStringExpression(context_, arc->authored, stack.expression_variables());
      if (!result.errors.empty()) {
        AddError(CompositionErrorType::kVariableExpressionError,
                 Concat(layer.identifier(), ": ", what, " ", arc->authored, ": ",
                        Join(result.errors, "; ")));
      }
      if (result.value.empty()) return false;  // how a reference is made conditional
      // A short expression may stand for a long path, as often as the content likes.
      if (!context_.Reserve(result.value.size(), "asset paths made by expressions").ok()) {
        return false;
      }
      arc->authored = std::move(result.value);
      if (!IsAssetPath(arc->authored)) {
        arc->authored.clear();  // leaves a reference to this layer stack itself, as in OpenUSD
        return true;
      }
    }
    arc->identifier = env_.Identify(context_, layer, arc->authored);
    return true;
  };
}

void PrimIndexer::EvaluateReferences(NodeId node) {
  if (!graph_[node].contributes()) return;
  const LayerStack& stack = *graph_[node].stack;
  size_t items = 0;
  const std::vector<AssetArc> arcs =
      ComposeReferences(stack, graph_[node].specs, Anchor(stack, "reference"), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  AddAssetArcs(node, Arc::kReference, arcs);
}

void PrimIndexer::EvaluatePayloads(NodeId node) {
  if (!graph_[node].contributes()) return;
  const LayerStack& stack = *graph_[node].stack;
  size_t items = 0;
  const std::vector<AssetArc> arcs =
      ComposePayloads(stack, graph_[node].specs, Anchor(stack, "payload"), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  if (arcs.empty()) return;
  out_.has_payloads = true;
  if (!IncludesPayload(node)) return;
  AddAssetArcs(node, Arc::kPayload, arcs);
}

bool PrimIndexer::IncludesPayload(NodeId node) {
  const std::function<bool(Path)>& included = env_.include_payload();
  if (!included) {
    out_.payload_included = true;
    return true;
  }
  // The payload of an ancestor of some arc's target has no path of its own on the stage: always
  // included.
  const Path path = PayloadPath(node);
  if (path.empty()) return true;
  if (!request_.tree_root.empty()) return false;  // who shares this composes for itself
  out_.asked_for_payload = true;
  if (!included(path)) return false;
  out_.payload_included = true;
  return true;
}

// The path on the stage whose load rule governs the payloads of a node.
Path PrimIndexer::PayloadPath(NodeId node) const {
  Path path = MapToRootForPayload(graph_, node, graph_[node].path.StripVariantSelections());
  for (const IndexFrame* f = request_.frame; f && !path.empty(); f = f->previous) {
    path = MapUpForPayload(f->arc->to_parent, f->arc->type, path);
    if (!path.empty()) path = MapToRootForPayload(*f->graph, f->parent, path);
  }
  return path;
}

void PrimIndexer::AddAssetArcs(NodeId node, Arc type, const std::vector<AssetArc>& arcs) {
  for (size_t i = 0; i < arcs.size() && !budget_.stopped(); ++i) {
    AddAssetArc(node, type, arcs[i], static_cast<int>(i));
  }
}

// The stack of an external arc; null when it is left out.
const LayerStack* PrimIndexer::OpenTarget(NodeId node, const AssetArc& arc) {
  if (env_.IsMuted(arc.identifier)) {
    AddError(CompositionErrorType::kMutedAssetPath,
             Concat(arc.layer->identifier(), ": ", Quoted(arc.authored), " is muted"));
    return nullptr;
  }
  const absl::StatusOr<const LayerStack*> stack =
      env_.OpenStack(context_, arc.identifier, graph_[node].stack->shared_expression_variables());
  if (stack.ok()) return *stack;
  AddError(CompositionErrorType::kInvalidAssetPath,
           Concat(arc.layer->identifier(), " <", graph_[node].path.ToString(),
                  ">: ", Quoted(arc.authored), ": ", Message(stack.status())));
  return nullptr;
}

void PrimIndexer::AddAssetArc(NodeId node, Arc type, const AssetArc& arc, int number) {
  budget_.SpendOnScan(kItemsPerListItem + arc.authored.size());
  const auto where = [&] {
    return Concat(arc.layer->identifier(), " <", graph_[node].path.ToString(), ">: the ",
                  ArcName(type), " to ", arc.authored, "<", arc.prim_path.ToString(), ">");
  };
  const Path authored = arc.prim_path;
  if (!authored.empty() &&
      (!authored.IsAbsolute() || !authored.IsPrim() || authored.ContainsVariantSelection())) {
    AddError(CompositionErrorType::kInvalidPrimPath, Concat(where(), " must name a prim"));
  }
  const bool internal = arc.identifier.empty();
  LayerOffset offset = arc.offset;
  if (!offset.IsValid()) {
    AddError(CompositionErrorType::kInvalidReferenceOffset,
             Concat(where(), " has an invalid offset, which is ignored"));
    offset = LayerOffset();
  } else if (!internal) {
    offset = arc.layer_offset * offset;
  }
  if (!authored.empty() &&
      (!authored.IsAbsolute() || !authored.IsPrim() || authored.ContainsVariantSelection())) {
    return;
  }
  const LayerStack* stack = internal ? graph_[node].stack : OpenTarget(node, arc);
  if (!stack) return;
  if (!internal) {
    offset = Rescaled(offset, arc.layer->TimeCodesPerSecond(), stack->time_codes_per_second());
  }
  ArcOptions options;
  Path target = authored;
  if (target.empty()) {
    target = stack->default_prim();
    if (target.empty()) {
      AddError(CompositionErrorType::kUnresolvedPrimPath,
               Concat(where(), " names no prim, and ", stack->root_layer().identifier(),
                      " has no defaultPrim"));
      target = Path::AbsoluteRoot();  // a placeholder
      options.contributes = false;
    }
  }
  MapFunction map = MapOfArc(target, graph_[node].path, *graph_[node].stack, offset);
  if (internal) map = map.WithRootIdentity();
  options.ancestral = target.depth() != 1;
  AddArc(type, node, node, {stack, target}, map, number, options);
}

// Told only once all arcs are there: any of them may bring the prim about.
void PrimIndexer::CheckTarget(NodeId node) {
  const bool ancestral = graph_.DepthBelowIntroduction(node) != 0;
  if (HasSpecsBelow(graph_, node, ancestral)) return;
  const GraphNode& n = graph_[node];
  AddError(CompositionErrorType::kUnresolvedPrimPath,
           Concat("the ", ArcName(n.arc), " at <", graph_[n.parent].path.ToString(), "> to ",
                  n.stack->root_layer().identifier(), "<",
                  graph_.PathAtIntroduction(node).ToString(), ">: there is no such prim"));
}

}  // namespace stagedoor
