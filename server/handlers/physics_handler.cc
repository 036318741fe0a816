#include "server/handlers/physics_handler.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/physics/collision_groups.h"
#include "scene/physics/rigid_body_mass.h"
#include "scene/stage/prim_range.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerColliders = "request fewer paths";
constexpr size_t kBytesPerGroupQuery = 256;

void FillTable(const CollisionGroupTable& table, ReplyBudget& budget,
               v1::ComputeCollisionGroupsResponse* response) {
  for (const CollisionGroup& group : table.groups()) {
    if (!budget.ok()) return;
    v1::CollisionGroup* out = budget.Add(response->mutable_groups());
    out->set_path(budget.Text(group.prim.PathText()));
    out->set_row(group.merged);
    if (group.is_merged) out->set_merge_group(budget.Text(group.merge_group));
    out->set_inverted(group.is_inverted);
  }
  if (budget.Charge(table.bits().size())) response->set_enabled(std::string(table.bits()));
}

void FillCollider(RequestContext& context, const Prim& prim, CollisionGroupMembers& members,
                  ReplyBudget& budget, v1::ColliderGroups* out) {
  const std::vector<uint32_t> groups = members.GroupsOf(prim);
  if (!budget.Charge(groups.size() * sizeof(uint32_t))) return;
  out->mutable_groups()->Add(groups.begin(), groups.end());
  for (const Path target : FilteredPairs(context, prim)) {
    if (!budget.ok()) return;
    budget.AddText(target.ToString(), out->mutable_filtered_pairs());
  }
}

// Finds the rigid bodies of the request: those at its paths, or all of the stage.
absl::Status FindBodies(const QueryState& state, RequestContext& context,
                        const v1::ComputeMassPropertiesRequest& request, PrimBatch* batch) {
  if (!request.paths().empty()) {
    SD_RETURN_IF_ERROR(FindPrims(state, context, request, 1, batch));
    for (size_t i = 0; i < batch->prims.size(); ++i) {
      const Prim& prim = batch->prims[i];
      if (!prim.valid() || IsRigidBody(prim)) continue;
      SD_RETURN_IF_ERROR(batch->Fail(
          context, i,
          WithReason(InvalidArgumentError(Quoted(prim.PathText()), " has no PhysicsRigidBodyAPI"),
                     v1::ERROR_REASON_WRONG_KIND)));
    }
    return absl::OkStatus();
  }
  Pacer pacer(context);
  const auto predicate = PrimFlagsPredicate::Default().WithInstanceProxies();
  for (const Prim& prim : batch->leased.stage().Traverse(predicate)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!IsRigidBody(prim)) continue;
    SD_RETURN_IF_ERROR(context.Reserve(sizeof(Prim), "the prims of a reply"));
    batch->prims.push_back(prim);
  }
  return CheckCount(batch->prims.size(), state.limits.max_items, "items");
}

template <typename Numbers>
void FillNumbers(const Numbers& numbers, google::protobuf::RepeatedField<float>* out) {
  out->Add(std::begin(numbers), std::end(numbers));
}

void FillCollider(const ColliderMass& collider, ReplyBudget& budget, v1::ColliderMass* out) {
  if (!budget.Charge(3 * sizeof(float))) return;
  out->set_path(budget.Text(collider.prim.PathText()));
  out->set_volume(collider.volume);
  out->set_density(collider.density);
  out->set_mass(collider.mass);
  if (!collider.material.empty()) out->set_material(budget.Text(collider.material.ToString()));
  FillNumbers(collider.center_of_mass.v, out->mutable_center_of_mass());
}

// `colliders` may be null.
void FillBody(const RigidBodyMass& mass, const std::vector<ColliderMass>* colliders,
              ReplyBudget& budget, v1::RigidBodyMass* out) {
  if (!budget.Charge(10 * sizeof(float))) return;
  out->set_mass(mass.mass);
  FillNumbers(mass.center_of_mass.v, out->mutable_center_of_mass());
  FillNumbers(mass.diagonal_inertia.v, out->mutable_diagonal_inertia());
  out->add_principal_axes(mass.principal_axes.real);
  FillNumbers(mass.principal_axes.imaginary.v, out->mutable_principal_axes());
  if (colliders == nullptr) return;
  for (const ColliderMass& collider : *colliders) {
    if (!budget.ok()) return;
    FillCollider(collider, budget, budget.Add(out->mutable_colliders()));
  }
}

}  // namespace

absl::Status ComputeCollisionGroups(const QueryState& state, RequestContext& context,
                                    const v1::ComputeCollisionGroupsRequest& request,
                                    v1::ComputeCollisionGroupsResponse* response) {
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, 1, &batch));
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerColliders);
  batch.FillErrors(budget, response->mutable_path_errors());
  SD_ASSIGN_OR_RETURN(const CollisionGroupTable table,
                      CollisionGroupTable::Compute(context, batch.leased.stage()));
  FillTable(table, budget, response);
  SD_RETURN_IF_ERROR(budget.status());
  if (!batch.prims.empty()) {
    SD_RETURN_IF_ERROR(
        context.Reserve(table.groups().size() * kBytesPerGroupQuery, "collision groups"));
    CollisionGroupMembers members(context, table);
    for (const Prim& prim : batch.prims) {
      if (!budget.ok()) return budget.status();
      v1::ColliderGroups* out = budget.Add(response->mutable_colliders());
      if (prim.valid()) FillCollider(context, prim, members, budget, out);
    }
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  return batch.leased.CheckRead();
}

absl::Status ComputeMassProperties(const QueryState& state, RequestContext& context,
                                   const v1::ComputeMassPropertiesRequest& request,
                                   v1::ComputeMassPropertiesResponse* response) {
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(FindBodies(state, context, request, &batch));
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerColliders);
  batch.FillErrors(budget, response->mutable_path_errors());
  RigidBodyMasses masses(context);
  for (size_t i = 0; i < batch.prims.size(); ++i) {
    if (!budget.ok()) return budget.status();
    v1::RigidBodyMass* out = budget.Add(response->mutable_bodies());
    const Prim& prim = batch.prims[i];
    if (!prim.valid()) {
      out->set_path(budget.Text(request.paths(static_cast<int>(i))));
      continue;
    }
    out->set_path(budget.Text(prim.PathText()));
    std::vector<ColliderMass> colliders;
    const RigidBodyMass mass =
        masses.Compute(prim, request.with_colliders() ? &colliders : nullptr);
    SD_RETURN_IF_ERROR(context.Check());
    FillBody(mass, request.with_colliders() ? &colliders : nullptr, budget, out);
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
