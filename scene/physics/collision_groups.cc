#include "scene/physics/collision_groups.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/physics/physics_tokens.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerGroup = 64;
constexpr int64_t kStepsPerMembership = 8;
// A group with its entries in the maps by path and by name.
constexpr size_t kBytesPerGroup = sizeof(CollisionGroup) + 192;

CollisionGroup ReadGroup(RequestContext& context, const Prim& prim) {
  CollisionGroup group{.prim = prim};
  const Attribute name = prim.GetAttribute(Physics().physics_mergeGroup);
  group.is_merged = name.valid() && name.IsAuthored();
  if (group.is_merged) {
    group.merge_group =
        TypedValue<std::string>(context, name, TimeCode::Default()).value_or(std::string());
  }
  group.is_inverted = AttributeValueAs<bool>(context, prim, Physics().physics_invertFilteredGroups,
                                             TimeCode::Default())
                          .value_or(false);
  return group;
}

}  // namespace

absl::StatusOr<CollisionGroupTable> CollisionGroupTable::Compute(RequestContext& context,
                                                                 const Stage& stage) {
  CollisionGroupTable table(context);
  SD_RETURN_IF_ERROR(table.ReadGroups(context, stage));
  const size_t bytes = table.merged_count_ * table.stride();
  SD_RETURN_IF_ERROR(table.reserved_.Grow(bytes, "the table of collision groups"));
  table.rows_.assign(bytes, 0xFF);
  SD_RETURN_IF_ERROR(table.ApplyFilters(context));
  return table;
}

absl::Status CollisionGroupTable::ReadGroups(RequestContext& context, const Stage& stage) {
  std::map<std::string, uint32_t> merged;
  Pacer pacer(context);
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::Default())) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!prim.IsA(Physics().PhysicsCollisionGroup)) continue;
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerGroup));
    CollisionGroup group = ReadGroup(context, prim);
    SD_RETURN_IF_ERROR(
        reserved_.Grow(kBytesPerGroup + 2 * group.merge_group.size(), "collision groups"));
    group.merged = static_cast<uint32_t>(merged_count_);
    if (group.is_merged) {
      const auto [it, is_new] = merged.try_emplace(group.merge_group, group.merged);
      group.merged = it->second;
      if (is_new) ++merged_count_;
    } else {
      ++merged_count_;
    }
    groups_.push_back(std::move(group));
  }
  return context.Check();
}

void CollisionGroupTable::Disable(size_t a, size_t b) {
  rows_[a * stride() + b / 8] &= static_cast<uint8_t>(~(1u << (b % 8)));
  rows_[b * stride() + a / 8] &= static_cast<uint8_t>(~(1u << (a % 8)));
}

absl::Status CollisionGroupTable::ApplyFilters(RequestContext& context) {
  std::unordered_map<Path, uint32_t> by_path;
  for (const CollisionGroup& group : groups_) by_path.emplace(group.prim.path(), group.merged);
  Pacer pacer(context);
  std::vector<bool> is_target;
  for (const CollisionGroup& group : groups_) {
    if (group.is_inverted) is_target.assign(merged_count_, false);
    const Relationship filtered = group.prim.GetRelationship(Physics().physics_filteredGroups);
    if (filtered.valid()) {
      for (const Path target : filtered.Targets(context)) {
        SD_RETURN_IF_ERROR(pacer.Step());
        const auto found = by_path.find(target);
        const uint32_t other = found == by_path.end() ? 0 : found->second;
        if (group.is_inverted) {
          is_target[other] = true;
        } else {
          Disable(group.merged, other);
        }
      }
    }
    if (!group.is_inverted) continue;
    for (size_t other = 0; other < merged_count_; ++other) {
      SD_RETURN_IF_ERROR(pacer.Step());
      if (!is_target[other]) Disable(group.merged, other);
    }
  }
  return context.Check();
}

CollisionGroupMembers::CollisionGroupMembers(RequestContext& context,
                                             const CollisionGroupTable& table)
    : context_(context) {
  queries_.reserve(table.groups().size());
  for (const CollisionGroup& group : table.groups()) {
    if (!context.Check().ok()) return;
    queries_.push_back(Collection(group.prim, Physics().colliders).ComputeMembershipQuery(context));
  }
}

std::vector<uint32_t> CollisionGroupMembers::GroupsOf(const Prim& collider) {
  std::vector<uint32_t> found;
  Pacer pacer(context_);
  const Path path = collider.path();
  for (size_t i = 0; i < queries_.size(); ++i) {
    if (!pacer.Go(kStepsPerMembership)) break;
    if (queries_[i].Includes(path)) found.push_back(static_cast<uint32_t>(i));
  }
  return found;
}

std::vector<Path> FilteredPairs(RequestContext& context, const Prim& prim) {
  if (!prim.HasApi(Physics().PhysicsFilteredPairsAPI)) return {};
  const Relationship pairs = prim.GetRelationship(Physics().physics_filteredPairs);
  return pairs.valid() ? pairs.Targets(context) : std::vector<Path>();
}

}  // namespace stagedoor
