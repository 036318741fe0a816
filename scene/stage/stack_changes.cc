#include "scene/stage/stack_changes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/shaping_fields.h"
#include "scene/layer/spec_diff.h"

namespace stagedoor {
namespace {

// A stack with more changed sites is treated as changed everywhere.
constexpr size_t kMaxSites = 100000;

// The key by which a layer is matched with one in the other version of the stack: its identifier,
// and its number among the layers with the same one. The session layer may change its identifier.
using LayerKey = std::pair<std::string, int>;

std::vector<LayerKey> KeysOf(const LayerStack& stack) {
  std::map<std::string, int> counts;
  std::vector<LayerKey> keys;
  for (const LayerStack::Entry& entry : stack.layers()) {
    if (entry.session && entry.parent < 0) {
      keys.emplace_back(std::string(), 0);
      continue;
    }
    const std::string& identifier = entry.layer->identifier();
    keys.emplace_back(identifier, counts[identifier]++);
  }
  return keys;
}

class StackComparison {
 public:
  StackComparison(RequestContext& context, StackChanges& changes)
      : pacer_(context), changes_(changes) {}

  void Run(const LayerStack& before, const LayerStack& after) {
    if (before.time_codes_per_second() != after.time_codes_per_second() ||
        !(before.expression_variables() == after.expression_variables()) ||
        before.incremental_source_to_target() != after.incremental_source_to_target() ||
        !CompareLayers(before, after)) {
      changes_ = StackChanges::Everything();
      return;
    }
    if (before.default_prim() == after.default_prim()) return;
    for (const Path path : {before.default_prim(), after.default_prim()}) {
      if (!path.empty()) changes_.default_prims.insert(path);
    }
  }

 private:
  // False if the layers of both stacks are in another order, or have other offsets.
  bool CompareLayers(const LayerStack& before, const LayerStack& after) {
    const std::vector<LayerKey> old_keys = KeysOf(before), new_keys = KeysOf(after);
    std::map<LayerKey, size_t> places;
    for (size_t i = 0; i < new_keys.size(); ++i) places[new_keys[i]] = i;
    size_t next = 0;  // place at which the next common layer may be
    for (size_t i = 0; i < old_keys.size(); ++i) {
      const LayerStack::Entry& entry = before.layers()[i];
      const auto place = places.find(old_keys[i]);
      if (place == places.end()) {
        if (!CompareLayer(entry.layer.get(), nullptr)) return false;
        continue;
      }
      const LayerStack::Entry& other = after.layers()[place->second];
      if (place->second < next || !(entry.offset == other.offset) ||
          !(entry.value_offset == other.value_offset)) {
        return false;
      }
      next = place->second + 1;
      places.erase(place);
      if (!CompareLayer(entry.layer.get(), other.layer.get())) return false;
    }
    return std::all_of(places.begin(), places.end(), [&](const auto& added) {
      return CompareLayer(nullptr, after.layers()[added.second].layer.get());
    });
  }

  bool CompareLayer(const Layer* before, const Layer* after) {
    return VisitSpecChanges(pacer_, before, after,
                            [&](const SpecChange& change) { return Add(change); });
  }

  bool Add(const SpecChange& change) {
    if (change.prim.IsAbsoluteRoot()) return AddLayerFields(change);
    SiteChange& site = changes_.sites[change.prim];
    const bool is_prim = change.property.empty();
    OpinionChange& opinion = is_prim ? site.prim : site.properties[change.property];
    opinion.resync |= change.structure;
    if (is_prim) {
      opinion.resync |= std::any_of(change.fields.begin(), change.fields.end(), ShapesPrims);
    }
    opinion.fields.insert(change.fields.begin(), change.fields.end());
    return changes_.sites.size() <= kMaxSites;
  }

  // False if the order of the root prims changes, or the types of any prims.
  bool AddLayerFields(const SpecChange& change) {
    changes_.layer_fields.insert(change.fields.begin(), change.fields.end());
    return !change.structure && !changes_.layer_fields.contains(Fields().primOrder) &&
           !changes_.layer_fields.contains(Fields().fallbackPrimTypes);
  }

  Pacer pacer_;
  StackChanges& changes_;
};

}  // namespace

StackChanges StackChanges::Compare(RequestContext& context, const LayerStack& before,
                                   const LayerStack& after) {
  StackChanges changes;
  if (&before != &after) StackComparison(context, changes).Run(before, after);
  return changes;
}

}  // namespace stagedoor
