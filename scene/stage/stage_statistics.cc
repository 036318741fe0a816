#include "scene/stage/stage_statistics.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/layer/field_keys.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"
#include "scene/values/dictionary.h"
#include "scene/values/value.h"

namespace stagedoor {
namespace {

// About the heap blocks of an element of a hash table.
constexpr size_t kTableEntryBytes = 64;

class StatisticsWalk {
 public:
  StatisticsWalk(RequestContext& context, const Stage& stage)
      : context_(context), stage_(stage), visits_(stage), scratch_(context), found_(context) {}

  absl::Status WalkStage() {
    SD_RETURN_IF_ERROR(WalkPrimary(stage_.PseudoRoot()));
    for (const Prototype* prototype : stage_.Prototypes()) {
      SD_RETURN_IF_ERROR(AddPrototype(prototype));
    }
    return WalkPrototypes();
  }

  absl::Status WalkRoots(std::span<const Prim> roots) {
    Reservation bytes(context_);
    SD_RETURN_IF_ERROR(bytes.Grow(roots.size() * 2 * kTableEntryBytes, "the roots of a request"));
    std::unordered_set<Path> paths;
    for (const Prim& root : roots) paths.insert(root.path());
    Pacer pacer(context_);
    for (const Prim& root : roots) {
      bool below_another = false;
      for (Prim above = root.parent(); above.valid() && !below_another; above = above.parent()) {
        SD_RETURN_IF_ERROR(pacer.Step());
        below_another = paths.contains(above.path());
      }
      if (below_another || !walked_.insert(root.path()).second) continue;
      SD_RETURN_IF_ERROR(WalkPrimary(root));
    }
    return WalkPrototypes();
  }

  StageStatistics Take() {
    found_.assets = asset_names_.size();
    found_.prototypes = prototypes_.size();
    return std::move(found_);
  }

 private:
  absl::Status WalkPrimary(const Prim& root) {
    return Walk(root, PrimFlagsPredicate::All(), found_.primary);
  }

  absl::Status AddPrototype(const Prototype* prototype) {
    if (prototype == nullptr || !known_prototypes_.insert(prototype).second) {
      return absl::OkStatus();
    }
    prototypes_.push_back(prototype);
    return scratch_.Grow(2 * kTableEntryBytes, "prototypes");
  }

  // Also walks the prototypes that it meets.
  absl::Status WalkPrototypes() {
    for (size_t i = 0; i < prototypes_.size(); ++i) {
      const Prototype& prototype = *prototypes_[i];
      // The root has neither a type nor metadata.
      PrimCounts& counts = found_.prototyped;
      ++counts.total;
      ++counts.active;
      SD_RETURN_IF_ERROR(CountType(Token(), counts));
      for (const Prim& child : stage_.PrototypeChildren(prototype, prototype.source_path)) {
        SD_RETURN_IF_ERROR(Walk(child, PrimFlagsPredicate::Default(), counts));
      }
    }
    return absl::OkStatus();
  }

  // Counts the prims at and below `root` without the descendants of instances.
  absl::Status Walk(const Prim& root, PrimFlagsPredicate predicate, PrimCounts& counts) {
    const PrimRange range(root, predicate);
    for (auto at = range.begin(); at != range.end(); ++at) {
      const Prim& prim = *at;
      if (!visits_.Spend(context_, prim)) return context_.Check();
      SD_RETURN_IF_ERROR(Count(prim, counts));
      if (prim.IsComponent()) SD_RETURN_IF_ERROR(CountModel(prim));
      if (!prim.IsInstance()) continue;
      at.PruneChildren();
      if (prototypes_.size() == stage_prototypes_) continue;  // all are known
      SD_RETURN_IF_ERROR(AddPrototype(prim.data().prototype));
    }
    return absl::OkStatus();
  }

  absl::Status Count(const Prim& prim, PrimCounts& counts) {
    ++counts.total;
    ++(prim.IsActive() ? counts.active : counts.inactive);
    counts.pure_over += !prim.data().Has(kPrimDefiningSpecifier);
    counts.instance += prim.IsInstance();
    counts.payload += prim.HasPayload();
    counts.unloaded_payload += prim.HasPayload() && !prim.IsLoaded();
    return CountType(prim.type_name(), counts);
  }

  absl::Status CountType(Token type, PrimCounts& counts) {
    const auto [entry, added] = counts.types.try_emplace(type, 0);
    if (added) SD_RETURN_IF_ERROR(found_.reserved.Grow(kTableEntryBytes, "the types of prims"));
    ++entry->second;
    return absl::OkStatus();
  }

  absl::Status CountModel(const Prim& prim) {
    ++found_.models;
    found_.instanced_models += prim.IsInstance();
    const Value info = prim.Metadata(context_, Fields().assetInfo);
    const Dictionary* entries = info.Get<Dictionary>();
    const Value* value = entries == nullptr ? nullptr : entries->Find("name");
    const std::string* name = value == nullptr ? nullptr : value->Get<std::string>();
    if (name == nullptr || !asset_names_.insert(*name).second) return absl::OkStatus();
    return scratch_.Grow(kTableEntryBytes + name->size(), "the names of assets");
  }

  RequestContext& context_;
  const Stage& stage_;
  const size_t stage_prototypes_ = stage_.Prototypes().size();
  TraversalBudget visits_;
  std::unordered_set<Path> walked_;
  std::unordered_set<std::string> asset_names_;
  std::unordered_set<const Prototype*> known_prototypes_;
  std::vector<const Prototype*> prototypes_;  // to be walked, in this order
  Reservation scratch_;
  StageStatistics found_;
};

uint64_t CountUsedLayers(const Stage& stage) {
  const auto& layers = stage.root_layer_stack().layers();
  const bool session = !layers.empty() && layers[0].session;
  return stage.UsedLayers().size() - (session ? 1 : 0);
}

}  // namespace

absl::StatusOr<StageStatistics> ComputeStageStatistics(RequestContext& context, const Stage& stage,
                                                       std::span<const Prim> roots) {
  StatisticsWalk walk(context, stage);
  const bool all = roots.empty() || std::any_of(roots.begin(), roots.end(), [](const Prim& root) {
                     return root.IsPseudoRoot();
                   });
  SD_RETURN_IF_ERROR(all ? walk.WalkStage() : walk.WalkRoots(roots));
  SD_RETURN_IF_ERROR(context.Check());
  StageStatistics found = walk.Take();
  found.used_layers = CountUsedLayers(stage);
  return found;
}

}  // namespace stagedoor
