#include "scene/export/field_reduction.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "scene/layer/field_keys.h"
#include "scene/values/composable_list_op.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op_inl.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/retiming.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// A reference or payload with the offset of the layer that authors it. The offset does not take
// part in comparisons, because composition identifies list items before it applies layer offsets.
template <typename T>
struct PlacedArc {
  T arc;
  LayerOffset offset;
  friend bool operator==(const PlacedArc& a, const PlacedArc& b) { return a.arc == b.arc; }
};

}  // namespace

template <typename T>
struct ListItemHash<PlacedArc<T>> {
  size_t operator()(const PlacedArc<T>& placed) const { return ListItemHash<T>()(placed.arc); }
};

namespace {

template <typename T>
ListOp<T> Over(const ListOp<T>& strong, const ListOp<T>& weak) {
  if (auto both = ListOp<T>::Compose(strong, weak)) return *std::move(both);
  // No single list op has the same effect; approximate "add" and "reorder", as OpenUSD does.
  return *ListOp<T>::Compose(ComposableListOp(strong), ComposableListOp(weak));
}

template <typename T>
bool Go(Pacer& pacer, const ListOp<T>& strong, const ListOp<T>& weak) {
  return pacer.Go(1 + static_cast<int64_t>(strong.size() + weak.size()));
}

template <typename T>
Value ReduceListOps(Pacer& pacer, const Value& strong, const Value& weak) {
  const auto& above = *strong.Get<ListOp<T>>();
  const auto& below = *weak.Get<ListOp<T>>();
  return Go(pacer, above, below) ? Value(Over(above, below)) : strong;
}

template <typename To, typename From, typename Convert>
ListOp<To> ConvertItems(const ListOp<From>& op, Convert convert) {
  ListOp<To> out;
  out.is_explicit = op.is_explicit;
  const auto all = [&](const std::vector<From>& from, bool deleted, std::vector<To>* to) {
    for (const From& item : from) to->push_back(convert(item, deleted));
  };
  all(op.explicit_items, false, &out.explicit_items);
  all(op.prepended, false, &out.prepended);
  all(op.appended, false, &out.appended);
  all(op.deleted, true, &out.deleted);
  all(op.added, false, &out.added);
  all(op.ordered, false, &out.ordered);
  return out;
}

template <typename T>
Value ReduceArcs(Pacer& pacer, const std::vector<LayerOpinion>& opinions) {
  using Placed = PlacedArc<T>;
  std::optional<ListOp<Placed>> result;
  for (const LayerOpinion& opinion : opinions) {
    const auto* op = opinion.value.Get<ListOp<T>>();
    if (!op) continue;
    auto placed = ConvertItems<Placed>(*op, [&](const T& arc, bool) {
      return Placed{arc, opinion.offset};
    });
    if (result && !Go(pacer, *result, placed)) return Value();
    result = result ? Over(*result, placed) : std::move(placed);
  }
  if (!result) return Value();
  return Value(ConvertItems<T>(*result, [](const Placed& placed, bool deleted) {
    T arc = placed.arc;
    if (!deleted) arc.offset = placed.offset * arc.offset;  // deletions match the authored offset
    return arc;
  }));
}

Value ReduceRelocates(Pacer& pacer, Relocates strong, const Relocates& weak) {
  // A layer may relocate one source twice; only entries of stronger layers hide weaker ones.
  const size_t known = strong.size();
  for (const auto& entry : weak) {
    if (!pacer.Go(1 + static_cast<int64_t>(known))) break;
    const bool hidden = std::any_of(strong.begin(), strong.begin() + known,
                                    [&](const auto& e) { return e.first == entry.first; });
    if (!hidden) strong.push_back(entry);
  }
  return Value(std::move(strong));
}

Value ReduceSelections(Pacer& pacer, const VariantSelections& strong,
                       const VariantSelections& weak) {
  VariantSelections result = strong;
  for (const auto& entry : weak) {
    if (!pacer.Go(1 + static_cast<int64_t>(strong.size()))) break;
    const bool known = std::any_of(strong.begin(), strong.end(),
                                   [&](const auto& e) { return e.first == entry.first; });
    if (!known) result.push_back(entry);
  }
  std::sort(result.begin(), result.end());
  return Value(std::move(result));
}

// Only the first number of each pair of `active` and `times` is a stage time (Core Specification
// 12.3.4, "Value Clips").
Value MapClipCurve(const Array<Vec2d>& curve, const LayerOffset& offset) {
  std::vector<Vec2d> out(curve.begin(), curve.end());
  for (Vec2d& knot : out) knot[0] = offset.Apply(knot[0]);
  return Value(Array<Vec2d>::FromVector(std::move(out)));
}

Value MapClips(const Dictionary& sets, const LayerOffset& offset) {
  Dictionary out = sets;
  for (const auto& [name, held] : sets) {
    const auto* set = held.Get<Dictionary>();
    if (!set) continue;
    Dictionary mapped = *set;
    for (const auto& [key, value] : *set) {
      const auto* curve = value.Get<Array<Vec2d>>();
      if (curve && (key == "active" || key == "times")) {
        mapped.Set(key, MapClipCurve(*curve, offset));
      }
    }
    out.Set(name, Value(std::move(mapped)));
  }
  return Value(std::move(out));
}

Value Reduce(Pacer& pacer, Token field, const Value& strong, const Value& weak) {
  if (strong.empty()) return weak;
  // As in value resolution, opinions of another type than the strongest are ignored.
  if (weak.empty() || strong.type() != weak.type()) return strong;
  switch (strong.type()) {
    case ValueType::kSpecifier:
      return *strong.Get<Specifier>() == Specifier::kOver ? weak : strong;
    case ValueType::kTokenListOp:
      return ReduceListOps<Token>(pacer, strong, weak);
    case ValueType::kStringListOp:
      return ReduceListOps<std::string>(pacer, strong, weak);
    case ValueType::kPathListOp:
      return ReduceListOps<Path>(pacer, strong, weak);
    case ValueType::kIntListOp:
      return ReduceListOps<int32_t>(pacer, strong, weak);
    case ValueType::kUIntListOp:
      return ReduceListOps<uint32_t>(pacer, strong, weak);
    case ValueType::kInt64ListOp:
      return ReduceListOps<int64_t>(pacer, strong, weak);
    case ValueType::kUInt64ListOp:
      return ReduceListOps<uint64_t>(pacer, strong, weak);
    case ValueType::kVariantSelections:
      return ReduceSelections(pacer, *strong.Get<VariantSelections>(),
                              *weak.Get<VariantSelections>());
    case ValueType::kRelocates:
      return ReduceRelocates(pacer, *strong.Get<Relocates>(), *weak.Get<Relocates>());
    case ValueType::kToken:
      if (field == Fields().typeName && strong.Get<Token>()->empty()) return weak;
      return strong;
    default:
      return strong;
  }
}

Value MapTimes(Token field, const Value& value, const LayerOffset& offset) {
  if (offset.IsIdentity()) return value;
  if (field == Fields().clips) {
    const auto* sets = value.Get<Dictionary>();
    return sets ? MapClips(*sets, offset) : value;
  }
  return HoldsTimes(value) ? Retime(value, offset) : value;
}

Value ReduceDictionaries(RequestContext& context, Token field,
                         const std::vector<LayerOpinion>& opinions) {
  std::vector<Value> mapped;
  std::vector<const Dictionary*> dictionaries;
  Pacer pacer(context);
  for (const LayerOpinion& opinion : opinions) {
    const auto* own = opinion.value.Get<Dictionary>();
    if (!own) continue;
    if (!pacer.Go(1 + static_cast<int64_t>(own->size()))) return Value();
    mapped.push_back(MapTimes(field, opinion.value, opinion.offset));
  }
  for (const Value& value : mapped) dictionaries.push_back(value.Get<Dictionary>());
  return mapped.size() == 1 ? mapped.front() : Value(Dictionary::Merge(context, dictionaries));
}

}  // namespace

Value ReduceField(RequestContext& context, Token field, const std::vector<LayerOpinion>& opinions) {
  if (opinions.empty()) return Value();
  const Value& first = opinions.front().value;
  if (first.Is<Dictionary>()) return ReduceDictionaries(context, field, opinions);
  Pacer pacer(context);
  if (first.Is<ListOp<Reference>>()) return ReduceArcs<Reference>(pacer, opinions);
  if (first.Is<ListOp<Payload>>()) return ReduceArcs<Payload>(pacer, opinions);
  Value result;
  for (const LayerOpinion& opinion : opinions) {
    if (!pacer.Go()) break;
    result = Reduce(pacer, field, result, MapTimes(field, opinion.value, opinion.offset));
  }
  return result;
}

}  // namespace stagedoor
