#include "server/sessions/stage_key_parser.h"

#include <string>
#include <utility>
#include <vector>

#include "base/request_notes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "server/check_count.h"
#include "server/converters/resolver_context_converter.h"
#include "server/converters/time_converter.h"
#include "server/error_info.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/caller_scope.h"
#include "server/sessions/layer_files.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

absl::StatusOr<LoadRules::Rule> ParseRule(v1::LoadRule::Rule rule) {
  switch (rule) {
    case v1::LoadRule::RULE_ALL:
      return LoadRules::Rule::kAll;
    case v1::LoadRule::RULE_ONLY:
      return LoadRules::Rule::kOnly;
    case v1::LoadRule::RULE_NONE:
      return LoadRules::Rule::kNone;
    default:
      return InvalidFieldError("rule", Concat(static_cast<int>(rule)),
                               "must be RULE_ALL, RULE_ONLY or RULE_NONE");
  }
}

absl::Status SetLoadRules(const v1::OpenStageRequest& request, StageOptions& options) {
  if (request.load_policy() == v1::LOAD_POLICY_NONE) options.load = LoadRules::None();
  for (const v1::LoadRule& rule : request.load_rules()) {
    SD_ASSIGN_OR_RETURN(const Path path, ParsePrimPath(rule.path()));
    SD_ASSIGN_OR_RETURN(const LoadRules::Rule parsed, ParseRule(rule.rule()));
    options.load.Set(path, parsed);
  }
  return absl::OkStatus();
}

// The default is the behaviour from before there were policies.
ChangePolicy ParseChangePolicy(v1::ChangePolicy policy) {
  switch (policy) {
    case v1::CHANGE_POLICY_FIXED:
      return ChangePolicy::kFixed;
    case v1::CHANGE_POLICY_FOLLOW:
      return ChangePolicy::kFollow;
    default:
      return ChangePolicy::kOnOpen;
  }
}

absl::Status SetMask(const v1::OpenStageRequest& request, StageOptions& options) {
  if (request.population_mask().empty()) return absl::OkStatus();
  std::vector<Path> paths;
  for (const std::string& text : request.population_mask()) {
    SD_ASSIGN_OR_RETURN(const Path path, ParsePrimPath(text));
    paths.push_back(path);
  }
  options.mask = PopulationMask(std::move(paths));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> IdentifyLayer(const AssetState& state, RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view field, const std::string& asset) {
  SD_RETURN_IF_ERROR(CheckAssetField(field, asset));
  return state.layers.Identify(context, resolver_context, asset, nullptr);
}

absl::Status ApplySessionLayer(const AssetState& state, RequestContext& context,
                               const v1::SessionLayer& session, StageKey& stage_key) {
  stage_key.options.session.clear();
  stage_key.session_content.clear();
  stage_key.edits = {};
  if (session.has_content()) {
    SD_RETURN_IF_ERROR(CheckCount(session.content().size(), state.limits.max_session_layer_bytes,
                                  "bytes of session layer"));
    stage_key.session_content = session.content();
  } else if (session.has_identifier()) {
    SD_ASSIGN_OR_RETURN(stage_key.options.session,
                        IdentifyLayer(state, context, stage_key.options.resolver_context,
                                      "session_layer.identifier", session.identifier()));
  }
  return absl::OkStatus();
}

absl::StatusOr<StageKey> ParseStageKey(const AssetState& state, RequestContext& context,
                                       const v1::OpenStageRequest& request) {
  StageKey stage_key;
  if (request.root_layer().empty()) return InvalidFieldError("root_layer", "", "must not be empty");
  if (RequestNotes* const notes = RequestScope::Current().notes) {
    notes->SetSubject(request.root_layer());
  }
  MemoryPool* const memory = state.stages.budget().pool();
  SD_ASSIGN_OR_RETURN(
      const ResolverContext resolver_context,
      ParseResolverContext(request.resolver_context(), state.limits, ScopeOfCaller(), memory));
  stage_key.options.resolver_context = resolver_context;
  SD_ASSIGN_OR_RETURN(stage_key.options.root, IdentifyLayer(state, context, resolver_context,
                                                            "root_layer", request.root_layer()));
  SD_RETURN_IF_ERROR(ApplySessionLayer(state, context, request.session_layer(), stage_key));
  stage_key.options.paths = PathScope::Create(memory);
  {
    const RequestScope::Guard guard(
        RequestScope::Current().WithOwner(stage_key.options.paths.get()));
    SD_RETURN_IF_ERROR(SetLoadRules(request, stage_key.options));
    SD_RETURN_IF_ERROR(SetMask(request, stage_key.options));
  }
  for (const v1::VariantFallback& fallback : request.variant_fallbacks()) {
    stage_key.options.variant_fallbacks.emplace_back(
        fallback.variant_set(),
        std::vector<std::string>(fallback.choices().begin(), fallback.choices().end()));
  }
  for (const std::string& layer : request.muted_layers()) {
    SD_ASSIGN_OR_RETURN(std::string identifier,
                        IdentifyLayer(state, context, resolver_context, "muted_layers", layer));
    stage_key.options.muted_layers.push_back(std::move(identifier));
  }
  stage_key.policy = ParseChangePolicy(request.change_policy());
  stage_key.options.interpolation =
      ParseInterpolation(request.interpolation(), Interpolation::kLinear);
  return stage_key;
}

}  // namespace stagedoor::server
