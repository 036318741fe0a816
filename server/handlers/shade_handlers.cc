#include "server/handlers/shade_handlers.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status_macros.h"
#include "scene/shade/bound_material_batch.h"
#include "scene/shade/material_binding.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxPurposes = 16;
constexpr std::string_view kFewerPaths = "request fewer paths or purposes";

std::vector<std::string_view> ParsePurposes(const v1::ComputeBoundMaterialsRequest& request) {
  std::vector<std::string_view> purposes(request.purposes().begin(), request.purposes().end());
  if (purposes.empty()) purposes.emplace_back();
  return purposes;
}

v1::BrokenMaterialBinding::Reason ReasonToProto(BrokenBinding::Reason reason) {
  switch (reason) {
    case BrokenBinding::Reason::kMaterial:
      return v1::BrokenMaterialBinding::REASON_NO_MATERIAL;
    case BrokenBinding::Reason::kCollection:
      return v1::BrokenMaterialBinding::REASON_NO_COLLECTION;
    default:
      return v1::BrokenMaterialBinding::REASON_TARGETS;
  }
}

void FillBinding(Path relationship, Path material, Path collection, bool is_stronger,
                 ReplyBudget& budget, v1::MaterialBinding* out) {
  out->set_relationship(budget.Text(relationship.ToString()));
  if (!material.empty()) out->set_material(budget.Text(material.ToString()));
  if (!collection.empty()) out->set_collection(budget.Text(collection.ToString()));
  out->set_stronger_than_descendants(is_stronger);
}

// Fills the tables of materials and bindings of a reply, and the numbers of their entries.
class BoundMaterialsReply {
 public:
  BoundMaterialsReply(ReplyBudget& budget, bool with_bindings,
                      v1::ComputeBoundMaterialsResponse* response)
      : budget_(budget), with_bindings_(with_bindings), response_(*response) {}

  // Adds an item. `material` is that of `found`, which may be null.
  void Add(Path material, const MaterialBinding* found) {
    if (!budget_.Charge((with_bindings_ ? 2 : 1) * sizeof(uint32_t))) return;
    response_.add_material(MaterialNumber(material));
    if (with_bindings_) response_.add_binding(BindingNumber(found));
  }

  void AddBroken(const BrokenBinding& broken) {
    v1::BrokenMaterialBinding* out = budget_.Add(response_.mutable_broken());
    out->set_relationship(budget_.Text(broken.relationship.ToString()));
    out->set_reason(ReasonToProto(broken.reason));
    if (!broken.target.empty()) out->set_target(budget_.Text(broken.target.ToString()));
  }

 private:
  // A node of a hash map, with its bucket.
  static constexpr size_t kEntryBytes = 64;

  // 1 + the index of a material; 0 for none. Prims that follow each other often have the same.
  uint32_t MaterialNumber(Path material) {
    if (material.empty()) return 0;
    if (material == last_material_) return last_material_number_;
    last_material_ = material;
    const auto [it, is_new] = materials_.try_emplace(material, 0);
    if (is_new) {
      budget_.Charge(kEntryBytes);
      budget_.AddText(material.ToString(), response_.mutable_materials());
      it->second = static_cast<uint32_t>(materials_.size());
    }
    last_material_number_ = it->second;
    return last_material_number_;
  }

  // 1 + the index of a binding; 0 for null.
  uint32_t BindingNumber(const MaterialBinding* binding) {
    if (binding == nullptr) return 0;
    const auto [it, is_new] = numbers_.try_emplace(binding, 0);
    if (is_new) {
      budget_.Charge(kEntryBytes);
      it->second = RelationshipNumber(*binding);
    }
    return it->second;
  }

  // Several MaterialBindings may stand for one relationship.
  uint32_t RelationshipNumber(const MaterialBinding& binding) {
    const Path relationship = binding.prim.path().AppendProperty(binding.relationship);
    const auto [it, is_new] = bindings_.try_emplace(relationship, 0);
    if (is_new) {
      budget_.Charge(kEntryBytes);
      it->second = static_cast<uint32_t>(bindings_.size());
      FillBinding(relationship, binding.material, binding.collection, binding.is_stronger, budget_,
                  budget_.Add(response_.mutable_bindings()));
    }
    return it->second;
  }

  ReplyBudget& budget_;
  const bool with_bindings_;
  v1::ComputeBoundMaterialsResponse& response_;
  std::unordered_map<Path, uint32_t> materials_;
  std::unordered_map<Path, uint32_t> bindings_;                   // by relationship
  std::unordered_map<const MaterialBinding*, uint32_t> numbers_;  // of bindings
  Path last_material_;
  uint32_t last_material_number_ = 0;
};

v1::BindingCandidate::Outcome OutcomeToProto(BindingCandidate::Outcome outcome) {
  // The enumerators of both types are in the same order.
  return static_cast<v1::BindingCandidate::Outcome>(static_cast<int>(outcome) + 1);
}
static_assert(static_cast<int>(BindingCandidate::Outcome::kWins) + 1 ==
              v1::BindingCandidate::OUTCOME_WINS);
static_assert(static_cast<int>(BindingCandidate::Outcome::kBroken) + 1 ==
              v1::BindingCandidate::OUTCOME_BROKEN);

}  // namespace

absl::Status ComputeBoundMaterials(const QueryState& state, RequestContext& context,
                                   const v1::ComputeBoundMaterialsRequest& request,
                                   v1::ComputeBoundMaterialsResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.purposes_size()), kMaxPurposes, "purposes"));
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  const std::vector<std::string_view> purposes = ParsePurposes(request);
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, purposes.size(), &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerPaths);
  batch.FillErrors(budget, response->mutable_path_errors());
  const BoundMaterialBatch bound(context, batch.prims, purposes,
                                 state.stages.environment().executor);
  BoundMaterialsReply reply(budget, request.with_bindings(), response);
  for (size_t i = 0; i < bound.found().size() && budget.ok(); ++i) {
    reply.Add(bound.materials()[i], bound.found()[i]);
  }
  for (const BrokenBinding& broken : bound.Broken()) reply.AddBroken(broken);
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

absl::Status ExplainBinding(const QueryState& state, RequestContext& context,
                            const v1::ExplainBindingRequest& request,
                            v1::ExplainBindingResponse* response) {
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(leased.stage(), request.path()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "the prim has too many bindings");
  MaterialBindings bindings(context);
  for (const BindingCandidate& candidate : bindings.Explain(prim, request.purpose())) {
    if (!budget.ok()) break;
    v1::BindingCandidate* out = budget.Add(response->mutable_candidates());
    FillBinding(candidate.relationship, candidate.material, candidate.collection,
                candidate.is_stronger, budget, out->mutable_binding());
    out->set_outcome(OutcomeToProto(candidate.outcome));
    if (!candidate.wrong.empty()) out->set_wrong_target(budget.Text(candidate.wrong.ToString()));
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server
