#include "scene/value_resolution/explanation.h"

#include <utility>

#include "base/strings.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

std::string_view KindName(ResolveInfoSource kind) {
  switch (kind) {
    case ResolveInfoSource::kNone:
      return "no value";
    case ResolveInfoSource::kFallback:
      return "the schema's fallback";
    case ResolveInfoSource::kDefault:
      return "a default";
    case ResolveInfoSource::kTimeSamples:
      return "time samples";
    case ResolveInfoSource::kValueClips:
      return "value clips";
    case ResolveInfoSource::kSpline:
      return "a spline";
  }
  return "";
}

// Walks the same sites in the same order as SourceCompiler, but visits all of them. Corresponds to
// UsdStage::_PropertyStackResolver.
class StackWalk {
 public:
  StackWalk(RequestContext& context, const AttributeSite& site, TimeCode time)
      : context_(context), site_(site), index_(*site.index->index), time_(time) {}

  std::vector<PropertyStackEntry> Run() {
    const auto sites = index_.prim_stack();
    uint32_t next = 0;
    // Layer by layer rather than site by site: clips may be anchored in a layer without a spec.
    for (uint32_t node = 0; node < index_.nodes().size(); ++node) {
      const size_t layers = index_.nodes()[node].layer_stack->layers().size();
      for (size_t layer = 0; layer < layers; ++layer) {
        for (; next < sites.size() && sites[next].node == node && sites[next].stack_index == layer;
             ++next) {
          AddSpec(next);
        }
        // 12.3.4.5: clips are just weaker than the specs of the layer that anchors them. They have
        // no values at default time.
        if (!time_.is_default() && site_.clips) AddClips(node, layer);
      }
    }
    return std::move(stack_);
  }

 private:
  void AddSpec(uint32_t i) {
    const PrimSpecHandle& site = index_.prim_stack()[i];
    const SpecId spec = site.layer->tree().FindProperty(site.spec, site_.name);
    if (spec == kNoSpec) return;
    PropertyStackEntry entry;
    entry.layer = site.layer;
    entry.spec = spec;
    entry.path = site.layer->tree().path(spec);
    entry.arc = site_.index->ArcOf(site.node);
    entry.offset = site_.index->OffsetOf(site);
    entry.has_default = site.layer->Has(spec, Fields().default_);
    entry.has_samples = site.layer->Has(spec, Fields().timeSamples);
    entry.has_spline = site.layer->Has(spec, Fields().spline);
    stack_.push_back(std::move(entry));
  }

  void AddClips(uint32_t node_index, size_t layer_index) {
    const PrimIndexNode& node = index_.nodes()[node_index];
    for (const auto& source : *site_.clips) {
      if (&source->layer_stack() != node.layer_stack || source->layer_index() != layer_index ||
          !node.path.HasPrefix(source->prim_path())) {
        continue;
      }
      auto attribute = source->Attribute(context_, node.path.AppendProperty(site_.name));
      if (!attribute) continue;
      auto [layer, path] = attribute->SpecAt(
          context_, attribute->offset().Inverse().Apply(time_.value()), time_.is_pre_time());
      if (!layer) continue;
      PropertyStackEntry entry;
      entry.layer = layer.get();
      entry.clip_layer = std::move(layer);
      entry.path = path;
      entry.arc = site_.index->ArcOf(node_index);
      entry.is_clip = true;
      entry.clips = std::move(attribute);
      entry.has_samples = true;
      stack_.push_back(std::move(entry));
    }
  }

  RequestContext& context_;
  const AttributeSite& site_;
  const PrimIndex& index_;
  const TimeCode time_;
  std::vector<PropertyStackEntry> stack_;
};

int FindAnswering(const Explanation& explanation, const AttributeSource& source,
                  const PrimIndex& index) {
  const PropertyOpinion* opinion = source.opinion();
  for (size_t i = 0; i < explanation.stack.size(); ++i) {
    const PropertyStackEntry& entry = explanation.stack[i];
    // Compile takes the first clip set with the attribute, which is the first clip of the stack.
    if (source.kind() == ResolveInfoSource::kValueClips && entry.is_clip)
      return static_cast<int>(i);
    if (opinion && entry.layer == opinion->layer &&
        entry.path == index.prim_stack()[opinion->site].layer->tree().path(opinion->spec)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace

std::vector<PropertyStackEntry> PropertyStackAt(RequestContext& context, const AttributeSite& site,
                                                TimeCode time) {
  return StackWalk(context, site, time).Run();
}

StackOpinion OpinionOf(RequestContext& context, const PropertyStackEntry& entry, TimeCode time,
                       Interpolation interpolation) {
  const AttributeSource source =
      entry.clips ? AttributeSource::OfClips(entry.clips)
                  : AttributeSource::OfSpec(*entry.layer, entry.spec, entry.offset,
                                            /*numeric=*/!time.is_default());
  return {source.kind(), source.OpinionAt(context, time, interpolation)};
}

Explanation Explain(RequestContext& context, const AttributeSite& site, TimeCode time) {
  const AttributeSource source = AttributeSource::Compile(context, site, !time.is_default());
  Explanation result;
  result.kind = source.kind();
  result.blocked = source.blocked();
  result.stack = PropertyStackAt(context, site, time);
  result.answering = FindAnswering(result, source, *site.index->index);
  result.lines.push_back(Concat("source: ", KindName(source.kind())));
  if (source.blocked()) result.lines.push_back("the strongest default is a block");
  const bool timed = source.kind() == ResolveInfoSource::kTimeSamples ||
                     source.kind() == ResolveInfoSource::kValueClips ||
                     source.kind() == ResolveInfoSource::kSpline;
  if (timed) {
    const double local = source.offset().Inverse().Apply(time.value());
    result.local_time = local;
    result.lines.push_back(Concat("stage time ", time.ToString(), " is time ", local,
                                  " in the answering layer (offset ", source.offset().offset,
                                  ", scale ", source.offset().scale, ")"));
    result.bracket = source.Bracketing(context, time.value());
    if (source.clip_attribute()) {
      auto lines = source.clip_attribute()->ExplainAt(context, local);
      result.lines.insert(result.lines.end(), lines.begin(), lines.end());
    }
  }
  if (source.kind() == ResolveInfoSource::kNone) {
    result.lines.push_back(result.stack.empty() ? "no layer has an opinion"
                                                : "no opinion holds a value at this time");
  }
  return result;
}

}  // namespace stagedoor
