#include "server/sessions/stage_editor.h"

#include <string>
#include <utility>

#include "base/fingerprinter.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/edit/private_copy.h"
#include "server/check_count.h"
#include "server/error_info.h"
#include "server/sessions/asset_state.h"
#include "server/sessions/edit_errors.h"
#include "server/sessions/session_layer_edits.h"
#include "server/sessions/stage_key_changes.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/charged_layer.h"

namespace stagedoor::server {
namespace {

// Each edit counts as so many steps of work, besides what it does.
constexpr uint64_t kStepsPerEdit = 16;
// Edits may replace each other's values, so all together may take more than the layer may.
constexpr size_t kMaxGrowth = 4;

Texts OneText(const std::string& text) {
  Texts texts;
  *texts.Add() = text;
  return texts;
}

// The Layer::Info of an edited layer. It keeps the identifier and path of the layer that was
// opened, which anchor the asset paths in it.
Layer::Info EditedInfo(const Layer* origin) {
  if (origin == nullptr) return SessionLayerInfo();
  Layer::Info info = origin->info();
  info.anonymous = true;
  return info;
}

std::string FingerprintOfEdits(const StageSnapshot& before, const v1::EditStageRequest& request) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(before.fingerprint());
  fingerprinter.Add(request.target().variant_path());
  for (const v1::Edit& edit : request.edits()) fingerprinter.Add(edit.SerializeAsString());
  return fingerprinter.Finish();
}

}  // namespace

StageEditor::StageEditor(const AssetState& state, RequestContext& context,
                         std::shared_ptr<const StageSnapshot> newest, StageKey& stage_key)
    : state_(state),
      context_(context),
      newest_(std::move(newest)),
      stage_key_(stage_key),
      sources_(state.stages.sources()),
      current_(newest_) {}

absl::Status StageEditor::Apply(const v1::EditStageRequest& request) {
  EditErrorList errors;
  for (int i = 0; i < request.edits_size(); ++i) {
    SD_RETURN_IF_ERROR(context_.Spend(kStepsPerEdit));
    const absl::Status status = ApplyOne(request, request.edits(i));
    if (status.ok()) continue;
    if (context_.failed() || !IsAboutEdit(status)) return status;
    errors.Add(static_cast<uint32_t>(i), status);
  }
  SD_RETURN_IF_ERROR(errors.ToStatus());
  return FinishLayer(request);
}

absl::Status StageEditor::ApplyOne(const v1::EditStageRequest& request, const v1::Edit& edit) {
  if (!IsLayerEdit(edit)) return ApplyToKey(edit);
  SD_RETURN_IF_ERROR(BeginLayer(request.target()));
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths_.get()));
  SD_RETURN_IF_ERROR(ApplyLayerEdit(*edited_, edit));
  return CountMemory();
}

absl::Status StageEditor::ApplyToKey(const v1::Edit& edit) {
  switch (edit.kind_case()) {
    case v1::Edit::kLoadPrim:
      SD_RETURN_IF_ERROR(LoadPaths(OneText(edit.load_prim().path()),
                                   !edit.load_prim().without_descendants(), stage_key_));
      break;
    case v1::Edit::kUnloadPrim:
      SD_RETURN_IF_ERROR(UnloadPaths(OneText(edit.unload_prim().path()), stage_key_));
      break;
    case v1::Edit::kMuteLayer: {
      const Texts layer = OneText(edit.mute_layer().identifier());
      const bool unmute = edit.mute_layer().unmute();
      SD_RETURN_IF_ERROR(ChangeMutedLayers(state_, context_, unmute ? Texts() : layer,
                                           unmute ? layer : Texts(), stage_key_));
      break;
    }
    default:
      return ReplaceSessionLayer(edit.session_layer());
  }
  key_changed_ = true;
  if (edited_ != nullptr) edited_->Recomposes();
  return absl::OkStatus();
}

absl::Status StageEditor::ReplaceSessionLayer(const v1::SessionLayer& session_layer) {
  StageKey changed = stage_key_;
  SD_RETURN_IF_ERROR(ApplySessionLayer(state_, context_, session_layer, changed));
  // Opened now, so that its errors are those of this edit.
  SD_ASSIGN_OR_RETURN(current_, state_.stages.OpenEdited(context_, changed, *newest_));
  stage_key_ = std::move(changed);
  key_changed_ = false;
  edited_ = nullptr;
  paths_ = nullptr;
  reserved_.Release();
  return absl::OkStatus();
}

absl::Status StageEditor::BeginLayer(const v1::EditTarget& target) {
  return edited_ == nullptr ? CopyLayer(target) : absl::OkStatus();
}

absl::Status StageEditor::CopyLayer(const v1::EditTarget& target) {
  const std::shared_ptr<const Layer>& origin = current_->session_layer();
  paths_ = stage_key_.edits.paths;
  if (paths_ == nullptr) {
    // Keeps the paths in the layer that it starts from, which may be gone before the copy.
    paths_ = PathScope::Create(
        state_.stages.budget().pool(),
        origin == nullptr ? nullptr : std::static_pointer_cast<const PathScope>(origin->paths()));
  }
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths_.get()));
  SD_ASSIGN_OR_RETURN(const EditTarget parsed, ParseEditTarget(target));
  LayerBuilder copy;
  if (origin != nullptr) {
    SD_ASSIGN_OR_RETURN(copy,
                        MakePrivateCopy(context_, *origin, state_.limits.max_session_layer_bytes));
    SD_RETURN_IF_ERROR(sources_.CheckLayers(current_->stage()));
  }
  edited_ = std::make_unique<EditedStage>(
      context_, std::move(copy), EditedInfo(origin.get()), current_->shared_stage(),
      [this](std::shared_ptr<const Layer> layer) { return Compose(std::move(layer)); });
  edited_->set_target(parsed);
  if (key_changed_) edited_->Recomposes();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Stage>> StageEditor::Compose(
    std::shared_ptr<const Layer> layer) {
  StageKey changed = stage_key_;
  changed.edits = {.layer = std::move(layer), .paths = paths_};
  SD_ASSIGN_OR_RETURN(const auto snapshot, state_.stages.OpenEdited(context_, changed, *newest_));
  return snapshot->shared_stage();
}

absl::Status StageEditor::CountMemory() {
  const size_t added = edited_->added_bytes();
  SD_RETURN_IF_ERROR(CheckCount(added / kMaxGrowth, state_.limits.max_session_layer_bytes,
                                "bytes of session layer"));
  if (added <= reserved_.bytes()) return absl::OkStatus();
  return reserved_.Grow(added - reserved_.bytes(), "the edits of a session layer");
}

absl::Status StageEditor::FinishLayer(const v1::EditStageRequest& request) {
  if (edited_ == nullptr) return absl::OkStatus();
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths_.get()));
  std::shared_ptr<const Layer> layer = edited_->BuildLayer();
  const size_t bytes = WholeBytes(*layer);
  SD_RETURN_IF_ERROR(
      CheckCount(bytes, state_.limits.max_session_layer_bytes, "bytes of session layer"));
  // An edited layer shares the values of the one before it.
  const size_t own_bytes = stage_key_.edits.layer == nullptr
                               ? bytes
                               : layer->tree().byte_size() + edited_->added_bytes();
  stage_key_.edits = {
      .layer = ChargeLayer(state_.stages.budget().pool(), std::move(layer), own_bytes),
      .fingerprint = FingerprintOfEdits(*newest_, request),
      .paths = paths_};
  return context_.Check();
}

}  // namespace stagedoor::server
