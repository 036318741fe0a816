#include "scene/composition/layer_stack_builder.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "scene/composition/expression.h"
#include "scene/composition/layer_rates.h"
#include "scene/composition/relocates.h"
#include "scene/layer/fields.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxLayers = 1 << 14;
constexpr size_t kMaxSublayerDepth = 256;
constexpr uint64_t kStepsPerSublayer = 16;

bool SessionSetsRate(const Layer& session, const Layer& root) {
  const Token tcps = Fields().timeCodesPerSecond;
  if (session.Has(kRootSpec, tcps)) return true;
  return !root.Has(kRootSpec, tcps) && session.Has(kRootSpec, Fields().framesPerSecond);
}

}  // namespace

std::shared_ptr<const LayerStack> LayerStackBuilder::Build(
    RequestContext& context, std::shared_ptr<const Layer> root,
    std::shared_ptr<const Layer> session, std::shared_ptr<const Dictionary> overrides) {
  stack_ = std::make_shared<LayerStack>(memory_);
  ComposeVariables(context, *root, session.get(), std::move(overrides));
  stack_->time_codes_per_second_ = root->TimeCodesPerSecond();
  stack_->default_prim_ = root->DefaultPrim();
  LayerOffset root_offset;
  if (session && !muted_.Contains(session->identifier())) {
    AddSession(context, root, session, &root_offset);
  }
  stack_->root_index_ = stack_->layers_.size();
  AddTree(context, root, root_offset, -1, false);

  RelocatesCollector relocates;
  for (const LayerStack::Entry& entry : stack_->layers_) {
    if (context.Check().ok()) relocates.AddLayer(*entry.layer);
  }
  RelocatesCollector::Result result = std::move(relocates).Finish();
  stack_->source_to_target_ = std::move(result.source_to_target);
  stack_->target_to_source_ = std::move(result.target_to_source);
  stack_->incremental_source_to_target_ = std::move(result.incremental_source_to_target);
  stack_->incremental_target_to_source_ = std::move(result.incremental_target_to_source);
  for (CompositionError& error : result.errors) {
    AddCompositionError(std::move(error), &stack_->errors_);
  }
  stack_->charge_.Set(stack_->byte_size());
  return std::move(stack_);
}

void LayerStackBuilder::ComposeVariables(RequestContext& context, const Layer& root,
                                         const Layer* session,
                                         std::shared_ptr<const Dictionary> overrides) {
  const Token field = Fields().expressionVariables;
  const auto own = [&](const Layer& layer) {
    return layer.GetAs<Dictionary>(kRootSpec, field).value_or(Dictionary());
  };
  Dictionary variables = own(root);
  if (session) variables = Dictionary::Over(own(*session), variables);
  if (overrides) {
    variables = Dictionary::Over(*overrides, variables);
    if (variables == *overrides) {
      stack_->expression_variables_ = std::move(overrides);
      stack_->shares_variables_ = true;
      return;
    }
  }
  // A stack of its own for each set of variables: as many as there are ways to the layer.
  (void)context.Reserve(variables.size() * sizeof(Dictionary::Entry), "expression variables");
  (void)context.Spend(1 + variables.size());
  stack_->expression_variables_ = std::make_shared<const Dictionary>(std::move(variables));
}

void LayerStackBuilder::AddSession(RequestContext& context,
                                   const std::shared_ptr<const Layer>& root,
                                   const std::shared_ptr<const Layer>& session,
                                   LayerOffset* root_offset) {
  const double root_rate = root->TimeCodesPerSecond();
  const double session_rate = session->TimeCodesPerSecond();
  LayerOffset session_offset;
  if (SessionSetsRate(*session, *root)) {
    stack_->time_codes_per_second_ = session_rate;
    *root_offset = Rescaled({}, session_rate, root_rate);
  } else {
    session_offset = Rescaled({}, root_rate, session_rate);
  }
  AddTree(context, session, session_offset, -1, true);
  for (const LayerStack::Entry& entry : stack_->layers_) {
    if (const auto owner = entry.layer->GetAs<std::string>(kRootSpec, Fields().sessionOwner)) {
      session_owner_ = *owner;
      break;
    }
  }
}

void LayerStackBuilder::AddTree(RequestContext& context, const std::shared_ptr<const Layer>& layer,
                                LayerOffset offset, int parent, bool session) {
  // There is always room for the root layer, whatever the session's sublayers are.
  full_ = parent >= 0 && stack_->layers_.size() >= kMaxLayers;
  if (full_) return TellFull(*layer);
  if (including_.size() >= kMaxSublayerDepth) {
    AddError(CompositionErrorType::kInvalidSublayerPath,
             Concat(layer->identifier(), ": left out, sublayers are nested too deeply"));
    return;
  }
  const int index = static_cast<int>(stack_->layers_.size());
  stack_->layers_.push_back({layer, offset, parent, session});
  stack_->layers_.back().value_offset = first_offsets_.emplace(layer.get(), offset).first->second;
  including_.push_back(layer.get());
  std::vector<Sublayer> sublayers = OpenSublayers(context, *layer, offset);
  if (!session) PutOwnedFirst(*layer, &sublayers);
  for (const Sublayer& sublayer : sublayers) {
    if (full_ || !context.Spend(1).ok()) break;
    AddTree(context, sublayer.layer, sublayer.offset, index, session);
  }
  including_.pop_back();
}

void LayerStackBuilder::TellFull(const Layer& layer) {
  if (told_full_) return;
  told_full_ = true;
  AddError(CompositionErrorType::kInvalidSublayerPath,
           Concat(layer.identifier(), ": the layer stack has more than ", kMaxLayers,
                  " layers; from here on they are left out"));
}

std::vector<LayerStackBuilder::Sublayer> LayerStackBuilder::OpenSublayers(RequestContext& context,
                                                                          const Layer& layer,
                                                                          LayerOffset offset) {
  std::vector<Sublayer> sublayers;
  const Value paths_value = layer.Get(kRootSpec, Fields().subLayers);
  const auto* paths = paths_value.Get<std::vector<std::string>>();
  if (!paths) return sublayers;
  const Value offsets_value = layer.Get(kRootSpec, Fields().subLayerOffsets);
  const auto* offsets = offsets_value.Get<std::vector<LayerOffset>>();
  for (size_t i = 0; i < paths->size(); ++i) {
    if (!context.Spend(kStepsPerSublayer).ok()) break;
    if (stack_->layers_.size() + sublayers.size() >= kMaxLayers) {
      TellFull(layer);
      break;
    }
    std::shared_ptr<const Layer> sublayer = OpenSublayer(context, layer, (*paths)[i]);
    if (!sublayer) continue;
    const auto same = [&](const Layer* l) { return l == sublayer.get(); };
    if (std::any_of(including_.begin(), including_.end(), same)) {
      AddError(CompositionErrorType::kSublayerCycle,
               Concat(layer.identifier(), ": its sublayer ", sublayer->identifier(),
                      " includes it; remove one of them"));
      continue;
    }
    const LayerOffset own = offsets && i < offsets->size() ? (*offsets)[i] : LayerOffset();
    sublayers.push_back({sublayer, offset * CheckedOffset(layer, *sublayer, own)});
  }
  return sublayers;
}

// Null when it is left out, for whatever reason.
std::shared_ptr<const Layer> LayerStackBuilder::OpenSublayer(RequestContext& context,
                                                             const Layer& layer,
                                                             const std::string& asset_path) {
  std::string path = asset_path;
  if (IsVariableExpression(path)) {
    StringExpressionResult result =
        EvaluateStringExpression(context, path, stack_->expression_variables());
    if (!result.errors.empty()) {
      AddError(CompositionErrorType::kVariableExpressionError,
               Concat(layer.identifier(), ": sublayer ", path, ": ", Join(result.errors, "; ")));
    }
    path = std::move(result.value);
  }
  if (path.empty()) return nullptr;
  const std::string identifier = source_.Identify(context, path, &layer);
  if (muted_.Contains(identifier)) return nullptr;
  absl::StatusOr<std::shared_ptr<const Layer>> opened = source_.Open(context, identifier);
  if (opened.ok()) return *std::move(opened);
  AddError(CompositionErrorType::kInvalidSublayerPath,
           Concat(layer.identifier(), ": sublayer ", Quoted(path), ": ", Message(opened.status())));
  return nullptr;
}

LayerOffset LayerStackBuilder::CheckedOffset(const Layer& layer, const Layer& sublayer,
                                             LayerOffset offset) {
  if (!offset.IsValid()) {
    AddError(CompositionErrorType::kInvalidSublayerOffset,
             Concat(layer.identifier(), ": the offset of sublayer ", sublayer.identifier(),
                    " (offset ", offset.offset, ", scale ", offset.scale,
                    ") is ignored; the scale must be positive"));
    offset = LayerOffset();
  }
  return Rescaled(offset, layer.TimeCodesPerSecond(), sublayer.TimeCodesPerSecond());
}

// The sublayer that belongs to the session's owner comes first, where the layer asks for it.
void LayerStackBuilder::PutOwnedFirst(const Layer& layer, std::vector<Sublayer>* sublayers) {
  if (session_owner_.empty() ||
      !layer.GetAs<bool>(kRootSpec, Fields().hasOwnedSubLayers).value_or(false)) {
    return;
  }
  const auto owned = [&](const Sublayer& s) {
    return s.layer->GetAs<std::string>(kRootSpec, Fields().owner) == session_owner_;
  };
  const auto end = std::stable_partition(sublayers->begin(), sublayers->end(), owned);
  if (end - sublayers->begin() > 1) {
    AddError(CompositionErrorType::kInvalidSublayerOwnership,
             Concat(layer.identifier(), ": several sublayers belong to ", Quoted(session_owner_)));
  }
}

}  // namespace stagedoor
