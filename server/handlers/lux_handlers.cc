#include "server/handlers/lux_handlers.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "scene/lux/explain_light_link.h"
#include "scene/lux/light_list.h"
#include "scene/lux/light_sets.h"
#include "scene/stage/stage.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxContexts = 16;
constexpr std::string_view kFewerLights = "request a part of the stage";
constexpr std::string_view kFewerLightPaths = "request fewer paths or lights";

void AddPaths(const std::vector<Path>& paths, ReplyBudget& budget,
              google::protobuf::RepeatedPtrField<std::string>* out) {
  for (const Path path : paths) {
    if (!budget.ok()) return;
    budget.AddText(path.ToString(), out);
  }
}

void FillLight(const Prim& light, const std::vector<std::string>& contexts, ReplyBudget& budget,
               v1::Light* out) {
  RequestContext& context = budget.context();
  out->set_type_name(budget.Text(light.type_name().text()));
  out->set_shader_id(budget.Text(LightShaderId(context, light, contexts).text()));
  out->set_is_filter(IsLightFilter(light));
  AddPaths(LightFilters(context, light), budget, out->mutable_filters());
  AddPaths(LightPortals(context, light), budget, out->mutable_portals());
}

Token CollectionOf(v1::LightLink link) {
  switch (link) {
    case v1::LIGHT_LINK_SHADOW:
      return Token("shadowLink");
    case v1::LIGHT_LINK_FILTER:
      return Token("filterLink");
    default:
      return Token("lightLink");
  }
}

// The lights of a request, in its order, or those of the stage.
absl::StatusOr<std::vector<Prim>> FindLights(const QueryState& state, RequestContext& context,
                                             const Stage& stage,
                                             const v1::ComputeLightSetsRequest& request) {
  std::vector<Prim> lights;
  const bool wants_filters = request.link() == v1::LIGHT_LINK_FILTER;
  const auto count = static_cast<size_t>(request.lights_size());
  SD_RETURN_IF_ERROR(CheckCount(count, state.limits.max_paths, "lights"));
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(Prim), "lights"));
  Pacer pacer(context);
  for (const std::string& path : request.lights()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const auto prim = LookUpPrim(stage, path);
    const bool fits = prim.ok() && (wants_filters ? IsLightFilter(*prim) : IsLight(*prim));
    lights.push_back(fits ? *prim : Prim());
  }
  if (!lights.empty()) return lights;
  for (const Path path :
       ComputeLightList(context, stage.PseudoRoot(), LightListMode::kIgnoreCache)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    const Prim prim = stage.FindPrim(path);
    if (wants_filters == IsLightFilter(prim)) lights.push_back(prim);
  }
  return lights;
}

void FillLightPaths(const v1::ComputeLightSetsRequest& request, const std::vector<Prim>& lights,
                    ReplyBudget& budget, v1::ComputeLightSetsResponse* response) {
  for (const std::string& path : request.lights()) {
    if (!budget.ok()) return;
    budget.AddText(path, response->mutable_lights());
  }
  if (!request.lights().empty()) return;
  for (const Prim& light : lights) {
    if (!budget.ok()) return;
    budget.AddText(light.PathText(), response->mutable_lights());
  }
}

void FillSets(const LightSets& sets, ReplyBudget& budget, v1::ComputeLightSetsResponse* response) {
  for (const std::vector<uint32_t>& set : sets.sets()) {
    v1::LightSet* out = budget.Add(response->mutable_sets());
    if (!budget.Charge(set.size() * sizeof(uint32_t))) return;
    out->mutable_lights()->Add(set.begin(), set.end());
  }
}

// The enumerators of the engine's types are in the order of those of the protos.
v1::ExplainLightLinkResponse::Reason LinkReasonToProto(LightLinkExplanation::Reason reason) {
  return static_cast<v1::ExplainLightLinkResponse::Reason>(static_cast<int>(reason) + 1);
}
static_assert(static_cast<int>(LightLinkExplanation::Reason::kNotALight) + 1 ==
              v1::ExplainLightLinkResponse::REASON_NOT_A_LIGHT);
static_assert(static_cast<int>(LightLinkExplanation::Reason::kEmpty) + 1 ==
              v1::ExplainLightLinkResponse::REASON_EMPTY);

v1::LightLinkRule::Rule LinkRuleToProto(CollectionRule rule) {
  return static_cast<v1::LightLinkRule::Rule>(static_cast<int>(rule) + 1);
}
static_assert(static_cast<int>(CollectionRule::kExplicitOnly) + 1 ==
              v1::LightLinkRule::RULE_EXPLICIT_ONLY);
static_assert(static_cast<int>(CollectionRule::kExclude) + 1 == v1::LightLinkRule::RULE_EXCLUDE);
static_assert(static_cast<int>(CollectionRule::kUnknown) + 1 == v1::LightLinkRule::RULE_INVALID);

v1::LightLinkRule::Outcome LinkOutcomeToProto(LightLinkRule::Outcome outcome) {
  return static_cast<v1::LightLinkRule::Outcome>(static_cast<int>(outcome) + 1);
}
static_assert(static_cast<int>(LightLinkRule::Outcome::kDecides) + 1 ==
              v1::LightLinkRule::OUTCOME_DECIDES);
static_assert(static_cast<int>(LightLinkRule::Outcome::kOnlyItself) + 1 ==
              v1::LightLinkRule::OUTCOME_ONLY_ITSELF);

}  // namespace

absl::Status ListLights(const QueryState& state, RequestContext& context,
                        const v1::ListLightsRequest& request, v1::ListLightsResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(request.render_contexts_size()), kMaxContexts,
                                "render contexts"));
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  Prim root = leased.stage().PseudoRoot();
  if (!request.root().empty()) {
    SD_ASSIGN_OR_RETURN(root, LookUpPrim(leased.stage(), request.root()));
  }
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerLights);
  const bool consults = request.mode() == v1::LIGHT_LIST_MODE_CONSULT_MODEL_HIERARCHY_CACHE;
  const std::vector<std::string> contexts(request.render_contexts().begin(),
                                          request.render_contexts().end());
  for (const Path path : ComputeLightList(
           context, root,
           consults ? LightListMode::kConsultModelHierarchyCache : LightListMode::kIgnoreCache)) {
    if (!budget.ok()) break;
    v1::Light* out = budget.Add(response->mutable_lights());
    out->set_path(budget.Text(path.ToString()));
    const Prim light = leased.stage().FindPrim(path);
    if (!light.valid() || (!IsLight(light) && !IsLightFilter(light))) continue;
    FillLight(light, contexts, budget, out);
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

absl::Status ComputeLightSets(const QueryState& state, RequestContext& context,
                              const v1::ComputeLightSetsRequest& request,
                              v1::ComputeLightSetsResponse* response) {
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, /*columns=*/1, &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerLightPaths);
  batch.FillErrors(budget, response->mutable_path_errors());
  SD_ASSIGN_OR_RETURN(const std::vector<Prim> lights,
                      FindLights(state, context, batch.leased.stage(), request));
  FillLightPaths(request, lights, budget, response);
  LightSets sets(context, lights, CollectionOf(request.link()));
  for (const Prim& prim : batch.prims) {
    if (!budget.Charge(sizeof(uint32_t))) break;
    response->add_set(prim.valid() ? sets.Find(prim) + 1 : 0);
  }
  FillSets(sets, budget, response);
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

absl::Status ExplainLightLink(const QueryState& state, RequestContext& context,
                              const v1::ExplainLightLinkRequest& request,
                              v1::ExplainLightLinkResponse* response) {
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const Prim light, LookUpPrim(leased.stage(), request.light()));
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(leased.stage(), request.path()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, "the expression is too long");
  const LightLinkExplanation found =
      stagedoor::ExplainLightLink(context, light, CollectionOf(request.link()), prim.path());
  response->set_linked(found.is_linked);
  response->set_reason(LinkReasonToProto(found.reason));
  response->set_expression(budget.Text(found.expression));
  for (const LightLinkRule& rule : found.rules) {
    if (!budget.ok()) break;
    v1::LightLinkRule* out = budget.Add(response->mutable_rules());
    out->set_path(budget.Text(rule.path.ToString()));
    out->set_rule(LinkRuleToProto(rule.rule));
    out->set_outcome(LinkOutcomeToProto(rule.outcome));
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server
