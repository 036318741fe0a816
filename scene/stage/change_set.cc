#include "scene/stage/change_set.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/layer/layer_diff.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {
namespace {

Value FallbackPrimTypes(const Layer* layer) {
  return layer ? layer->Get(kRootSpec, Fields().fallbackPrimTypes) : Value();
}

}  // namespace

ChangeSet::ChangeSet(RequestContext& context, const StageData& before, const StageData& after)
    : before_(before), after_(after) {
  const StageOptions& a = before.options;
  const StageOptions& b = after.options;
  // These options can change how any prim composes.
  all_ = a.variant_fallbacks != b.variant_fallbacks || a.muted_layers != b.muted_layers ||
         a.share_subtrees != b.share_subtrees || !(a.resolver_context == b.resolver_context);
  if (!all_) CompareStacks(context, before.root_layer_stack(), after.root_layer_stack());
  if (!all_) FindReplacedLayers(context);
  std::sort(subtrees_.begin(), subtrees_.end());
}

// A prim that is not on the stage, such as a new one, may be the target of arcs, which found
// nothing before and left no node in the indexes: which prims it affects is unknown.
void ChangeSet::Add(const PrimChange& change) {
  all_ |= before_.Find(change.path).data == nullptr;
  Path path = change.path;
  if (change.shape) {
    subtrees_.push_back(path);
    path = path.Parent();
  }
  for (; !path.empty() && prims_.insert(path).second; path = path.Parent()) {
  }
}

void ChangeSet::CompareStacks(RequestContext& context, const LayerStack& before,
                              const LayerStack& after) {
  all_ = before.time_codes_per_second() != after.time_codes_per_second() ||
         !(before.expression_variables() == after.expression_variables()) ||
         before.relocates_source_to_target() != after.relocates_source_to_target() ||
         before.default_prim() != after.default_prim();
  // Layers are matched by identifier, so that only those added, removed or edited are compared.
  std::map<std::string, std::pair<const LayerStack::Entry*, const LayerStack::Entry*>> pairs;
  for (const auto& entry : before.layers()) pairs[entry.layer->identifier()].first = &entry;
  for (const auto& entry : after.layers()) pairs[entry.layer->identifier()].second = &entry;
  for (const auto& [identifier, pair] : pairs) {
    const auto [old_entry, new_entry] = pair;
    const Layer* const old_layer = old_entry ? old_entry->layer.get() : nullptr;
    const Layer* const new_layer = new_entry ? new_entry->layer.get() : nullptr;
    if (old_entry && new_entry && !(old_entry->offset == new_entry->offset)) all_ = true;
    all_ |= !(FallbackPrimTypes(old_layer) == FallbackPrimTypes(new_layer));
    if (old_layer == new_layer) continue;
    for (const Layer* layer : {old_layer, new_layer}) {
      if (layer) context.AddSteps(layer->tree().size());
    }
    for (const PrimChange& change : ChangedPrims(old_layer, new_layer)) {
      // The pseudo-root is always composed anew, and those of its fields that affect other prims
      // are compared above.
      if (!change.path.IsAbsoluteRoot()) Add(change);
    }
  }
}

void ChangeSet::FindReplacedLayers(RequestContext& context) {
  LayerRegistry& registry = *after_.environment.layers;
  for (const auto& layer : before_.UsedLayers()) {
    if (layer->info().anonymous) continue;
    if (FindKept(after_.options.kept_layers, layer->identifier()) == layer) continue;
    // The registry returns the same layer object as long as the asset is unchanged.
    const auto now = registry.Open(context, after_.options.resolver_context, layer->identifier());
    if (!now.ok() || now->get() != layer.get()) replaced_.insert(layer.get());
  }
}

ChangeSet::Effect ChangeSet::EffectOnSite(Path site) const {
  if (subtrees_.empty() && prims_.empty()) return Effect::kNone;
  const Path path = site.StripVariantSelections();
  for (Path p = path; !p.empty(); p = p.Parent()) {
    if (std::binary_search(subtrees_.begin(), subtrees_.end(), p)) return Effect::kSubtree;
  }
  return prims_.contains(path) ? Effect::kPrim : Effect::kNone;
}

ChangeSet::Effect ChangeSet::EffectOn(const PrimData& prim) const {
  const PrimIndex& index = *before_.OpinionsOf(prim).index.index;
  // Errors may depend on sites that the index has no nodes for.
  if (all_ || !index.errors().empty()) return Effect::kSubtree;
  if (index.has_payloads() && after_.options.load.IsLoaded(prim.path) != index.payload_loaded()) {
    return Effect::kSubtree;
  }
  Effect effect = EffectOnSite(prim.path);
  for (const PrimIndexNode& node : index.nodes()) {
    if (effect == Effect::kSubtree) break;
    if (node.layer_stack->is_stage_root()) {
      effect = std::max(effect, EffectOnSite(node.path));
    } else if (!replaced_.empty()) {
      for (const auto& entry : node.layer_stack->layers()) {
        if (replaced_.contains(entry.layer.get())) return Effect::kSubtree;
      }
    }
  }
  return effect;
}

}  // namespace stagedoor
