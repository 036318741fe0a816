#include "scene/layer/spec_diff.h"

#include <memory>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

// Walks two layers in parallel. A spec that a layer does not have is kNoSpec.
class SpecDiffer {
 public:
  SpecDiffer(Pacer& pacer, const Layer& before, const Layer& after,
             const std::function<bool(const SpecChange&)>& visit)
      : pacer_(pacer), before_(before), after_(after), visit_(visit) {}

  bool Run() {
    todo_ = {{kRootSpec, kRootSpec}};
    while (!todo_.empty()) {
      const auto [a, b] = todo_.back();
      todo_.pop_back();
      if (!pacer_.Go() || !ComparePrim(a, b)) return false;
    }
    return true;
  }

 private:
  using Pair = std::pair<SpecId, SpecId>;

  // Also schedules the prims and variants below.
  bool ComparePrim(SpecId a, SpecId b) {
    SpecChange change;
    change.fields = ChangedFields(a, b);
    change.one_sided = a == kNoSpec || b == kNoSpec;
    if (change.one_sided) DropOver(a, b, &change.fields);
    change.structure = !SameOrder(a, b);
    if (!PairVariants(a, b)) change.structure = true;
    PairChildren(a, b);
    const bool prim_changed = change.one_sided || change.structure || !change.fields.empty();
    if (prim_changed && !Emit(a, b, std::move(change))) return false;
    return CompareProperties(a, b);
  }

  bool Emit(SpecId a, SpecId b, SpecChange change) {
    change.prim = a != kNoSpec ? before_.tree().path(a) : after_.tree().path(b);
    return visit_(change);
  }

  std::vector<Token> ChangedFields(SpecId a, SpecId b) {
    std::vector<Token> fields;
    if (a != kNoSpec) {
      for (const Token field : before_.FieldNames(a)) {
        if (b == kNoSpec || !after_.Has(b, field) ||
            !(before_.Get(a, field) == after_.Get(b, field))) {
          fields.push_back(field);
        }
      }
    }
    if (b != kNoSpec) {
      for (const Token field : after_.FieldNames(b)) {
        if (a == kNoSpec || !before_.Has(a, field)) fields.push_back(field);
      }
    }
    return fields;
  }

  void DropOver(SpecId a, SpecId b, std::vector<Token>* fields) const {
    const auto specifier = a != kNoSpec ? before_.GetAs<Specifier>(a, Fields().specifier)
                                        : after_.GetAs<Specifier>(b, Fields().specifier);
    if (specifier == Specifier::kOver) std::erase(*fields, Fields().specifier);
  }

  // Whether the child prims that both have are in the same order.
  bool SameOrder(SpecId a, SpecId b) const {
    if (a == kNoSpec || b == kNoSpec) return true;
    SpecId last = 0;
    for (const SpecId child : before_.tree().prims(a)) {
      const SpecId other = after_.tree().FindPrim(b, before_.tree().name(child));
      if (other == kNoSpec) continue;
      if (other < last) return false;
      last = other;
    }
    return true;
  }

  // Calls take(x, y) for the specs of the same name in two runs, either of which may lack it.
  template <typename Find, typename Take>
  void ForEachPair(SpecRange xs, SpecRange ys, const Find& find, const Take& take) const {
    for (const SpecId x : xs) take(x, find(after_, before_.tree().name(x), true));
    for (const SpecId y : ys) {
      if (find(before_, after_.tree().name(y), false) == kNoSpec) take(kNoSpec, y);
    }
  }

  static SpecRange PropertiesOf(const Layer& layer, SpecId id) {
    return id == kNoSpec ? SpecRange() : layer.tree().properties(id);
  }
  static SpecRange PrimsOf(const Layer& layer, SpecId id) {
    return id == kNoSpec ? SpecRange() : layer.tree().prims(id);
  }
  static SpecRange VariantsOf(const Layer& layer, SpecId id) {
    return id == kNoSpec ? SpecRange() : layer.tree().variants(id);
  }

  void PairChildren(SpecId a, SpecId b) {
    ForEachPair(
        PrimsOf(before_, a), PrimsOf(after_, b),
        [&](const Layer& layer, Token name, bool in_after) {
          const SpecId parent = in_after ? b : a;
          return parent == kNoSpec ? kNoSpec : layer.tree().FindPrim(parent, name);
        },
        [&](SpecId x, SpecId y) { todo_.emplace_back(x, y); });
  }

  // Calls take(x, y) for the variant sets of two prims or the variants of two variant sets.
  template <typename Take>
  void ForEachVariant(SpecId a, SpecId b, const Take& take) const {
    ForEachPair(
        VariantsOf(before_, a), VariantsOf(after_, b),
        [&](const Layer& layer, Token name, bool in_after) {
          const SpecId parent = in_after ? b : a;
          return parent == kNoSpec ? kNoSpec : layer.tree().FindVariant(parent, name);
        },
        take);
  }

  // False if one of them has other variants.
  bool PairVariants(SpecId a, SpecId b) {
    bool same = true;
    ForEachVariant(a, b, [&](SpecId set, SpecId other_set) {
      ForEachVariant(set, other_set, [&](SpecId variant, SpecId other) {
        same &= variant != kNoSpec && other != kNoSpec;
        todo_.emplace_back(variant, other);
      });
      same &= set != kNoSpec && other_set != kNoSpec;
    });
    return same;
  }

  bool CompareProperties(SpecId a, SpecId b) {
    bool go_on = true;
    ForEachPair(
        PropertiesOf(before_, a), PropertiesOf(after_, b),
        [&](const Layer& layer, Token name, bool in_after) {
          const SpecId parent = in_after ? b : a;
          return parent == kNoSpec ? kNoSpec : layer.tree().FindProperty(parent, name);
        },
        [&](SpecId x, SpecId y) {
          if (!go_on || !pacer_.Go()) return void(go_on = false);
          SpecChange change;
          change.property = x != kNoSpec ? before_.tree().name(x) : after_.tree().name(y);
          change.fields = ChangedFields(x, y);
          change.structure =
              x == kNoSpec || y == kNoSpec || before_.tree().type(x) != after_.tree().type(y);
          if (!change.structure && change.fields.empty()) return;
          go_on = Emit(a, b, std::move(change));
        });
    return go_on;
  }

  Pacer& pacer_;
  const Layer& before_;
  const Layer& after_;
  const std::function<bool(const SpecChange&)>& visit_;
  std::vector<Pair> todo_;
};

}  // namespace

bool VisitSpecChanges(Pacer& pacer, const Layer* before, const Layer* after,
                      const std::function<bool(const SpecChange&)>& visit) {
  if (before == after) return true;
  const std::shared_ptr<const Layer> empty = LayerBuilder().Build({});
  return SpecDiffer(pacer, before ? *before : *empty, after ? *after : *empty, visit).Run();
}

}  // namespace stagedoor
