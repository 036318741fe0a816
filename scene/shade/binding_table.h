#ifndef STAGEDOOR_SCENE_SHADE_BINDING_TABLE_H_
#define STAGEDOOR_SCENE_SHADE_BINDING_TABLE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/lru_cache.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/collection.h"
#include "scene/stage/memo_budget.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_memo.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// A relationship that binds a material.
struct MaterialBinding {
  Prim prim;           // that has the relationship
  Token relationship;  // its name
  Path collection;     // whose members it binds; empty for a direct binding
  Path material;       // empty if its target is missing or no Material; the prim then has none
  bool is_stronger = false;  // than bindings of descendants
};

// A relationship that binds no material, because of its targets. With kMaterial it still wins over
// others: as in OpenUSD, the prims that it binds have no material.
struct BrokenBinding {
  enum class Reason {
    kTargets,   // a direct binding needs one prim, that of a collection one prim and one collection
    kMaterial,  // the target is missing or no Material
    kCollection,  // the collection is not applied to its prim, or the prim is missing
  };
  Path relationship;
  Path target;  // empty if the number or the kind of the targets is wrong
  Reason reason;
};

// The relationships of one prim that bind materials or fail to, in property order.
struct PrimBindings {
  std::vector<MaterialBinding> bindings;
  std::vector<BrokenBinding> broken;
  const PrimBindings* above = nullptr;  // of the closest ancestor that has some
  bool any_broken = false;              // of these or of those above

  bool empty() const { return bindings.empty() && broken.empty(); }
  size_t byte_size() const {
    return sizeof(*this) + bindings.capacity() * sizeof(MaterialBinding) +
           broken.capacity() * sizeof(BrokenBinding);
  }
};

// The material bindings of the prims of a snapshot, read once for all requests. Thread-safe. What
// it returns is valid as long as the snapshot.
class BindingTable {
 public:
  // The table of a snapshot (Stage::derived).
  static BindingTable& Of(const Stage& stage);
  // Charged to `memory`, which must outlive the table. While the stages exceed their memory limit,
  // nothing is added.
  BindingTable(size_t prims, Reservation* memory, size_t max_bytes = kMaxBytes);

  // Stands for the bindings of prims that have none, like all of their ancestors.
  static const PrimBindings& None();

  // The bindings of the prim, or those of the closest ancestor that has some. Null if the table
  // does not know them yet. Bindings below an instance depend on the instance, so the table does
  // not have those of prims of prototypes.
  const PrimBindings* Find(const Prim& prim) const {
    return prim.IsInstanceProxy() ? nullptr : closest_.Find(prim.data());
  }
  // Prefetches what Find reads first into the processor's cache.
  void Prefetch(const Prim& prim) const { closest_.Prefetch(prim.data()); }
  // Notes that a prim has no bindings itself. `closest`, those of its parent, is of the table.
  // False if that cannot be kept.
  bool AddInherited(RequestContext& context, const Prim& prim, const PrimBindings& closest);
  // Adds the bindings of a prim, and takes `own` unless another thread was faster. Null if they
  // cannot be kept.
  const PrimBindings* Add(RequestContext& context, const Prim& prim,
                          std::unique_ptr<const PrimBindings>& own);

  // The names of the prim's authored properties that may be bindings. The table keeps those of
  // prims below instances, which several instances of a prototype have in common; `own` has others.
  const std::vector<Token>& NamesOf(RequestContext& context, const Prim& prim,
                                    std::vector<Token>* own);

  // The members of the collection that "/P.collection:NAME" addresses. Null if the request is over.
  std::shared_ptr<const CollectionMembershipQuery> MembersOf(RequestContext& context,
                                                             const Stage& stage, Path collection);

 private:
  static constexpr size_t kMaxBytes = size_t{128} << 20;

  using NameMemo = PrimMemo<std::vector<Token>>;
  // Made on first use, as most stages have no instances.
  NameMemo& Names();

  const size_t prims_;
  Reservation& memory_;
  PrimPointers<PrimBindings> closest_;
  std::once_flag names_made_;
  std::unique_ptr<NameMemo> names_;
  LruCache<Path, CollectionMembershipQuery> members_;
  Reservation members_memory_;
  MemoBudget budget_;
  Mutex mu_;
  std::vector<std::unique_ptr<const PrimBindings>> owned_ ABSL_GUARDED_BY(mu_);  // of closest_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_BINDING_TABLE_H_
