#include "scene/layer/layer_diff.h"

#include <algorithm>
#include <utility>

#include "scene/layer/layer_builder.h"

namespace stagedoor {
namespace {

// Walks two layers in parallel.
class Differ {
 public:
  Differ(const Layer& before, const Layer& after) : before_(before), after_(after) {}

  std::vector<Path> Run() {
    std::vector<std::pair<SpecId, SpecId>> todo = {{kRootSpec, kRootSpec}};
    while (!todo.empty()) {
      const auto [a, b] = todo.back();
      todo.pop_back();
      if (!SameOwn(a, b)) changed_.push_back(before_.tree().path(a));
      MatchChildren(a, b, &todo);
    }
    return std::move(changed_);
  }

 private:
  // Schedules child prims that both layers have; those that only one layer has are changes.
  void MatchChildren(SpecId a, SpecId b, std::vector<std::pair<SpecId, SpecId>>* todo) {
    for (const SpecId child : before_.tree().prims(a)) {
      const SpecId other = after_.tree().FindPrim(b, before_.tree().name(child));
      if (other == kNoSpec) {
        changed_.push_back(before_.tree().path(child));
      } else {
        todo->emplace_back(child, other);
      }
    }
    for (const SpecId child : after_.tree().prims(b)) {
      if (before_.tree().FindPrim(a, after_.tree().name(child)) == kNoSpec) {
        changed_.push_back(after_.tree().path(child));
      }
    }
  }

  // Compares everything of a prim except the contents of its child prims.
  bool SameOwn(SpecId a, SpecId b) const {
    return SameFields(a, b) && SameNames(before_.tree().prims(a), after_.tree().prims(b)) &&
           SameProperties(a, b) && SameVariants(a, b);
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
  std::vector<Path> changed_;
};

}  // namespace

std::vector<Path> ChangedPrims(const Layer* before, const Layer* after) {
  if (before == after) return {};
  const std::shared_ptr<const Layer> empty = LayerBuilder().Build({});
  return Differ(before ? *before : *empty, after ? *after : *empty).Run();
}

}  // namespace stagedoor
