#include "scene/layer/layer_diff.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/layer/shaping_fields.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

// Fields of a layer that only queries read.
bool IsPlainLayerField(Token field) {
  const FieldKeys& f = Fields();
  static const std::unordered_set<Token> kFields = {
      f.comment,        f.customLayerData, f.documentation, f.endFrame,      f.endTimeCode,
      f.framePrecision, f.metersPerUnit,   f.startFrame,    f.startTimeCode, f.upAxis};
  return kFields.contains(field);
}

// Walks two layers in parallel.
class Differ {
 public:
  Differ(const Layer& before, const Layer& after) : before_(before), after_(after) {}

  std::vector<PrimChange> Run() {
    std::vector<std::pair<SpecId, SpecId>> todo = {{kRootSpec, kRootSpec}};
    while (!todo.empty()) {
      const auto [a, b] = todo.back();
      todo.pop_back();
      const bool shape = DiffersInShape(a, b);
      if (shape || DiffersInOpinions(a, b)) {
        changed_.push_back({a == kNoSpec ? after_.tree().path(b) : before_.tree().path(a), shape});
      }
      const bool one = a == kNoSpec || b == kNoSpec;
      if (!(one && shape)) PairPrims(a, b, &todo);
    }
    return std::move(changed_);
  }

 private:
  bool DiffersInShape(SpecId a, SpecId b) const {
    if (a == kNoSpec) return !IsPlainOver(after_, b);
    if (b == kNoSpec) return !IsPlainOver(before_, a);
    return !SameShape(a, b) || !SameVariants(a, b);
  }
  bool DiffersInOpinions(SpecId a, SpecId b) const {
    return a == kNoSpec || b == kNoSpec || !SameFields(a, b) || !SameProperties(a, b) ||
           !SameNames(before_.tree().prims(a), after_.tree().prims(b));
  }

  // Schedules all child prims; kNoSpec stands for one that a layer does not have.
  void PairPrims(SpecId a, SpecId b, std::vector<std::pair<SpecId, SpecId>>* todo) const {
    const auto find = [](const Layer& layer, SpecId parent, Token name) {
      return parent == kNoSpec ? kNoSpec : layer.tree().FindPrim(parent, name);
    };
    if (a != kNoSpec) {
      for (const SpecId child : before_.tree().prims(a)) {
        todo->emplace_back(child, find(after_, b, before_.tree().name(child)));
      }
    }
    if (b != kNoSpec) {
      for (const SpecId child : after_.tree().prims(b)) {
        if (find(before_, a, after_.tree().name(child)) == kNoSpec) {
          todo->emplace_back(kNoSpec, child);
        }
      }
    }
  }

  // Whether a prim spec has opinions only about what queries read.
  static bool IsPlainOver(const Layer& layer, SpecId prim) {
    if (!layer.tree().variants(prim).empty()) return false;
    for (const Token field : layer.FieldNames(prim)) {
      const bool over =
          field == Fields().specifier && layer.GetAs<Specifier>(prim, field) == Specifier::kOver;
      if (!over && ShapesPrims(field)) return false;
    }
    return true;
  }

  // Compares the fields that composition and population read.
  bool SameShape(SpecId a, SpecId b) const {
    const auto same = [&](Token field) {
      const bool read = a == kRootSpec ? !IsPlainLayerField(field) : ShapesPrims(field);
      return !read || before_.Get(a, field) == after_.Get(b, field);
    };
    const std::vector<Token> names = before_.FieldNames(a), others = after_.FieldNames(b);
    return std::all_of(names.begin(), names.end(), same) &&
           std::all_of(others.begin(), others.end(), same);
  }

  bool SameNames(SpecRange a, SpecRange b) const {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(before_.tree().name(a[i]) == after_.tree().name(b[i]))) return false;
    }
    return true;
  }

  bool SameFields(SpecId a, SpecId b) const {
    std::vector<Token> names = before_.FieldNames(a), others = after_.FieldNames(b);
    if (names.size() != others.size()) return false;
    return std::all_of(names.begin(), names.end(),
                       [&](Token field) { return before_.Get(a, field) == after_.Get(b, field); });
  }

  bool SameProperties(SpecId a, SpecId b) const {
    const SpecRange x = before_.tree().properties(a), y = after_.tree().properties(b);
    if (!SameNames(x, y)) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (before_.tree().type(x[i]) != after_.tree().type(y[i]) || !SameFields(x[i], y[i])) {
        return false;
      }
    }
    return true;
  }

  // Compares variants including their descendants.
  bool SameVariants(SpecId a, SpecId b) const {
    std::vector<std::pair<SpecId, SpecId>> todo;
    if (!PairRuns(before_.tree().variants(a), after_.tree().variants(b), &todo)) return false;
    while (!todo.empty()) {
      const auto [x, y] = todo.back();
      todo.pop_back();
      if (!SameFields(x, y) || !SameProperties(x, y) ||
          !PairRuns(before_.tree().variants(x), after_.tree().variants(y), &todo) ||
          !PairRuns(before_.tree().prims(x), after_.tree().prims(y), &todo)) {
        return false;
      }
    }
    return true;
  }

  bool PairRuns(SpecRange a, SpecRange b, std::vector<std::pair<SpecId, SpecId>>* todo) const {
    if (!SameNames(a, b)) return false;
    for (size_t i = 0; i < a.size(); ++i) todo->emplace_back(a[i], b[i]);
    return true;
  }

  const Layer& before_;
  const Layer& after_;
  std::vector<PrimChange> changed_;
};

}  // namespace

std::vector<PrimChange> ChangedPrims(const Layer* before, const Layer* after) {
  if (before == after) return {};
  const std::shared_ptr<const Layer> empty = LayerBuilder().Build({});
  return Differ(before ? *before : *empty, after ? *after : *empty).Run();
}

}  // namespace stagedoor
