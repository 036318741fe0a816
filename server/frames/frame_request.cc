#include "server/frames/frame_request.h"

#include <google/protobuf/repeated_ptr_field.h>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fingerprinter.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/geom_tokens.h"
#include "scene/render/render_tokens.h"
#include "scene/stage/stage.h"
#include "server/check_count.h"
#include "server/converters/time_converter.h"
#include "server/error_info.h"
#include "server/queries/find_roots.h"
#include "server/queries/motion_samples.h"
#include "server/queries/prim_batch.h"
#include "server/queries/purposes.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

using Texts = google::protobuf::RepeatedPtrField<std::string>;

absl::Status CheckCounts(const v1::FrameSelection& selection) {
  const std::pair<int, std::string_view> counts[] = {
      {selection.roots_size(), "roots"},
      {selection.excluded_size(), "excluded paths"},
      {selection.types_size(), "types"},
      {selection.purposes_size(), "purposes"},
      {selection.render_contexts_size(), "render contexts"},
      {selection.material_purposes_size(), "material purposes"},
      {selection.primvars_size(), "primvars"},
  };
  for (const auto& [count, what] : counts) {
    SD_RETURN_IF_ERROR(CheckCount(static_cast<size_t>(count), kMostSelected, what));
  }
  return absl::OkStatus();
}

// The prim at a path, which must be of a type; invalid without a path.
absl::StatusOr<Prim> FindOfType(const Stage& stage, const std::string& path, Token type) {
  if (path.empty()) return Prim();
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, path));
  if (!prim.IsA(type)) return WrongType(prim, type);
  return prim;
}

// A text that was never interned is not that of any type; it becomes an empty token, which is not
// that of any type either.
std::vector<Token> KnownTokens(const Texts& texts) {
  std::vector<Token> tokens;
  for (const std::string& text : texts) tokens.push_back(Token::Find(text).value_or(Token()));
  return tokens;
}

absl::StatusOr<std::vector<Token>> ParsePurposes(const v1::FrameSelection& selection) {
  std::vector<Token> purposes;
  for (const int purpose : selection.purposes()) {
    if (purpose < v1::PURPOSE_DEFAULT || purpose > v1::PURPOSE_GUIDE) {
      return InvalidFieldError("selection.purposes", Concat(purpose),
                               "must be DEFAULT, RENDER, PROXY or GUIDE");
    }
    purposes.push_back(PurposeToken(static_cast<v1::Purpose>(purpose)));
  }
  return purposes;
}

// Finds the settings, and what they determine unless the selection does.
absl::Status FindSettings(RequestContext& context, const v1::FrameSelection& selection,
                          FrameRequest* out) {
  const Stage& stage = out->stage();
  SD_ASSIGN_OR_RETURN(out->settings,
                      FindOfType(stage, selection.render_settings(), Render().RenderSettings));
  if (!out->settings.valid() && selection.render_settings().empty()) {
    out->settings = StageRenderSettings(context, stage);
  }
  SD_ASSIGN_OR_RETURN(out->camera, FindOfType(stage, selection.camera(), Geom().Camera));
  FrameSelection& selected = out->selection;
  if (!out->settings.valid()) {
    if (selected.purposes.empty()) {
      selected.purposes = {PurposeToken(v1::PURPOSE_DEFAULT), PurposeToken(v1::PURPOSE_RENDER)};
    }
    if (selected.material_purposes.empty()) selected.material_purposes = {"full", ""};
    return absl::OkStatus();
  }
  const RenderSpec& spec =
      out->settings_spec.emplace(ComputeRenderSpec(context, out->settings, /*namespaces=*/{}));
  if (selected.purposes.empty()) {
    selected.purposes.assign(spec.included_purposes.begin(), spec.included_purposes.end());
  }
  if (selected.material_purposes.empty()) {
    for (const Token purpose : spec.material_binding_purposes) {
      selected.material_purposes.push_back(purpose.str());
    }
  }
  if (!out->camera.valid()) {
    const RenderProduct& product = spec.products.empty() ? spec.defaults : spec.products.front();
    const Prim camera = product.camera.empty() ? Prim() : stage.FindPrim(product.camera);
    if (camera.valid() && camera.IsA(Geom().Camera)) out->camera = camera;
  }
  return context.Check();
}

absl::Status FindSelection(RequestContext& context, const v1::FrameSelection& selection,
                           FrameRequest* out) {
  const Stage& stage = out->stage();
  SD_RETURN_IF_ERROR(CheckCounts(selection));
  FrameSelection& selected = out->selection;
  SD_ASSIGN_OR_RETURN(selected.roots, FindRoots(context, stage, selection.roots(), kMostSelected));
  if (selected.roots.empty()) selected.roots.push_back(stage.PseudoRoot());
  SD_ASSIGN_OR_RETURN(selected.excluded,
                      FindRoots(context, stage, selection.excluded(), kMostSelected));
  selected.types = KnownTokens(selection.types());
  SD_ASSIGN_OR_RETURN(selected.purposes, ParsePurposes(selection));
  selected.material_purposes.assign(selection.material_purposes().begin(),
                                    selection.material_purposes().end());
  SD_ASSIGN_OR_RETURN(selected.render_pass,
                      FindOfType(stage, selection.render_pass(), Render().RenderPass));
  selected.render_contexts.assign(selection.render_contexts().begin(),
                                  selection.render_contexts().end());
  selected.primvars.assign(selection.primvars().begin(), selection.primvars().end());
  selected.flatten_primvars = selection.flatten_primvars();
  selected.without_skinning = selection.without_skinning();
  out->without_invisible = selection.without_invisible();
  return FindSettings(context, selection, out);
}

std::string BytesOf(const FrameToken::Words& words) {
  std::string bytes;
  for (const uint64_t word : words) {
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
  }
  return bytes;
}

std::string PlanKeyOf(const FrameSelection& selection) {
  Fingerprinter fingerprinter;
  const auto add_prims = [&](const std::vector<Prim>& prims) {
    fingerprinter.Add(Concat(prims.size()));
    for (const Prim& prim : prims) fingerprinter.Add(prim.PathText());
  };
  const auto add_texts = [&](const auto& list, const auto& text_of) {
    fingerprinter.Add(Concat(list.size()));
    for (const auto& item : list) fingerprinter.Add(text_of(item));
  };
  const auto token_text = [](Token token) { return token.text(); };
  const auto itself = [](const std::string& text) { return std::string_view(text); };
  add_prims(selection.roots);
  add_prims(selection.excluded);
  add_texts(selection.types, token_text);
  add_texts(selection.purposes, token_text);
  add_prims(selection.render_pass.valid() ? std::vector{selection.render_pass}
                                          : std::vector<Prim>());
  add_texts(selection.render_contexts, itself);
  add_texts(selection.material_purposes, itself);
  add_texts(selection.primvars, itself);
  fingerprinter.Add(Concat(selection.flatten_primvars, selection.without_skinning));
  return BytesOf(fingerprinter.FinishWords());
}

}  // namespace

absl::StatusOr<FrameRequest> ParseFrameRequest(const QueryState& state, RequestContext& context,
                                               const FrameRequestFields& fields) {
  FrameRequest request;
  SD_ASSIGN_OR_RETURN(request.times.frame, ParseTimeCode(fields.time));
  if (fields.policy != nullptr) {
    SD_ASSIGN_OR_RETURN(request.times.policy,
                        ParseSamplePolicy(*fields.policy, std::span(&request.times.frame, 1)));
  }
  SD_ASSIGN_OR_RETURN(request.leased, AcquireStage(state, context, fields.stage));
  SD_RETURN_IF_ERROR(FindSelection(context, fields.selection, &request));
  request.plan_key = PlanKeyOf(request.selection);
  return request;
}

FrameToken::Words FrameKeyOf(const FrameRequestFields& fields, bool changes_between_snapshots) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(fields.selection.SerializeAsString());
  v1::SamplePolicy policy = fields.policy == nullptr ? v1::SamplePolicy() : *fields.policy;
  policy.clear_with_sources();
  fingerprinter.Add(policy.SerializeAsString());
  fingerprinter.Add(fields.policy == nullptr ? "" : "shutter");
  fingerprinter.Add(changes_between_snapshots ? "changes" : "");
  return fingerprinter.FinishWords();
}

}  // namespace stagedoor::server
