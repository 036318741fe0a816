#include "scene/clips/clip_set_definition.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/pacer.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// A set as composed so far. Corresponds to _ClipSet in OpenUSD's clipSetDefinition.cpp.
struct ComposedSet {
  bool anchored = false;
  PrimSpecHandle anchor{};
  size_t order = 0;         // rank among the sets of the anchoring node
  LayerOffset offset;       // that of the anchor or of a stronger `active`
  LayerOffset times_layer;  // the same for `times`
  Dictionary info;

  // Maps `times` to the set's time. The order of the two factors is OpenUSD's
  // (docs/conformance.md).
  LayerOffset times_offset() const {
    return times_layer == offset ? LayerOffset() : times_layer * offset.Inverse();
  }
};
using ComposedSets = std::map<std::string, ComposedSet>;

// The cost of a set in one spec or node: some twenty look-ups.
constexpr int64_t kStepsPerSet = 16;

// An entry of the wrong type counts as missing, without an error, as in _SetInfo of OpenUSD.
template <typename T>
std::optional<T> Entry(const Dictionary& info, std::string_view key) {
  const Value* value = info.Find(key);
  const T* held = value ? value->Get<T>() : nullptr;
  return held ? std::optional<T>(*held) : std::nullopt;
}

// Maps the `times` of an anchored set of one node to the set's time. Only the first elements of the
// pairs are mapped: the second ones are clip times, which offsets do not concern.
void MapTimes(const PrimIndexRef& index, ComposedSet* set) {
  // The times of a template are derived in the anchor's layer, whichever layer has `active`.
  if (Entry<std::string>(set->info, "templateAssetPath")) set->offset = index.OffsetOf(set->anchor);
  const LayerOffset offset = set->times_offset();
  const auto pairs = Entry<Array<Vec2d>>(set->info, "times");
  if (!pairs || offset.IsIdentity()) return;
  Vec2d* out;
  Array<Vec2d> mapped = Array<Vec2d>::Uninitialized(pairs->size(), &out);
  std::transform(pairs->begin(), pairs->end(), out, [&](const Vec2d& pair) {
    return Vec2d{{offset.Apply(pair[0]), pair[1]}};
  });
  set->info.Set("times", Value(std::move(mapped)));
}

// The entries that make a definition. Others would only be copied from layer to layer.
Dictionary EntriesThatCount(const Dictionary& set) {
  static constexpr std::string_view kKeys[] = {
      "active",
      "assetPaths",
      "interpolateMissingClipValues",
      "manifestAssetPath",
      "primPath",
      "templateActiveOffset",
      "templateAssetPath",
      "templateEndTime",
      "templateStartTime",
      "templateStride",
      "times",
  };
  Dictionary result;
  for (const std::string_view key : kKeys) {
    const Value* value = set.Find(key);
    // An entry of the wrong type still hides weaker ones.
    if (value) result.Set(key, value->Is<Dictionary>() ? Value(Dictionary()) : *value);
  }
  return result;
}

// Whether the opinion anchors the set. Corresponds to _RecordAnchorInfo.
bool SaysAssets(const Dictionary& info) {
  return Entry<Array<AssetPath>>(info, "assetPaths") ||
         Entry<std::string>(info, "templateAssetPath");
}

bool ApplyOrder(Pacer& pacer, const ListOp<std::string>& edit, std::vector<std::string>* order) {
  if (!pacer.Go(1 + static_cast<int64_t>(edit.size() + order->size()))) return false;
  edit.ApplyTo(order);
  return true;
}

// Composes the opinions of one spec over the weaker ones of its node (12.2.5 Dictionaries).
// Corresponds to the loop of _ResolveClipSetsInNode.
void ComposeSite(Pacer& pacer, const PrimIndexRef& index, const PrimSpecHandle& site,
                 ComposedSets* sets, std::vector<std::string>* order) {
  const Value clips = site.layer->Get(site.spec, Fields().clips);
  if (const Dictionary* dictionary = clips.Get<Dictionary>()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : *dictionary) {
      if (!pacer.Go(kStepsPerSet)) return;
      const Dictionary* held = value.Get<Dictionary>();
      if (name.empty() || !held) continue;
      ComposedSet& set = (*sets)[name];
      const LayerOffset offset = index.OffsetOf(site);
      const bool anchors = SaysAssets(*held);
      if (anchors) {
        set.anchored = true;
        set.anchor = site;
      }
      if (anchors || held->Find("active")) set.offset = offset;
      if (anchors || held->Find("times")) set.times_layer = offset;
      set.info = Dictionary::Over(EntriesThatCount(*held), set.info);
      names.push_back(name);
    }
    // A set that a layer defines counts as added to `clipSets`, so that users need not list it.
    // Sorted by name: sets without an authored order are in lexicographic order.
    std::sort(names.begin(), names.end());
    ListOp<std::string> added;
    added.added = std::move(names);
    if (!ApplyOrder(pacer, added, order)) return;
  }
  const Value edits = site.layer->Get(site.spec, Fields().clipSets);
  if (const auto* op = edits.Get<ListOp<std::string>>()) ApplyOrder(pacer, *op, order);
}

// The sets of the sites [first, last) of one node, composed from weak to strong. `clipSets` edits
// sets of its own layer stack only, so it is applied before the nodes are combined.
ComposedSets ComposeNode(Pacer& pacer, const PrimIndexRef& index, size_t first, size_t last) {
  ComposedSets sets;
  std::vector<std::string> order;
  const auto sites = index.index->prim_stack();
  for (size_t i = last; i-- > first && pacer.Go();) {
    ComposeSite(pacer, index, sites[i], &sets, &order);
  }
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < order.size(); ++i) places.emplace(order[i], i);
  for (auto it = sets.begin(); it != sets.end();) {
    const auto place = places.find(it->first);
    const bool listed = place != places.end();
    if (listed) it->second.order = place->second;
    if (listed && it->second.anchored) MapTimes(index, &it->second);
    it = listed ? std::next(it) : sets.erase(it);
  }
  return sets;
}

void FillTemplate(const ComposedSet& set, ClipSetDefinition* out) {
  const Dictionary& info = set.info;
  const auto path = Entry<std::string>(info, "templateAssetPath");
  const auto start = Entry<double>(info, "templateStartTime");
  const auto end = Entry<double>(info, "templateEndTime");
  const auto stride = Entry<double>(info, "templateStride");
  // OpenUSD ignores a template that lacks one of its three numbers, without an error.
  if (!path || !start || !end || !stride) return;
  out->pattern = ClipTemplate{*path, *start, *end, *stride, {}, set.times_offset()};
  out->pattern->active_offset = Entry<double>(info, "templateActiveOffset");
}

ClipSetDefinition Resolve(const PrimIndexRef& index, const std::string& name,
                          const ComposedSet& set) {
  const PrimIndexNode& node = index.index->nodes()[set.anchor.node];
  ClipSetDefinition out;
  out.name = name;
  out.layer_stack = node.layer_stack->shared_from_this();
  out.layer_index = set.anchor.stack_index;
  out.prim_path = node.path;
  out.offset = set.offset;
  const Dictionary& info = set.info;
  out.clip_prim = Entry<std::string>(info, "primPath");
  if (const auto manifest = Entry<AssetPath>(info, "manifestAssetPath")) {
    out.manifest = manifest->authored;
  }
  out.interpolate_missing = Entry<bool>(info, "interpolateMissingClipValues");
  out.asset_paths = Entry<Array<AssetPath>>(info, "assetPaths");
  // 12.3.4.1: explicit metadata takes precedence over a template.
  if (out.asset_paths) {
    out.active = Entry<Array<Vec2d>>(info, "active");
    out.times = Entry<Array<Vec2d>>(info, "times");
  } else {
    FillTemplate(set, &out);
  }
  return out;
}

// Appends the pairs, or two hashes of them if there are many: every instance holds a key.
void AppendPairs(const std::optional<Array<Vec2d>>& pairs, std::string* key) {
  constexpr size_t kMany = 4096;
  if (!pairs) return;
  const std::string_view bytes(reinterpret_cast<const char*>(pairs->data()),
                               pairs->size() * sizeof(Vec2d));
  if (pairs->size() > kMany) {
    *key += Concat('#', HashBytes(bytes), ' ', std::hash<std::string_view>()(bytes));
  } else {
    *key += bytes;
  }
}

}  // namespace

std::vector<ClipSetDefinition> ComputeClipSetDefinitions(RequestContext& context,
                                                         const PrimIndexRef& index) {
  const auto sites = index.index->prim_stack();
  // Most prims have no clips, and every prim of a stage comes here.
  const bool any = std::any_of(sites.begin(), sites.end(), [](const PrimSpecHandle& site) {
    return site.layer->Has(site.spec, Fields().clips);
  });
  if (!any) return {};
  ComposedSets composed;
  Pacer pacer(context);
  for (size_t first = 0, last = 0; first < sites.size(); first = last) {
    while (last < sites.size() && sites[last].node == sites[first].node) ++last;
    for (auto& [name, weaker] : ComposeNode(pacer, index, first, last)) {
      if (!pacer.Go(kStepsPerSet)) return {};
      ComposedSet& set = composed[name];
      // Asset paths of the strongest node anchor the set; other entries fill gaps from all nodes.
      if (!set.anchored) {
        set.anchored = weaker.anchored;
        set.anchor = weaker.anchor;
        set.order = weaker.order;
        set.offset = weaker.offset;
        set.times_layer = weaker.times_layer;
      }
      set.info = Dictionary::Over(set.info, weaker.info);
    }
  }
  std::vector<std::pair<const std::string, ComposedSet>*> sorted;
  for (auto& entry : composed) {
    if (entry.second.anchored) sorted.push_back(&entry);
  }
  // By anchor first: where a set is anchored decides its strength, its rank in `clipSets` only the
  // order among the sets of one site.
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.anchor.node, a->second.order) <
           std::pair(b->second.anchor.node, b->second.order);
  });
  std::vector<ClipSetDefinition> result;
  for (const auto* entry : sorted) result.push_back(Resolve(index, entry->first, entry->second));
  return result;
}

std::string ClipSetDefinition::Key() const {
  const auto text = [](const std::optional<std::string>& s) {
    return s ? Concat(s->size(), ':', *s) : std::string("-");
  };
  std::string key =
      Concat(reinterpret_cast<uintptr_t>(layer_stack.get()), ' ', layer_index, ' ', offset.offset,
             ' ', offset.scale, ' ', prim_path.ToString(), ' ', text(name), text(clip_prim),
             text(manifest), interpolate_missing.value_or(false), '\n');
  if (asset_paths) {
    for (const AssetPath& path : *asset_paths) key += text(path.authored);
  }
  key += active ? Concat(" a", active->size(), ':') : "-";
  AppendPairs(active, &key);
  key += times ? Concat(" t", times->size(), ':') : "-";
  AppendPairs(times, &key);
  if (pattern) {
    key +=
        Concat(text(pattern->asset_path), pattern->start, ' ', pattern->end, ' ', pattern->stride,
               ' ', pattern->active_offset ? Concat(*pattern->active_offset) : std::string("-"),
               ' ', pattern->times_offset.offset, ' ', pattern->times_offset.scale);
  }
  return key;
}

}  // namespace stagedoor
