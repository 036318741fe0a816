#include "scene/shade/coord_sys.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "scene/shade/shade_tokens.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

constexpr std::string_view kCoordSysSchema = "CoordSysAPI:";
constexpr size_t kBytesPerBoundPrim = 64;  // an entry of the map
constexpr int64_t kStepsPerSchema = 16;

}  // namespace

const CoordSysBindings::List* CoordSysBindings::Find(const Prim& prim) {
  chain_.clear();
  const List* bindings = nullptr;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const auto known = found_.find(at);
    if (known != found_.end()) {
      bindings = known->second;
      break;
    }
    if (!pacer_.Go()) return nullptr;
    chain_.push_back(at);
  }
  for (; !chain_.empty(); chain_.pop_back()) {
    if (!reserved_.Grow(kBytesPerBoundPrim, "coordinate systems").ok()) return nullptr;
    bindings = ListOf(chain_.back(), bindings);
    found_.emplace(chain_.back(), bindings);
  }
  return bindings;
}

const CoordSysBindings::List* CoordSysBindings::ListOf(const Prim& prim, const List* inherited) {
  if (!prim.HasApi(Shade().CoordSysAPI)) return inherited;
  List bindings = LocalBindings(prim);
  if (bindings.empty()) return inherited;
  const size_t local = bindings.size();
  for (const CoordSysBinding& above : inherited == nullptr ? List() : *inherited) {
    if (!pacer_.Go(static_cast<int64_t>(local))) return inherited;
    const auto end = bindings.begin() + static_cast<ptrdiff_t>(local);
    const bool is_bound = std::any_of(
        bindings.begin(), end, [&](const CoordSysBinding& own) { return own.name == above.name; });
    if (!is_bound) bindings.push_back(above);
  }
  const size_t bytes = sizeof(List) + bindings.size() * sizeof(CoordSysBinding);
  if (!reserved_.Grow(bytes, "coordinate systems").ok()) return inherited;
  all_.push_back(std::make_unique<List>(std::move(bindings)));
  return all_.back().get();
}

// An instance whose relationship has no targets binds nothing.
CoordSysBindings::List CoordSysBindings::LocalBindings(const Prim& prim) {
  List bindings;
  for (const Token schema : prim.AppliedSchemas()) {
    if (!schema.text().starts_with(kCoordSysSchema)) continue;
    if (!pacer_.Go(kStepsPerSchema)) break;
    const std::string_view name = schema.text().substr(kCoordSysSchema.size());
    const Relationship relationship =
        prim.GetRelationship(Token(Concat("coordSys:", name, ":binding")));
    if (!relationship.valid()) continue;
    const auto targets = relationship.AuthoredForwardedTargets(context_);
    if (!targets || targets->empty()) continue;
    bindings.push_back(
        {.name = Token(name), .relationship = relationship.path(), .target = targets->front()});
  }
  return bindings;
}

}  // namespace stagedoor
