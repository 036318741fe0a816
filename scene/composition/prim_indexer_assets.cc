// PrimIndexer: references and payloads (Core Specification, 10.3.2.1 and 10.3.2.2).
#include "base/status.h"
#include "base/strings.h"
#include "scene/composition/layer_rates.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/variable_expression.h"
#include "scene/paths/identifier.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

bool IsAssetArc(ArcType arc) { return arc == ArcType::kReference || arc == ArcType::kPayload; }

// Internal references map the whole namespace, but a load rule for a prim outside of their target
// is not one for the prim that they bring in, so the root identity must not apply.
Path MapUpForPayload(const MapFunction& map, ArcType arc, Path path) {
  if (map.HasRootIdentity() && IsAssetArc(arc)) {
    return map.WithoutRootIdentity().MapSourceToTarget(path);
  }
  return map.MapSourceToTarget(path);
}

// Maps to the root of the graph. The steps are only taken one by one if the path may have been
// mapped by the root identity, which the composed mapping does not show.
Path MapToRootForPayload(const PrimIndexGraph& graph, NodeId node, Path path) {
  const MapFunction& to_root = graph[node].to_root;
  Path mapped = to_root.MapSourceToTarget(path);
  if (mapped != path || !to_root.HasRootIdentity()) return mapped;
  for (NodeId n = node; !mapped.empty() && graph[n].parent != kNoNode; n = graph[n].parent) {
    mapped = MapUpForPayload(graph[n].to_parent, graph[n].arc, mapped);
  }
  return mapped;
}

// Whether a subtree has specs, at the present prim or where its arcs were introduced. For
// ancestral arcs the target is the prim at the introduction; here there may be no specs.
bool HasSpecsBelow(const PrimIndexGraph& graph, NodeId id, bool at_introduction) {
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

// Whether a path can be an SdfAssetPath: UTF-8 without C0 and C1 control characters.
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
          EvaluateStringVariableExpression(context_, arc->authored, stack.expression_variables());
      if (!result.errors.empty()) {
        AddError(CompositionErrorType::kVariableExpressionError,
                 Concat(layer.identifier(), ": cannot evaluate ", what, " ", arc->authored, ": ",
                        Join(result.errors, "; ")));
      }
      if (result.value.empty()) return false;  // a conditional arc that is off
      // A few bytes of a file can yield a long path, any number of times.
      if (!context_.Reserve(result.value.size(), "asset paths made by expressions").ok()) {
        return false;
      }
      arc->authored = std::move(result.value);
      if (!IsAssetPath(arc->authored)) {
        arc->authored.clear();  // as in OpenUSD, which leaves an internal arc
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
      ComposeSiteReferences(stack, graph_[node].specs, Anchor(stack, "reference"), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  AddAssetArcs(node, ArcType::kReference, arcs);
}

void PrimIndexer::EvaluatePayloads(NodeId node) {
  if (!graph_[node].contributes()) return;
  const LayerStack& stack = *graph_[node].stack;
  size_t items = 0;
  const std::vector<AssetArc> arcs =
      ComposeSitePayloads(stack, graph_[node].specs, Anchor(stack, "payload"), &items);
  budget_.SpendOnScan(items * kItemsPerListItem);
  if (arcs.empty()) return;
  // Recorded even if the payloads are not included, so that clients can offer to load them.
  out_.has_payloads = true;
  if (!IncludesPayload(node)) return;
  AddAssetArcs(node, ArcType::kPayload, arcs);
}

bool PrimIndexer::IncludesPayload(NodeId node) {
  const std::function<bool(Path)>& included = env_.include_payload();
  if (!included) {
    out_.payload_included = true;
    return true;
  }
  // The ancestors of a sub-root target need not be prims of the stage, so there may be no load rule
  // for their payloads. Without them the target might not exist, so OpenUSD always includes them.
  const Path path = PayloadPath(node);
  if (path.empty()) return true;
  if (!request_.tree_root.empty()) {
    out_.asked_above_tree = true;  // the site composes for itself
    return false;
  }
  if (!included(path)) return false;
  out_.payload_included = true;
  return true;
}

// Through this graph and the outer ones, arc by arc: a nested index is not part of the outer graph
// yet.
Path PrimIndexer::PayloadPath(NodeId node) const {
  Path path = MapToRootForPayload(graph_, node, graph_[node].path.StripVariantSelections());
  for (const PrimIndexStackFrame* f = request_.frame; f && !path.empty(); f = f->previous) {
    path = MapUpForPayload(f->arc->to_parent, f->arc->type, path);
    if (!path.empty()) path = MapToRootForPayload(*f->graph, f->parent, path);
  }
  return path;
}

void PrimIndexer::AddAssetArcs(NodeId node, ArcType type, const std::vector<AssetArc>& arcs) {
  for (size_t i = 0; i < arcs.size() && !budget_.stopped(); ++i) {
    AddAssetArc(node, type, arcs[i], static_cast<int>(i));
  }
}

// The expression variables of the referencing stack are passed on (PcpExpressionVariablesSource):
// they override those of the referenced layer.
const LayerStack* PrimIndexer::OpenTarget(NodeId node, const AssetArc& arc) {
  if (env_.IsMuted(arc.identifier)) {
    AddError(CompositionErrorType::kMutedAssetPath,
             Concat(arc.layer->identifier(), ": cannot compose the arc to ", Quoted(arc.authored),
                    ": the layer is muted; unmute it"));
    return nullptr;
  }
  const absl::StatusOr<const LayerStack*> stack =
      env_.OpenStack(context_, arc.identifier, graph_[node].stack->shared_expression_variables());
  if (stack.ok()) return *stack;
  AddError(CompositionErrorType::kInvalidAssetPath,
           Concat(arc.layer->identifier(), " <", graph_[node].path.ToString(),
                  ">: cannot open asset ", Quoted(arc.authored), ": ", Message(stack.status())),
           PlacesOf(arc.identifier, arc.authored, *arc.layer));
  return nullptr;
}

void PrimIndexer::AddAssetArc(NodeId node, ArcType type, const AssetArc& arc, int number) {
  budget_.SpendOnScan(kItemsPerListItem + arc.authored.size());
  const auto where = [&] {
    return Concat(arc.layer->identifier(), " <", graph_[node].path.ToString(), ">: the ",
                  ArcTypeName(type), " to @", arc.authored, "@<", arc.prim_path.ToString(), ">");
  };
  const Path authored = arc.prim_path;
  if (!authored.empty() &&
      (!authored.IsAbsolute() || !authored.IsPrim() || authored.ContainsVariantSelection())) {
    AddError(
        CompositionErrorType::kInvalidPrimPath,
        Concat(where(), " must target a prim; use an absolute path without variant selections"));
  }
  const bool internal = arc.identifier.empty();
  // An invalid offset counts as the identity, without that of the sublayer that authors the arc.
  // Internal arcs do not take that either: their layers are in this stack, with the offsets they
  // have here.
  LayerOffset offset = arc.offset;
  if (!offset.IsValid()) {
    AddError(CompositionErrorType::kInvalidReferenceOffset,
             Concat(where(),
                    " has an invalid layer offset, which is ignored; the scale must be positive"));
    offset = LayerOffset();
  } else if (!internal) {
    offset = arc.layer_offset * offset;
  }
  // Only now, because OpenUSD reports both errors of an arc.
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
               Concat(where(), " has no prim path, and ", stack->root_layer().identifier(),
                      " has no defaultPrim; add one of them"));
      target = Path::AbsoluteRoot();  // an inert placeholder, as in OpenUSD
      options.contributes = false;
    }
  }
  MapFunction map = MapOfArc(target, graph_[node].path, *graph_[node].stack, offset);
  // 10.3.2.1.1: the target's namespace is this one, so other paths map to themselves.
  if (internal) map = map.WithRootIdentity();
  // Root prims have only the pseudo-root above them, which has no arcs.
  options.ancestral = target.depth() != 1;
  AddArc(type, node, node, {stack, target}, map, number, options);
}

// This task comes last, since any arc of the target, a variant too, may provide its specs. 10.3.2.1
// asks for specs in the referenced layer stack itself; like OpenUSD, this accepts any in its index.
void PrimIndexer::CheckTarget(NodeId node) {
  const bool ancestral = graph_.DepthBelowIntroduction(node) != 0;
  if (HasSpecsBelow(graph_, node, ancestral)) return;
  const GraphNode& n = graph_[node];
  AddError(CompositionErrorType::kUnresolvedPrimPath,
           Concat("cannot resolve the ", ArcTypeName(n.arc), " at <",
                  graph_[n.parent].path.ToString(), "> to @", n.stack->root_layer().identifier(),
                  "@<", graph_.PathAtIntroduction(node).ToString(),
                  ">: the prim does not exist; check the prim path"));
}

}  // namespace stagedoor
