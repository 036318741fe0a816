#include "scene/composition/layer_stack_builder.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "scene/composition/layer_rates.h"
#include "scene/composition/relocates_collector.h"
#include "scene/composition/variable_expression.h"
#include "scene/layer/field_keys.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

// Sublayers that include several others each can multiply without a cycle. OpenUSD has no limits.
constexpr size_t kMaxLayers = 1 << 14;
constexpr size_t kMaxSublayerDepth = 256;
// The cost of identifying and opening a sublayer, in steps of the request.
constexpr uint64_t kStepsPerSublayer = 16;

// Whether the session layer's rate is the stage's. OpenUSD lets framesPerSecond stand in for a
// missing timeCodesPerSecond, so that of the session layer counts unless the root layer has the
// latter.
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
  stack_->is_stage_root_ = overrides == nullptr;
  // First, because the paths of sublayers may be expressions.
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
    // Strongest first, as the collector expects.
    if (context.Check().ok()) relocates.AddLayer(*entry.layer);
  }
  RelocatesCollector::Result result = std::move(relocates).Finish();
  stack_->source_to_target_ = std::move(result.source_to_target);
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
  // Variables of sublayers do not count, since the paths of sublayers depend on the result.
  if (session) variables = Dictionary::Over(own(*session), variables);
  if (overrides) {
    variables = Dictionary::Over(*overrides, variables);
    // Without variables of its own, the stack is the same for all stacks that pass these on;
    // sharing the object lets LayerStackRegistry see that.
    if (variables == *overrides) {
      stack_->expression_variables_ = std::move(overrides);
      stack_->shares_variables_ = true;
      return;
    }
  }
  // Each set of variables makes a stack of its own, possibly one for every chain of references to
  // the layer, so the request pays for them.
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
  // Times of the stage are in the rate of one of the two layers; the other one is scaled to it.
  if (SessionSetsRate(*session, *root)) {
    stack_->time_codes_per_second_ = session_rate;
    *root_offset = Rescaled({}, session_rate, root_rate);
  } else {
    session_offset = Rescaled({}, root_rate, session_rate);
  }
  AddTree(context, session, session_offset, -1, true);
  // The strongest session layer with an owner decides, before the root layer's sublayers are
  // ordered.
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
  if (full_) return AddCapacityError(*layer);
  if (including_.size() >= kMaxSublayerDepth) {
    AddError(CompositionErrorType::kInvalidSublayerPath,
             Concat(layer->identifier(),
                    ": cannot add the layer: sublayers are nested too deeply; flatten them"));
    return;
  }
  const int index = static_cast<int>(stack_->layers_.size());
  stack_->layers_.push_back({layer, offset, parent, session});
  // OpenUSD looks up the offset for values by layer, so every occurrence has that of the first.
  stack_->layers_.back().value_offset = first_offsets_.emplace(layer.get(), offset).first->second;
  including_.push_back(layer.get());
  std::vector<Sublayer> sublayers = OpenSublayers(context, *layer, offset);
  // Owners order the sublayers of the root layer only.
  if (!session) PutOwnedFirst(*layer, &sublayers);
  for (const Sublayer& sublayer : sublayers) {
    if (full_ || !context.Spend(1).ok()) break;
    AddTree(context, sublayer.layer, sublayer.offset, index, session);
  }
  including_.pop_back();
}

void LayerStackBuilder::AddCapacityError(const Layer& layer) {
  if (capacity_error_added_) return;
  capacity_error_added_ = true;
  AddError(CompositionErrorType::kInvalidSublayerPath,
           Concat(layer.identifier(), ": the layer stack has more than ", kMaxLayers,
                  " layers; the remaining ones are ignored"));
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
      AddCapacityError(layer);
      break;
    }
    std::shared_ptr<const Layer> sublayer = OpenSublayer(context, layer, (*paths)[i]);
    if (!sublayer) continue;
    // 10.3.1: a sublayer that would form a cycle is ignored. Including a layer twice is not a
    // cycle.
    const auto same = [&](const Layer* l) { return l == sublayer.get(); };
    if (std::any_of(including_.begin(), including_.end(), same)) {
      AddError(CompositionErrorType::kSublayerCycle,
               Concat(layer.identifier(), ": cannot add sublayer ", sublayer->identifier(),
                      ": it includes this layer, which forms a cycle; remove one of them"));
      continue;
    }
    // The lists correspond by position (10.3.1.1); OpenUSD tolerates a shorter list of offsets.
    const LayerOffset own = offsets && i < offsets->size() ? (*offsets)[i] : LayerOffset();
    sublayers.push_back({sublayer, offset * CheckedOffset(layer, *sublayer, own)});
  }
  return sublayers;
}

// 10.3.1: a sublayer that cannot be opened is a composition error and ignored. A muted one, or an
// expression that yields nothing, is ignored without an error.
std::shared_ptr<const Layer> LayerStackBuilder::OpenSublayer(RequestContext& context,
                                                             const Layer& layer,
                                                             const std::string& asset_path) {
  std::string path = asset_path;
  if (IsVariableExpression(path)) {
    StringExpressionResult result =
        EvaluateStringVariableExpression(context, path, stack_->expression_variables());
    if (!result.errors.empty()) {
      AddError(CompositionErrorType::kVariableExpressionError,
               Concat(layer.identifier(), ": cannot evaluate sublayer ", path, ": ",
                      Join(result.errors, "; ")));
    }
    path = std::move(result.value);
  }
  if (path.empty()) return nullptr;
  const std::string identifier = source_.Identify(context, path, &layer);
  if (muted_.Contains(identifier)) return nullptr;
  absl::StatusOr<std::shared_ptr<const Layer>> opened = source_.Open(context, identifier);
  if (opened.ok()) return *std::move(opened);
  AddError(CompositionErrorType::kInvalidSublayerPath,
           Concat(layer.identifier(), ": cannot open sublayer ", Quoted(path), ": ",
                  Message(opened.status())),
           PlacesOf(identifier, path, layer));
  return nullptr;
}

LayerOffset LayerStackBuilder::CheckedOffset(const Layer& layer, const Layer& sublayer,
                                             LayerOffset offset) {
  if (!offset.IsValid()) {
    AddError(CompositionErrorType::kInvalidSublayerOffset,
             Concat(layer.identifier(), ": the layer offset of sublayer ", sublayer.identifier(),
                    " (offset ", offset.offset, ", scale ", offset.scale,
                    ") is ignored; the scale must be positive"));
    // 10.3.1.1: as if it had the default offset and scale. The rates still apply.
    offset = LayerOffset();
  }
  return Rescaled(offset, layer.TimeCodesPerSecond(), sublayer.TimeCodesPerSecond());
}

// A deprecated feature (7.6.1.8), kept because OpenUSD composes it: if hasOwnedSubLayers is set,
// the sublayer whose owner is the sessionOwner is stronger than its siblings.
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
             Concat(layer.identifier(), ": more than one sublayer has the owner ",
                    Quoted(session_owner_)));
  }
}

}  // namespace stagedoor
