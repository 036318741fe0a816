#include "scene/frame/inherited_primvars.h"

#include <algorithm>

#include "base/heap_costs.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvar.h"

namespace stagedoor {

uint32_t InheritedPrimvars::Below(uint32_t above, const Prim& prim, std::span<const Token> names) {
  if (names.empty()) return above;
  if (!prim.data().Has(kPrimInPrototype)) return NumberOf(SetBelow(above, prim, names));
  const auto [it, is_new] = below_.try_emplace({above, &prim.data()}, kNone);
  if (!is_new) return it->second;
  reserved_.Grow(kNodeBytes + sizeof(*it), "inherited primvars").IgnoreError();
  return it->second = NumberOf(SetBelow(above, prim, names));
}

InheritedPrimvars::Set InheritedPrimvars::SetBelow(uint32_t above, const Prim& prim,
                                                   std::span<const Token> names) {
  Set set;
  if (above != kNone) set = *sets_[above - 1];
  for (const Token name : names) {
    if (!context_.Spend(16 + set.size() / 8).ok()) break;
    const Attribute attribute = prim.GetAttribute(name);
    if (!attribute.HasAuthoredValue(context_)) continue;
    const auto at = std::lower_bound(set.begin(), set.end(), name,
                                     [](const auto& a, Token b) { return a.first < b; });
    const bool is_known = at != set.end() && at->first == name;
    if (Primvar(attribute).Interpolation(context_) == Geom().constant) {
      if (is_known) {
        at->second = &prim.data();
      } else {
        set.insert(at, {name, &prim.data()});
      }
    } else if (is_known) {
      set.erase(at);
    }
  }
  return set;
}

uint32_t InheritedPrimvars::NumberOf(Set set) {
  if (set.empty()) return kNone;
  const size_t bytes = kNodeBytes + set.size() * sizeof(Set::value_type);
  const auto [it, is_new] =
      numbers_.try_emplace(std::move(set), static_cast<uint32_t>(sets_.size() + 1));
  if (!is_new) return it->second;
  reserved_.Grow(bytes, "inherited primvars").IgnoreError();  // which ends the request
  sets_.push_back(&it->first);
  return it->second;
}

}  // namespace stagedoor
