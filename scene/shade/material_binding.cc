#include "scene/shade/material_binding.h"

#include <utility>

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
constexpr size_t kBytesPerBinding = sizeof(MaterialBinding) + 32;

}  // namespace

const MaterialBinding* MaterialBindings::Find(const Prim& prim, Token purpose) {
  const Bindings* from = BindingsAbove(prim);
  if (from == nullptr) return nullptr;
  if (!purpose.empty()) {
    if (const MaterialBinding* found = FindForPurpose(prim, from, purpose)) return found;
  }
  return FindForPurpose(prim, from, Token());
}

const MaterialBinding* MaterialBindings::FindForPurpose(const Prim& prim, const Bindings* from,
                                                        Token purpose) {
  const MaterialBinding* winner = nullptr;
  for (const Bindings* at = from; at != nullptr; at = at->above) {
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

const MaterialBindings::Bindings* MaterialBindings::BindingsAbove(const Prim& prim) {
  chain_.clear();
  const Bindings* closest = nullptr;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    const auto known = closest_.find(at);
    if (known != closest_.end()) {
      closest = known->second;
      break;
    }
    chain_.push_back(at);
  }
  if (!reserved_.Grow(chain_.size() * kBytesPerPrim, "material bindings").ok()) return nullptr;
  for (auto it = chain_.rbegin(); it != chain_.rend(); ++it) {
    if (auto bindings = ReadBindings(*it)) {
      bindings->above = closest;
      closest = all_.emplace_back(std::move(bindings)).get();
    }
    closest_.emplace(*it, closest);
  }
  return closest;
}

const std::vector<Token>& MaterialBindings::BindingNames(const Prim& prim) {
  const auto [it, is_new] = binding_names_.try_emplace(&prim.data());
  if (is_new) {
    for (const Token name : prim.AuthoredPropertyNames()) {
      if (name.text().starts_with(kDirectBinding)) it->second.push_back(name);
    }
  }
  return it->second;
}

std::unique_ptr<MaterialBindings::Bindings> MaterialBindings::ReadBindings(const Prim& prim) {
  const std::vector<Token>& names = BindingNames(prim);
  if (names.empty()) return nullptr;
  auto bindings = std::make_unique<Bindings>();
  for (const Token name : names) {
    if (!pacer_.Go()) return nullptr;
    ReadBinding(prim, name, bindings.get());
  }
  if (bindings->bindings.empty()) return nullptr;
  if (!reserved_.Grow(bindings->bindings.size() * kBytesPerBinding, "material bindings").ok()) {
    return nullptr;
  }
  return bindings;
}

void MaterialBindings::ReadBinding(const Prim& prim, Token name, Bindings* bindings) {
  const Relationship relationship = prim.GetRelationship(name);
  if (!relationship.valid()) return;
  MaterialBinding binding{.prim = prim, .relationship = name};
  const std::vector<Path> targets = relationship.ForwardedTargets(context_);
  const auto fail = [&](BrokenBinding::Reason reason, Path target) {
    if (broken_.size() == kMaxBroken) return;
    broken_.push_back({relationship.path(), target, reason});
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

bool MaterialBindings::IsMaterial(const Prim& prim, Path path) const {
  const Prim material = prim.stage().FindPrim(path);
  return material.valid() && material.IsA(Shade().Material);
}

bool MaterialBindings::IsMember(Path collection, const Prim& prim) {
  auto it = collections_.find(collection);
  if (it == collections_.end()) {
    const Prim owner = prim.stage().FindPrim(collection.PrimPath());
    it = collections_
             .emplace(
                 collection,
                 Collection(owner, Collection::NameOf(collection)).ComputeMembershipQuery(context_))
             .first;
  }
  return pacer_.Go(kStepsPerMember) && it->second.Includes(prim.path());
}

}  // namespace stagedoor
