#include "scene/clips/stitch_layers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/values/composable_list_op.h"
#include "scene/values/dictionary.h"
#include "scene/values/item_index.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

template <typename T>
void RemoveAll(const std::vector<T>& items, std::vector<T>* from) {
  ItemIndex<T> removed;
  for (const T& item : items) removed.Insert(item);
  std::erase_if(*from, [&](const T& item) { return removed.Find(item).has_value(); });
}

// One list op with the effect of applying `weak` and then `strong`.
template <typename T>
Value MergeListOps(const ListOp<T>& strong, const ListOp<T>& weak) {
  // An explicit list replaces whatever is weaker; edits of it give an explicit list again.
  if (strong.is_explicit) return Value(strong);
  if (weak.is_explicit) {
    std::vector<T> items = weak.explicit_items;
    strong.ApplyTo(&items);
    return Value(ListOp<T>::Explicit(std::move(items)));
  }
  // Adds become appends and reordering is dropped, because neither can be merged without the list
  // that it applies to. Items that the stronger op names leave the weaker one.
  const ListOp<T> top = ComposableListOp(strong);
  ListOp<T> merged = ComposableListOp(weak);
  for (const std::vector<T>* items : {&top.deleted, &top.prepended, &top.appended}) {
    RemoveAll(*items, &merged.deleted);
    RemoveAll(*items, &merged.prepended);
    RemoveAll(*items, &merged.appended);
  }
  merged.deleted.insert(merged.deleted.end(), top.deleted.begin(), top.deleted.end());
  merged.prepended.insert(merged.prepended.begin(), top.prepended.begin(), top.prepended.end());
  merged.appended.insert(merged.appended.end(), top.appended.begin(), top.appended.end());
  return Value(std::move(merged));
}

// Merging costs as much as both values have items, which the file decides.
bool Go(Pacer& pacer, size_t strong, size_t weak) {
  return pacer.Go(1 + static_cast<int64_t>(strong + weak));
}

// Whether both are list ops of T; if so, merges them unless the request is over.
template <typename T>
bool MergeIfListOps(Pacer& pacer, const Value& strong, const Value& weak, Value* merged) {
  const ListOp<T>* a = strong.Get<ListOp<T>>();
  const ListOp<T>* b = weak.Get<ListOp<T>>();
  if (!a || !b) return false;
  if (Go(pacer, a->size(), b->size())) *merged = MergeListOps(*a, *b);
  return true;
}

Value MergeSelections(const VariantSelections& strong, const VariantSelections& weak) {
  // Selections merge set by set: the stronger layer's choice stays, and sets that only the weaker
  // one selects are added. Sorted like the field of a layer.
  VariantSelections merged = strong;
  ItemIndex<std::string> known;
  for (const auto& selection : strong) known.Insert(selection.first);
  for (const auto& selection : weak) {
    if (known.Insert(selection.first)) merged.push_back(selection);
  }
  std::sort(merged.begin(), merged.end());
  return Value(std::move(merged));
}

Value MergeSamples(const TimeSamples& strong, const TimeSamples& weak) {
  // At equal times the later element wins, hence the stronger samples last.
  std::vector<std::pair<double, Value>> samples;
  for (const TimeSamples* from : {&weak, &strong}) {
    for (size_t i = 0; i < from->size(); ++i) samples.emplace_back(from->times()[i], from->At(i));
  }
  return Value::FromSamples(MakeTimeSamples(std::move(samples)));
}

// The value of a field that both layers have; empty if the stronger one stays as it is.
Value MergeField(Pacer& pacer, SpecType type, Token field, const Value& strong, const Value& weak) {
  Value merged;
  // An over only contributes opinions; with a def or class from either layer the prim exists.
  if (field == Fields().specifier) {
    const Specifier* specifier = weak.Get<Specifier>();
    return specifier && *specifier != Specifier::kOver ? weak : Value();
  }
  if (field == Fields().startTimeCode || field == Fields().endTimeCode) {
    const double* a = strong.Get<double>();
    const double* b = weak.Get<double>();
    if (!a || !b) return merged;
    return Value(field == Fields().startTimeCode ? std::min(*a, *b) : std::max(*a, *b));
  }
  if (strong.samples() && weak.samples()) {
    const bool goes_on = Go(pacer, strong.samples()->size(), weak.samples()->size());
    return goes_on ? MergeSamples(*strong.samples(), *weak.samples()) : merged;
  }
  // Fields that no schema registers have no known meaning, so the stronger value stays.
  if (!FindFieldDefinition(type, field)) return merged;
  const Dictionary* a = strong.Get<Dictionary>();
  const Dictionary* b = weak.Get<Dictionary>();
  if (a && b) return Go(pacer, a->size(), b->size()) ? Value(Dictionary::Over(*a, *b)) : merged;
  const VariantSelections* s = strong.Get<VariantSelections>();
  const VariantSelections* w = weak.Get<VariantSelections>();
  if (s && w) return Go(pacer, s->size(), w->size()) ? MergeSelections(*s, *w) : merged;
  (void)(MergeIfListOps<Token>(pacer, strong, weak, &merged) ||
         MergeIfListOps<std::string>(pacer, strong, weak, &merged) ||
         MergeIfListOps<Path>(pacer, strong, weak, &merged) ||
         MergeIfListOps<Reference>(pacer, strong, weak, &merged) ||
         MergeIfListOps<Payload>(pacer, strong, weak, &merged) ||
         MergeIfListOps<int32_t>(pacer, strong, weak, &merged) ||
         MergeIfListOps<uint32_t>(pacer, strong, weak, &merged) ||
         MergeIfListOps<int64_t>(pacer, strong, weak, &merged) ||
         MergeIfListOps<uint64_t>(pacer, strong, weak, &merged));
  return merged;
}

void MergeFields(Pacer& pacer, const Layer& weak, SpecId from, StitchLayersOptions options,
                 LayerBuilder* strong, SpecId to) {
  for (const Token field : weak.FieldNames(from)) {
    if (!pacer.Go()) return;
    const bool animation = field == Fields().timeSamples || field == Fields().spline;
    if (animation && !options.animation) continue;
    // An empty result leaves the stronger value.
    const Value* held = strong->Get(to, field);
    Value value = weak.Get(from, field);
    if (held) value = MergeField(pacer, weak.tree().type(from), field, *held, value);
    if (!value.empty()) strong->Set(to, field, std::move(value));
  }
}

}  // namespace

void StitchLayers(RequestContext& context, const Layer& weak, StitchLayersOptions options,
                  LayerBuilder* strong) {
  Pacer pacer(context);
  const SpecTree& tree = weak.tree();
  // A loop instead of recursion: a hostile file may nest specs deeper than the stack allows.
  std::vector<std::pair<SpecId, SpecId>> pending = {{kRootSpec, kRootSpec}};
  while (!pending.empty() && pacer.Go()) {
    const auto [from, to] = pending.back();
    pending.pop_back();
    MergeFields(pacer, weak, from, options, strong, to);
    for (const SpecRange children :
         {tree.properties(from), tree.variants(from), tree.prims(from)}) {
      for (const SpecId child : children) {
        pending.emplace_back(child, strong->FindOrAdd(to, tree.type(child), tree.name(child)));
      }
    }
  }
}

}  // namespace stagedoor
