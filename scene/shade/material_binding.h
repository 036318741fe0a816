#ifndef STAGEDOOR_SCENE_SHADE_MATERIAL_BINDING_H_
#define STAGEDOOR_SCENE_SHADE_MATERIAL_BINDING_H_

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/shade/binding_table.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// A relationship that may bind a prim, and why it does not.
struct BindingCandidate {
  enum class Outcome {
    kWins,
    kOtherPurpose,       // it is for all purposes, and one for the purpose binds the prim
    kCloserWins,         // one of a prim closer to the prim wins
    kStrongerAboveWins,  // one of a prim above wins, which is "strongerThanDescendants"
    kCollectionWins,     // it is direct, and one of a collection, on the same prim, wins
    kEarlierWins,        // one of a collection earlier in property order, on the same prim, wins
    kNoMember,           // the prim is not a member of the collection
    kBroken,             // it binds nothing because of its targets
  };
  Path relationship;
  Path collection;  // whose members it binds; empty for a direct binding
  Path material;    // empty if it is missing or no Material
  Path wrong;       // the target that is missing or of another kind; empty if there is none
  bool is_stronger = false;
  Outcome outcome = Outcome::kBroken;
};

// Which material each prim is bound to. Corresponds to OpenUSD's
// UsdShadeMaterialBindingAPI::ComputeBoundMaterial.
//
// A prim is bound by relationships of its own and of its ancestors:
//
//   material:binding[:PURPOSE]                  a direct binding: of the prim and its descendants
//   material:binding:collection[:PURPOSE]:NAME  that of a collection: of those that are members
//
// Bindings for the purpose that is asked for win over those for all purposes. Among these, the one
// closest to the prim wins unless one above is marked "strongerThanDescendants"; on the same prim,
// a collection's wins over the direct one, and the first collection in property order over the
// others.
//
// Finds the bindings of many prims of a stage. What it reads is kept in the snapshot's
// BindingTable, so that later requests read no relationships and evaluate no collections. Valid as
// long as the stage. Not thread-safe.
class MaterialBindings {
 public:
  explicit MaterialBindings(RequestContext& context)
      : context_(context), pacer_(context), reserved_(context) {}

  // The binding of `prim` for a purpose such as "full" or "preview", or with an empty text the one
  // for all purposes. Null if nothing binds the prim, or the request is over. The pointer is
  // valid as long as this object.
  const MaterialBinding* Find(const Prim& prim, std::string_view purpose);
  // Prefetches what Find reads of a prim into the processor's cache, for loops over many prims.
  void Prefetch(const Prim& prim) const;
  // As above, for the first of some purposes for which there is a binding; those for all purposes
  // count only if one of them is empty.
  const MaterialBinding* FindInOrder(const Prim& prim, std::span<const std::string> purposes);

  // All relationships of the prim and its ancestors that may bind it for `purpose`, in the order in
  // which they are preferred: those for the purpose first, then those for all purposes; the closest
  // prim first; on a prim those of collections, in property order, before the direct one. Those
  // that are broken come last. Incomplete once the request is over.
  std::vector<BindingCandidate> Explain(const Prim& prim, std::string_view purpose);

  // The problems of the relationships that were looked at: the first kMaxBroken, each once.
  static constexpr size_t kMaxBroken = 1000;
  const std::vector<BrokenBinding>& broken() const { return broken_; }

 private:
  // An entry that the table does not keep, such as that of a prim below an instance.
  struct OwnEntry {
    const PrimBindings* closest;  // of the prim, or of the closest ancestor that has some
    std::unique_ptr<const PrimBindings> own;  // null unless the prim has some itself
  };
  // The bindings of the prim, or those of the closest ancestor that has some. Null if there are
  // none, or the request is over.
  const PrimBindings* BindingsAbove(const Prim& prim);
  const PrimBindings* FindKnown(const Prim& prim, bool* is_kept) const;
  const PrimBindings* AddBindings(const Prim& prim, const PrimBindings* above, bool* is_kept);
  const PrimBindings* KeepOwn(const Prim& prim, OwnEntry entry);
  PrimBindings ReadBindings(const Prim& prim);
  void ReadBinding(const Prim& prim, Token name, PrimBindings* bindings);
  bool IsMaterial(const Prim& prim, Path path);
  bool IsMember(Path collection, const Prim& prim);
  void ReportBroken(const PrimBindings* closest);
  void AddCandidates(const Prim& prim, const PrimBindings* from, std::string_view purpose,
                     const MaterialBinding* winner, std::vector<BindingCandidate>* candidates);
  BindingCandidate::Outcome OutcomeOf(const MaterialBinding& binding, const Prim& prim,
                                      std::string_view purpose, const MaterialBinding& winner);
  const BrokenBinding* FindBroken(Path relationship) const;
  const MaterialBinding* FindForPurpose(const Prim& prim, const PrimBindings* from,
                                        std::string_view purpose);

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  BindingTable* table_ = nullptr;  // of the stage
  struct PrimHash {
    size_t operator()(const Prim& prim) const { return prim.hash(); }
  };
  std::unordered_map<Prim, OwnEntry, PrimHash> own_;
  std::unordered_map<Path, std::shared_ptr<const CollectionMembershipQuery>> members_;
  // The collection that was asked last, because prims that follow each other ask the same one.
  Path last_collection_;
  std::shared_ptr<const CollectionMembershipQuery>* last_members_ = nullptr;
  Prim last_parent_;                // whose children were asked last for that collection
  bool includes_siblings_ = false;  // those of its children that have no rules themselves
  std::unordered_set<const PrimBindings*> reported_;  // whose broken bindings are in broken_
  std::vector<BrokenBinding> broken_;
  struct CheckedPath {
    Path path;
    bool is_material = false;
  };
  // Paths that were looked at, by their hashes: many prims are bound to few materials.
  std::array<CheckedPath, 64> checked_;
  std::vector<Prim> chain_;   // scratch
  std::vector<Token> names_;  // scratch
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_MATERIAL_BINDING_H_
