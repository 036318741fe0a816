#include "scene/clips/clip_set_definition.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace {

struct ComposedSet {
  bool anchored = false;
  PrimSpecHandle anchor{};
  size_t order = 0;         // among the sets of the anchoring node
  LayerOffset offset;       // of the anchor or a stronger `active`
  LayerOffset times_layer;  // the same for `times`
  Dictionary info;

  // What brings `times` to the set's time; the order is OpenUSD's.
  LayerOffset times_offset() const {
    return times_layer == offset ? LayerOffset() : times_layer * offset.Inverse();
  }
};
using ComposedSets = std::map<std::string, ComposedSet>;

// A set of one spec, or of one node: some twenty look-ups.
constexpr int64_t kStepsPerSet = 16;

template <typename T>
std::optional<T> Entry(const Dictionary& info, std::string_view key) {
  const Value* value = info.Find(key);
  const T* held = value ? value->Get<T>() : nullptr;
  return held ? std::optional<T>(*held) : std::nullopt;
}

// Brings the `times` of an anchored set of one node to the set's time.
void MapTimes(const PrimIndexRef& index, ComposedSet* set) {
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

// What a definition is made of. Whatever else a set has would be copied from layer to layer.
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
    // One of no use hides weaker ones all the same.
    if (value) result.Set(key, value->Is<Dictionary>() ? Value(Dictionary()) : *value);
  }
  return result;
}

bool SaysAssets(const Dictionary& info) {
  return Entry<Array<AssetPath>>(info, "assetPaths") ||
         Entry<std::string>(info, "templateAssetPath");
}

bool ApplyOrder(Pacer& pacer, const ListOp<std::string>& edit, std::vector<std::string>* order) {
  if (!pacer.Go(1 + static_cast<int64_t>(edit.size() + order->size()))) return false;
  edit.ApplyTo(order);
  return true;
}

// Puts the opinions of one spec over the weaker ones of its node.
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
    // A set that is defined counts as added to the list.
    std::sort(names.begin(), names.end());
    ListOp<std::string> added;
    added.added = std::move(names);
    if (!ApplyOrder(pacer, added, order)) return;
  }
  const Value edits = site.layer->Get(site.spec, Fields().clipSets);
  if (const auto* op = edits.Get<ListOp<std::string>>()) ApplyOrder(pacer, *op, order);
}

// The sets of the sites [first, last) of one node.
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
  if (out.asset_paths) {
    out.active = Entry<Array<Vec2d>>(info, "active");
    out.times = Entry<Array<Vec2d>>(info, "times");
  } else {
    FillTemplate(set, &out);
  }
  return out;
}

// Of many, two hashes: each instance has a key.
void AppendPairs(const std::optional<Array<Vec2d>>& pairs, std::string* key) {
  constexpr size_t kMany = 4096;
  if (!pairs) return;
  const std::string_view bytes(reinterpret_cast<const char*>(pairs->data()),
                               pairs->size() * sizeof(Vec2d));
  if (pairs->size() > kMany) {
    *key += Concat('#', Token::HashOf(bytes), ' ', std::hash<std::string_view>()(bytes));
  } else {
    *key += bytes;
  }
}

}  // namespace

std::vector<ClipSetDefinition> ComputeClipSetDefinitions(RequestContext& context,
                                                         const PrimIndexRef& index) {
  const auto sites = index.index->prim_stack();
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
