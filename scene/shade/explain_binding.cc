#include <algorithm>

#include "scene/shade/binding_names.h"
#include "scene/shade/material_binding.h"

namespace stagedoor {
namespace {

using Outcome = BindingCandidate::Outcome;

constexpr size_t kCandidateBytes = sizeof(BindingCandidate);

}  // namespace

std::vector<BindingCandidate> MaterialBindings::Explain(const Prim& prim,
                                                        std::string_view purpose) {
  std::vector<BindingCandidate> candidates;
  const PrimBindings* from = BindingsAbove(prim);
  const MaterialBinding* winner = Find(prim, purpose);
  if (!purpose.empty()) AddCandidates(prim, from, purpose, winner, &candidates);
  AddCandidates(prim, from, {}, winner, &candidates);
  for (const BrokenBinding& broken : broken_) {
    const Token name = broken.relationship.name();
    if (broken.reason == BrokenBinding::Reason::kMaterial) continue;  // which may win all the same
    if (!IsBinding(name, purpose) && !IsBinding(name, {})) continue;
    if (!prim.path().HasPrefix(broken.relationship.PrimPath())) continue;
    candidates.push_back({.relationship = broken.relationship, .wrong = broken.target});
  }
  return candidates;
}

// Adds those for `purpose`.
void MaterialBindings::AddCandidates(const Prim& prim, const PrimBindings* from,
                                     std::string_view purpose, const MaterialBinding* winner,
                                     std::vector<BindingCandidate>* candidates) {
  for (const PrimBindings* at = from; at != nullptr; at = at->above) {
    const size_t first = candidates->size();
    for (const MaterialBinding& binding : at->bindings) {
      if (!pacer_.Go() || !reserved_.Grow(kCandidateBytes, "candidates of bindings").ok()) return;
      if (!IsBinding(binding.relationship, purpose)) continue;
      BindingCandidate candidate{
          .relationship = binding.prim.path().AppendProperty(binding.relationship),
          .collection = binding.collection,
          .material = binding.material,
          .is_stronger = binding.is_stronger};
      if (const BrokenBinding* broken = FindBroken(candidate.relationship)) {
        candidate.wrong = broken->target;
      }
      candidate.outcome =
          winner == nullptr ? Outcome::kNoMember : OutcomeOf(binding, prim, purpose, *winner);
      candidates->push_back(candidate);
    }
    std::stable_partition(
        candidates->begin() + static_cast<ptrdiff_t>(first), candidates->end(),
        [](const BindingCandidate& candidate) { return !candidate.collection.empty(); });
  }
}

// Without a winner there are only collections that the prim is not a member of.
Outcome MaterialBindings::OutcomeOf(const MaterialBinding& binding, const Prim& prim,
                                    std::string_view purpose, const MaterialBinding& winner) {
  if (&binding == &winner) return Outcome::kWins;
  if (!binding.collection.empty() && !IsMember(binding.collection, prim)) return Outcome::kNoMember;
  if (!IsBinding(winner.relationship, purpose)) return Outcome::kOtherPurpose;
  if (winner.prim == binding.prim) {
    return binding.collection.empty() ? Outcome::kCollectionWins : Outcome::kEarlierWins;
  }
  return binding.prim.path().HasPrefix(winner.prim.path()) ? Outcome::kStrongerAboveWins
                                                           : Outcome::kCloserWins;
}

const BrokenBinding* MaterialBindings::FindBroken(Path relationship) const {
  const auto found = std::find_if(broken_.begin(), broken_.end(), [&](const BrokenBinding& broken) {
    return broken.relationship == relationship;
  });
  return found == broken_.end() ? nullptr : &*found;
}

}  // namespace stagedoor
