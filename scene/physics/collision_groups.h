// Which groups of colliders collide with each other. Corresponds to OpenUSD's
// UsdPhysicsCollisionGroup::ComputeCollisionGroupTable.
//
// A group filters the targets of physics:filteredGroups: colliders of both groups do not collide.
// With physics:invertFilteredGroups it filters all groups but these. Groups with an authored
// physics:mergeGroup of the same value count as one group, which filters what any of them does. As
// in OpenUSD, a target that is not a collision group of the stage stands for the first group.
#ifndef STAGEDOOR_SCENE_PHYSICS_COLLISION_GROUPS_H_
#define STAGEDOOR_SCENE_PHYSICS_COLLISION_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

struct CollisionGroup {
  Prim prim;
  bool is_merged = false;   // whether physics:mergeGroup is authored
  std::string merge_group;  // its value; empty without one
  bool is_inverted = false;
  uint32_t merged = 0;  // index of the groups that count as one, in the order of their first group
};

// The groups of a stage and their table. Valid as long as the stage. Immutable but for its scratch
// memory, which is that of the request.
class CollisionGroupTable {
 public:
  // Reads the groups that a default traversal finds, at default time. Errors: those of the context,
  // also if the table does not fit.
  static absl::StatusOr<CollisionGroupTable> Compute(RequestContext& context, const Stage& stage);

  // In the order of the traversal.
  const std::vector<CollisionGroup>& groups() const { return groups_; }
  size_t merged_count() const { return merged_count_; }

  // `a` and `b` are indices of groups.
  bool IsCollisionEnabled(size_t a, size_t b) const {
    return IsMergedEnabled(groups_[a].merged, groups_[b].merged);
  }
  // `a` and `b` are indices of groups that count as one (CollisionGroup::merged).
  bool IsMergedEnabled(size_t a, size_t b) const {
    return (rows_[a * stride() + b / 8] >> (b % 8) & 1) != 0;
  }
  // Bytes of a row of bits().
  size_t stride() const { return (merged_count_ + 7) / 8; }
  // A row for each index of merged groups, with a bit for each of them, the lowest bit of a byte
  // first: whether these collide.
  std::string_view bits() const {
    return {reinterpret_cast<const char*>(rows_.data()), rows_.size()};
  }

 private:
  explicit CollisionGroupTable(RequestContext& context) : reserved_(context) {}
  absl::Status ReadGroups(RequestContext& context, const Stage& stage);
  absl::Status ApplyFilters(RequestContext& context);
  void Disable(size_t a, size_t b);

  Reservation reserved_;
  std::vector<CollisionGroup> groups_;
  std::vector<uint8_t> rows_;
  size_t merged_count_ = 0;
};

// Finds the groups that colliders are in: those whose collection "colliders" includes them. The
// table must outlive it. Not thread-safe.
class CollisionGroupMembers {
 public:
  CollisionGroupMembers(RequestContext& context, const CollisionGroupTable& table);

  // Ascending indices of groups. Incomplete once the request is over.
  std::vector<uint32_t> GroupsOf(const Prim& collider);

 private:
  RequestContext& context_;
  std::vector<CollectionMembershipQuery> queries_;
};

// The targets of physics:filteredPairs, with which the prim, or what is below it, does not collide.
// Empty for a prim without PhysicsFilteredPairsAPI. Incomplete once the request is over.
std::vector<Path> FilteredPairs(RequestContext& context, const Prim& prim);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PHYSICS_COLLISION_GROUPS_H_
