#include "server/handlers/space_handlers.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/status_macros.h"
#include "scene/shade/color_spaces.h"
#include "scene/shade/coord_sys.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerSpacePaths = "request fewer paths";

void FillCoordSysBindings(const CoordSysBindings::List& bindings, ReplyBudget& budget,
                          v1::CoordSysBindings* out) {
  for (const CoordSysBinding& binding : bindings) {
    if (!budget.ok()) return;
    v1::CoordSysBinding* to = budget.Add(out->mutable_bindings());
    to->set_name(budget.Text(binding.name.text()));
    to->set_relationship(budget.Text(binding.relationship.ToString()));
    to->set_target(budget.Text(binding.target.ToString()));
  }
}

// Fills the table of color spaces of a reply, and the numbers of its entries.
class ColorSpacesReply {
 public:
  ColorSpacesReply(ReplyBudget& budget, v1::ComputeColorSpacesResponse* response)
      : budget_(budget), spaces_(budget.context()), response_(*response) {}

  // Finds the prim or attribute at a path of the request.
  absl::Status Add(const Stage& stage, const std::string& path) {
    if (path.find('.') == std::string::npos) {
      SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, path));
      AddNumber(prim, spaces_.NameOf(prim));
    } else {
      SD_ASSIGN_OR_RETURN(const Attribute attribute, LookUpAttribute(stage, path));
      AddNumber(attribute.prim(), spaces_.NameOf(attribute));
    }
    return absl::OkStatus();
  }
  void AddNone() {
    if (budget_.Charge(sizeof(uint32_t))) response_.add_color_space(0);
  }
  void Finish() {
    for (const Path path : spaces_.unknown()) {
      budget_.AddText(path.ToString(), response_.mutable_unknown());
    }
  }

 private:
  using Key = std::pair<Token, const ColorSpaceDefinition*>;

  void AddNumber(const Prim& prim, Token name) {
    if (name.empty()) return AddNone();
    const ColorSpaceDefinition* definition = spaces_.FindDefinition(prim, name);
    const auto next = static_cast<uint32_t>(numbers_.size() + 1);
    const auto [it, is_new] = numbers_.try_emplace(Key(name, definition), next);
    if (!budget_.Charge(sizeof(uint32_t))) return;
    response_.add_color_space(it->second);
    if (is_new) Fill(name, definition, budget_.Add(response_.mutable_color_spaces()));
  }

  void Fill(Token name, const ColorSpaceDefinition* definition, v1::ColorSpace* out) {
    out->set_name(budget_.Text(name.text()));
    if (definition == nullptr || !budget_.Charge(sizeof(v1::ColorSpaceDefinition))) return;
    v1::ColorSpaceDefinition* to = out->mutable_definition();
    to->set_prim(budget_.Text(definition->prim.ToString()));
    for (const size_t i : {0, 1}) {
      to->add_red_chroma(definition->red[i]);
      to->add_green_chroma(definition->green[i]);
      to->add_blue_chroma(definition->blue[i]);
      to->add_white_point(definition->white[i]);
    }
    to->set_gamma(definition->gamma);
    to->set_linear_bias(definition->linear_bias);
  }

  ReplyBudget& budget_;
  ColorSpaces spaces_;
  v1::ComputeColorSpacesResponse& response_;
  std::map<Key, uint32_t> numbers_;
};

}  // namespace

absl::Status ComputeCoordSysBindings(const QueryState& state, RequestContext& context,
                                     const v1::ComputeCoordSysBindingsRequest& request,
                                     v1::ComputeCoordSysBindingsResponse* response) {
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_RETURN_IF_ERROR(FindPrims(state, context, request, /*columns=*/1, &batch));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerSpacePaths);
  batch.FillErrors(budget, response->mutable_path_errors());
  CoordSysBindings bindings(context);
  std::unordered_map<const CoordSysBindings::List*, uint32_t> numbers;
  for (const Prim& prim : batch.prims) {
    if (!budget.Charge(sizeof(uint32_t))) break;
    const CoordSysBindings::List* found = prim.valid() ? bindings.Find(prim) : nullptr;
    if (found == nullptr) {
      response->add_set(0);
      continue;
    }
    const auto next = static_cast<uint32_t>(numbers.size() + 1);
    const auto [it, is_new] = numbers.try_emplace(found, next);
    response->add_set(it->second);
    if (is_new) FillCoordSysBindings(*found, budget, budget.Add(response->mutable_sets()));
  }
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

absl::Status ComputeColorSpaces(const QueryState& state, RequestContext& context,
                                const v1::ComputeColorSpacesRequest& request,
                                v1::ComputeColorSpacesResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerSpacePaths);
  ColorSpacesReply reply(budget, response);
  for (int i = 0; i < request.paths_size() && budget.ok(); ++i) {
    const absl::Status failure = reply.Add(leased.stage(), request.paths(i));
    if (failure.ok()) continue;
    reply.AddNone();
    budget.FillError(failure, static_cast<uint32_t>(i), response->add_path_errors());
  }
  reply.Finish();
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server
