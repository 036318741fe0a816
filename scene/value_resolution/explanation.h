#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_EXPLANATION_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_EXPLANATION_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "scene/composition/arc_type.h"
#include "scene/layer/layer.h"
#include "scene/paths/path.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// A spec of a property, in a composed layer or in the value clip that is active at the time.
struct PropertyStackEntry {
  std::shared_ptr<const Layer> clip_layer;  // keeps a clip's layer alive; else null
  const Layer* layer = nullptr;
  SpecId spec = kNoSpec;                       // in `layer`; of clips, kNoSpec
  std::shared_ptr<const ClipAttribute> clips;  // null unless is_clip
  Path path;
  ArcType arc = ArcType::kRoot;
  LayerOffset offset;  // maps layer time to stage time
  bool is_clip = false;
  bool has_default = false;
  bool has_samples = false;
  bool has_spline = false;
};

// The property stack, strongest first; at default time without clips.
std::vector<PropertyStackEntry> PropertyStackAt(RequestContext& context, const AttributeSite& site,
                                                TimeCode time);

// The opinion of one entry of a property stack at a time, in stage time: a value, a block, an array
// edit, or nothing.
struct StackOpinion {
  ResolveInfoSource kind = ResolveInfoSource::kNone;
  Value value;
};
StackOpinion OpinionOf(RequestContext& context, const PropertyStackEntry& entry, TimeCode time,
                       Interpolation interpolation);

// All opinions about an attribute at a time, and which of them answers. Corresponds to
// UsdAttribute::GetResolveInfo and UsdProperty::GetPropertyStackWithLayerOffsets.
//
// Which opinion supplies the value of an attribute, and why.
struct Explanation {
  ResolveInfoSource kind = ResolveInfoSource::kNone;
  bool blocked = false;
  std::vector<PropertyStackEntry> stack;
  int answering = -1;                                // index into stack; -1 if none answers
  std::optional<double> local_time;                  // the time in the answering layer
  std::optional<std::pair<double, double>> bracket;  // stage times of the samples used
  std::vector<std::string> lines;                    // text for people: reasons, clips
};

Explanation Explain(RequestContext& context, const AttributeSite& site, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_EXPLANATION_H_
