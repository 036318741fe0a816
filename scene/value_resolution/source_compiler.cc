#include "scene/value_resolution/source_compiler.h"

#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition.h"
#include "scene/values/array_edit.h"
#include "scene/values/layer_offset.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/refused_value.h"
#include "scene/values/retiming.h"
#include "scene/values/time_samples.h"
#include "scene/values/value_block.h"

namespace stagedoor {

AttributeSource SourceCompiler::Compile() {
  // 12.3.4: clips have no values at default time. Without clips, the sites are walked directly:
  // layers without a spec of the prim need not be visited.
  const bool clips = numeric_ && site_.clips && !site_.clips->empty();
  bool done = false;
  if (clips) {
    for (uint32_t node = 0; node < index_.nodes().size() && !done; ++node) done = VisitNode(node);
  } else {
    const auto sites = index_.prim_stack();
    for (uint32_t i = first_site_; i < sites.size() && !done; ++i) {
      next_site_ = i + 1;
      const SpecId spec = sites[i].layer->tree().FindProperty(sites[i].spec, site_.name);
      if (spec != kNoSpec) done = VisitSpec({sites[i].layer, spec, i});
    }
  }
  // 12.3.6: at numeric times a blocked default gives the fallback; TakeFallback excludes default
  // time.
  if (!done || (numeric_ && result_.kind_ == ResolveInfoSource::kNone)) TakeFallback();
  return std::move(result_);
}

bool SourceCompiler::VisitNode(uint32_t node_index) {
  const PrimIndexNode& node = index_.nodes()[node_index];
  const auto sites = index_.prim_stack();
  const size_t layers = node.layer_stack->layers().size();
  for (size_t layer = 0; layer < layers; ++layer) {
    while (next_site_ < sites.size() && sites[next_site_].node == node_index &&
           sites[next_site_].stack_index == layer) {
      const uint32_t i = next_site_++;
      if (i < first_site_) continue;
      const SpecId spec = sites[i].layer->tree().FindProperty(sites[i].spec, site_.name);
      if (spec != kNoSpec && VisitSpec({sites[i].layer, spec, i})) return true;
    }
    // The specs of the layer first: clips are just weaker than the layer that anchors them.
    if (next_site_ >= first_site_ && VisitClips(node_index, layer)) return true;
  }
  return false;
}

bool SourceCompiler::VisitSpec(const PropertyOpinion& opinion) {
  const Layer& layer = *opinion.layer;
  if (numeric_ && !animation_hidden_) {
    Value samples = layer.Get(opinion.spec, Fields().timeSamples);
    // Damaged data answers like a value, so that the error is not hidden by weaker opinions.
    if (samples.is_invalid()) return TakeDefault(opinion, std::move(samples));
    if (samples.samples() && samples.samples()->size() > 0) {
      return TakeAnimation(opinion, ResolveInfoSource::kTimeSamples, std::move(samples));
    }
    Value spline = layer.Get(opinion.spec, Fields().spline);
    if (spline.Is<Spline>())
      return TakeAnimation(opinion, ResolveInfoSource::kSpline, std::move(spline));
  }
  Value value = layer.Get(opinion.spec, Fields().default_);
  if (value.empty()) return false;
  // Not an answer itself: weaker defaults still count, weaker animation does not.
  if (value.Is<AnimationBlock>()) {
    animation_hidden_ = true;
    return false;
  }
  return TakeDefault(opinion, std::move(value));
}

bool SourceCompiler::VisitClips(uint32_t node_index, size_t layer_index) {
  if (animation_hidden_) return false;
  const PrimIndexNode& node = index_.nodes()[node_index];
  for (size_t i = 0; i < site_.clips->size(); ++i) {
    if (rest_ && node_index == rest_->clip_node && i <= rest_->clip_set) continue;
    const auto& source = (*site_.clips)[i];
    // Sets come strongest first, those of the prim before those of its ancestors.
    if (&source->layer_stack() != node.layer_stack || source->layer_index() != layer_index ||
        !node.path.HasPrefix(source->prim_path())) {
      continue;
    }
    auto attribute = source->Attribute(context_, node.path.AppendProperty(site_.name));
    if (!attribute || (samples_only_ && attribute->has_spline())) continue;
    result_.kind_ = ResolveInfoSource::kValueClips;
    result_.SetOffset(attribute->offset());
    if (attribute->has_spline()) CompileSamples();
    if (attribute->composes()) {
      result_.rest_ = std::make_shared<const SourceRest>(SourceRest{.site = site_,
                                                                    .first_site = next_site_,
                                                                    .clip_node = node_index,
                                                                    .clip_set = i,
                                                                    .animation_hidden = false,
                                                                    .samples_only = samples_only_});
    }
    result_.clip_ = std::move(attribute);
    result_.in_prototype_ = site_.in_prototype;
    return true;
  }
  return false;
}

bool SourceCompiler::TakeDefault(const PropertyOpinion& opinion, Value value) {
  if (value.is_invalid()) FailIfRefused(context_, value);
  if (value.is_block()) {
    result_.blocked_ = true;
    return true;
  }
  return TakeAnimation(opinion, ResolveInfoSource::kDefault, std::move(value));
}

bool SourceCompiler::TakeAnimation(const PropertyOpinion& opinion, ResolveInfoSource kind,
                                   Value value) {
  result_.kind_ = kind;
  result_.opinion_ = opinion;
  const bool edits = HoldsEdit(opinion, value);
  // Most defaults hold no times. Finding the offset for them would cost a cache miss.
  if (kind != ResolveInfoSource::kDefault || edits || HoldsTimes(value)) {
    result_.SetOffset(site_.index->OffsetOf(index_.prim_stack()[opinion.site]));
  }
  result_.value_ = std::move(value);
  if (edits) CompileWeaker();
  return true;
}

void SourceCompiler::TakeFallback() {
  // 12.3.1: at default time a block means no value, not the fallback.
  const bool at_default_blocked = !numeric_ && result_.blocked_;
  if (!site_.definition || at_default_blocked) return;
  const PropertyDefinition* builtin = site_.definition->FindProperty(site_.name);
  if (!builtin || builtin->fallback.empty()) return;
  result_.kind_ = ResolveInfoSource::kFallback;
  result_.value_ = builtin->fallback;
}

void SourceCompiler::CompileWeaker() {
  SourceCompiler weaker(context_, site_, numeric_);
  weaker.first_site_ = next_site_;
  weaker.animation_hidden_ = animation_hidden_;
  result_.weaker_ = std::make_shared<const AttributeSource>(weaker.Compile());
}

void SourceCompiler::CompileSamples() {
  SourceCompiler weaker(context_, site_, numeric_);
  weaker.first_site_ = next_site_;
  weaker.samples_only_ = true;
  result_.samples_ = std::make_shared<const AttributeSource>(weaker.Compile());
}

AttributeSource SourceCompiler::CompileRest(RequestContext& context, const SourceRest& rest) {
  SourceCompiler weaker(context, rest.site, /*numeric=*/true);
  weaker.first_site_ = rest.first_site;
  weaker.animation_hidden_ = rest.animation_hidden;
  weaker.samples_only_ = rest.samples_only;
  weaker.rest_ = &rest;
  return weaker.Compile();
}

bool SourceCompiler::HoldsEdit(const PropertyOpinion& opinion, const Value& value) {
  if (value.Is<ArrayEdit>() || value.Is<PathExpressionValue>()) return true;
  const TimeSamples* samples = value.samples();
  if (!samples || samples->MayHoldEdits()) return samples != nullptr;
  const auto type = opinion.layer->GetAs<Token>(opinion.spec, Fields().typeName);
  return type && type->text() == "pathExpression";
}

AttributeSource AttributeSource::Compile(RequestContext& context, const AttributeSite& site,
                                         bool numeric) {
  return SourceCompiler(context, site, numeric).Compile();
}

std::shared_ptr<const AttributeSource> AttributeSource::Weaker(RequestContext& context) const {
  if (weaker_ || !rest_) return weaker_;
  return std::make_shared<const AttributeSource>(SourceCompiler::CompileRest(context, *rest_));
}

}  // namespace stagedoor
