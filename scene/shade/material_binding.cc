#include "scene/shade/material_binding.h"

#include <utility>

#include "base/heap_costs.h"
#include "base/strings.h"
#include "scene/shade/binding_names.h"
#include "scene/shade/shade_tokens.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// Entries of the maps, with their nodes and buckets.
constexpr size_t kBytesPerPrim = 96;
constexpr int64_t kStepsPerMember = 8;

// Whether the rules at and above a prim include the prims below it, as far as these have none
// themselves.
bool IncludesBelow(const CollectionRules& rules, Path prim) {
  for (Path at = prim; !at.empty(); at = at.Parent()) {
    const auto found = rules.rules().find(at);
    if (found == rules.rules().end() || found->second == CollectionRule::kExplicitOnly) continue;
    return found->second != CollectionRule::kExclude;
  }
  return false;
}

}  // namespace

const MaterialBinding* MaterialBindings::Find(const Prim& prim, std::string_view purpose) {
  const PrimBindings* from = BindingsAbove(prim);
  if (from == nullptr) return nullptr;
  const MaterialBinding* found = FindForPurpose(prim, from, purpose);
  return found == nullptr && !purpose.empty() ? FindForPurpose(prim, from, {}) : found;
}

void MaterialBindings::Prefetch(const Prim& prim) const {
  if (table_ == nullptr) return;
  table_->Prefetch(prim);
  prim.data().path.Prefetch();
}

const MaterialBinding* MaterialBindings::FindInOrder(const Prim& prim,
                                                     std::span<const std::string> purposes) {
  const PrimBindings* from = BindingsAbove(prim);
  if (from == nullptr) return nullptr;
  for (const std::string& purpose : purposes) {
    if (const MaterialBinding* found = FindForPurpose(prim, from, purpose)) return found;
  }
  return nullptr;
}

const MaterialBinding* MaterialBindings::FindForPurpose(const Prim& prim, const PrimBindings* from,
                                                        std::string_view purpose) {
  const MaterialBinding* winner = nullptr;
  for (const PrimBindings* at = from; at != nullptr; at = at->above) {
    if (!pacer_.Go(static_cast<int64_t>(2 * at->bindings.size()))) return nullptr;
    for (const MaterialBinding& binding : at->bindings) {
      if (binding.collection.empty() && IsDirectBinding(binding.relationship, purpose) &&
          (winner == nullptr || binding.is_stronger)) {
        winner = &binding;
      }
    }
    for (const MaterialBinding& binding : at->bindings) {
      if (binding.collection.empty() || !IsCollectionBinding(binding.relationship, purpose)) {
        continue;
      }
      const bool may_win = winner == nullptr || winner->prim == binding.prim || binding.is_stronger;
      if (may_win && IsMember(binding.collection, prim)) {
        winner = &binding;
        break;
      }
    }
  }
  return winner;
}

const PrimBindings* MaterialBindings::BindingsAbove(const Prim& prim) {
  if (table_ == nullptr && prim.valid()) table_ = &BindingTable::Of(prim.stage());
  chain_.clear();
  const PrimBindings* closest = &BindingTable::None();
  // Entries of the table refer only to entries of the table.
  bool is_kept = true;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (const PrimBindings* known = FindKnown(at, &is_kept)) {
      closest = known;
      break;
    }
    chain_.push_back(at);
  }
  for (auto it = chain_.rbegin(); it != chain_.rend() && closest != nullptr; ++it) {
    closest = AddBindings(*it, closest, &is_kept);
  }
  if (closest == nullptr || closest == &BindingTable::None()) return nullptr;
  ReportBroken(closest);
  return closest;
}

// Null for prims that were not looked at before. `is_kept` is set to whether they are in the table.
const PrimBindings* MaterialBindings::FindKnown(const Prim& prim, bool* is_kept) const {
  if (const PrimBindings* known = table_->Find(prim)) return known;
  if (own_.empty()) return nullptr;
  const auto known = own_.find(prim);
  if (known == own_.end()) return nullptr;
  *is_kept = false;
  return known->second.closest;
}

// Reads the bindings of a prim, and keeps them: in the table if those `above` are kept there.
// Returns them, or those above if it has none. Null if the request is over.
const PrimBindings* MaterialBindings::AddBindings(const Prim& prim, const PrimBindings* above,
                                                  bool* is_kept) {
  PrimBindings bindings = ReadBindings(prim);
  if (bindings.empty()) {
    *is_kept = *is_kept && table_->AddInherited(context_, prim, *above);
    return *is_kept ? above : KeepOwn(prim, {above, nullptr});
  }
  bindings.above = above == &BindingTable::None() ? nullptr : above;
  bindings.any_broken = !bindings.broken.empty() || above->any_broken;
  auto own = std::make_unique<const PrimBindings>(std::move(bindings));
  const PrimBindings* kept = *is_kept ? table_->Add(context_, prim, own) : nullptr;
  *is_kept = kept != nullptr;
  if (*is_kept) return kept;
  if (!reserved_.Grow(own->byte_size(), "material bindings").ok()) return nullptr;
  const PrimBindings* closest = own.get();
  return KeepOwn(prim, {closest, std::move(own)});
}

const PrimBindings* MaterialBindings::KeepOwn(const Prim& prim, OwnEntry entry) {
  if (!reserved_.Grow(kBytesPerPrim, "material bindings").ok()) return nullptr;
  return own_.emplace(prim, std::move(entry)).first->second.closest;
}

PrimBindings MaterialBindings::ReadBindings(const Prim& prim) {
  PrimBindings bindings;
  for (const Token name : table_->NamesOf(context_, prim, &names_)) {
    if (!pacer_.Go()) break;
    ReadBinding(prim, name, &bindings);
  }
  return bindings;
}

void MaterialBindings::ReportBroken(const PrimBindings* closest) {
  if (closest == nullptr || !closest->any_broken) return;
  std::vector<const PrimBindings*> fresh;
  for (const PrimBindings* at = closest; at != nullptr; at = at->above) {
    if (!pacer_.Go() || reported_.contains(at)) break;
    if (!reserved_.Grow(kNodeBytes, "material bindings").ok()) break;
    reported_.insert(at);
    if (!at->broken.empty()) fresh.push_back(at);
  }
  for (; !fresh.empty(); fresh.pop_back()) {
    for (const BrokenBinding& broken : fresh.back()->broken) {
      if (broken_.size() < kMaxBroken) broken_.push_back(broken);
    }
  }
}

void MaterialBindings::ReadBinding(const Prim& prim, Token name, PrimBindings* bindings) {
  const Relationship relationship = prim.GetRelationship(name);
  if (!relationship.valid()) return;
  MaterialBinding binding{.prim = prim, .relationship = name};
  const std::vector<Path> targets = relationship.ForwardedTargets(context_);
  const auto fail = [&](BrokenBinding::Reason reason, Path target) {
    if (bindings->broken.size() == kMaxBroken) return;
    bindings->broken.push_back({relationship.path(), target, reason});
  };
  if (BindsMembers(name)) {
    if (targets.size() != 2 || targets[0].IsPrim() == targets[1].IsPrim()) {
      return targets.empty() ? void() : fail(BrokenBinding::Reason::kTargets, Path());
    }
    binding.material = targets[targets[0].IsPrim() ? 0 : 1];
    binding.collection = targets[targets[0].IsPrim() ? 1 : 0];
  } else {
    if (targets.size() != 1 || !targets[0].IsPrim()) {
      return targets.empty() ? void() : fail(BrokenBinding::Reason::kTargets, Path());
    }
    binding.material = targets[0];
  }
  if (!binding.collection.empty()) {
    const Token collection = Collection::NameOf(binding.collection);
    const Prim owner = prim.stage().FindPrim(binding.collection.PrimPath());
    if (collection.empty() || !owner.valid() ||
        !owner.HasApi(Token(Concat("CollectionAPI:", collection.text())))) {
      return fail(BrokenBinding::Reason::kCollection, binding.collection);
    }
  }
  if (!IsMaterial(prim, binding.material)) {
    fail(BrokenBinding::Reason::kMaterial, binding.material);
    binding.material = Path();
  }
  const Value strength = relationship.Metadata(context_, Shade().bindMaterialAs);
  const Token* token = strength.Get<Token>();
  binding.is_stronger = token != nullptr && *token == Shade().strongerThanDescendants;
  bindings->bindings.push_back(binding);
}

bool MaterialBindings::IsMaterial(const Prim& prim, Path path) {
  CheckedPath& checked = checked_[path.hash() % checked_.size()];
  if (checked.path != path) {
    const Prim material = prim.stage().FindPrim(path);
    checked = {path, material.valid() && material.IsA(Shade().Material)};
  }
  return checked.is_material;
}

bool MaterialBindings::IsMember(Path collection, const Prim& prim) {
  if (collection != last_collection_) {
    last_collection_ = collection;
    last_members_ = &members_[collection];
    last_parent_ = Prim();
  }
  auto& members = *last_members_;
  if (members == nullptr) members = table_->MembersOf(context_, prim.stage(), collection);
  if (members == nullptr || !pacer_.Go(kStepsPerMember)) return false;
  const auto& rules = members->rules().rules();
  if (rules.empty()) return members->Includes(prim.path());
  const auto own = rules.find(prim.path());
  if (own != rules.end()) return own->second != CollectionRule::kExclude;
  // Prims that follow each other mostly have one parent, whose rules apply to all of them.
  const Prim parent = prim.parent();
  if (!(parent == last_parent_)) {
    last_parent_ = parent;
    includes_siblings_ = IncludesBelow(members->rules(), parent.path());
  }
  return includes_siblings_;
}

}  // namespace stagedoor
