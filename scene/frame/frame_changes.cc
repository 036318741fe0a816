#include "scene/frame/frame_changes.h"

#include <algorithm>
#include <functional>
#include <initializer_list>

#include "base/status_macros.h"
#include "scene/frame/frame_sources.h"
#include "scene/frame/frame_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_motion.h"
#include "scene/geom/motion_times.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

using AddSources = std::function<absl::Status(SourceSink* sink)>;
using AddMotion = std::function<absl::Status(double frame, MotionTimes* times)>;

// A part of a frame.
struct Part {
  AddSources add_sources;
  AddMotion add_motion;
  // Whether values are computed from samples at the frame as well as at their own times.
  bool reads_frame = false;
  // Whether values may be advanced by rates of change, so that each time has another one.
  bool is_advanced = false;
};

bool IsNumeric(TimeCode time) { return !time.is_default() && !time.is_pre_time(); }

// The times of the samples of a part; nothing if the request is over.
std::optional<std::vector<double>> SampleTimesOf(const Part& part, const FrameTimes& times) {
  const double frame = times.frame.value();
  if (!times.policy) return std::vector<double>{frame};
  MotionTimes motion(times.policy->Begin(frame), times.policy->End(frame));
  if (!part.add_motion(frame, &motion).ok()) return std::nullopt;
  std::vector<double> found;
  for (const MotionTime& at : motion.Select(*times.policy, frame).times) found.push_back(at.time);
  return found;
}

// Whether all values of the sources between the earliest and the latest time may differ.
bool MayVaryWithin(RequestContext& context, const AddSources& add_sources,
                   std::initializer_list<double> times) {
  SteadySources steady(std::min(times), std::max(times));
  return !add_sources(&steady).ok() || !steady.all() || !context.Check().ok();
}

bool PartMayDiffer(RequestContext& context, const Part& part, const FrameTimes& from,
                   const FrameTimes& to) {
  const bool is_same_frame = from.frame == to.frame;
  if (!IsNumeric(from.frame) || !IsNumeric(to.frame)) {
    return !is_same_frame || from.policy.has_value() || to.policy.has_value();
  }
  const auto before = SampleTimesOf(part, from);
  const auto after = SampleTimesOf(part, to);
  if (!before || !after || before->size() != after->size()) return true;
  const bool reads_other_frame = part.reads_frame && !is_same_frame;
  if (*before == *after && !reads_other_frame) return false;
  if (before->size() != 1 || part.is_advanced) return true;
  if (!reads_other_frame) {
    return MayVaryWithin(context, part.add_sources, {before->front(), after->front()});
  }
  return MayVaryWithin(context, part.add_sources,
                       {before->front(), after->front(), from.frame.value(), to.frame.value()});
}

// As above, for a part that has no other samples than at the frame.
bool MayDifferAtFrames(RequestContext& context, TimeCode from, TimeCode to,
                       const AddSources& add_sources) {
  if (from == to) return false;
  if (!IsNumeric(from) || !IsNumeric(to)) return true;
  return MayVaryWithin(context, add_sources, {from.value(), to.value()});
}

}  // namespace

bool MayDiffer(RequestContext& context, const FrameGeometry& geometry,
               const FrameAttribute& attribute, const FrameTimes& from, const FrameTimes& to) {
  const bool are_points = attribute.kind == FrameAttribute::Kind::kPoints;
  const Part part{
      .add_sources =
          [&](SourceSink* sink) { return AddExactSources(context, geometry, attribute, sink); },
      .add_motion =
          [&](double frame, MotionTimes* times) {
            return AddFrameMotion(context, geometry, attribute, frame, times);
          },
      .reads_frame = are_points,
      .is_advanced = IsAdvanced(context, geometry, attribute)};
  return PartMayDiffer(context, part, from, to);
}

bool MayDiffer(RequestContext& context, const FrameAttribute& attribute, const FrameTimes& from,
               const FrameTimes& to) {
  return MayDiffer(context, FrameGeometry(), attribute, from, to);
}

bool FieldsMayDiffer(RequestContext& context, const FrameGeometry& geometry, TimeCode from,
                     TimeCode to) {
  return MayDifferAtFrames(context, from, to, [&](SourceSink* sink) {
    return AddFieldSources(context, geometry.prim, sink);
  });
}

bool InstancesMayDiffer(RequestContext& context, const FrameGeometry& geometry,
                        const FrameTimes& from, const FrameTimes& to) {
  const Prim& prim = geometry.prim;
  const Part part{
      .add_sources = [&](SourceSink* sink) { return AddInstanceSources(context, prim, sink); },
      .add_motion =
          [&](double frame, MotionTimes* times) {
            return AddInstanceMotion(context, prim, TimeCode::At(frame),
                                     /*include_proto_transform=*/true, times);
          },
      .reads_frame = true,
      .is_advanced = AreInstancesAdvanced(context, prim)};
  return PartMayDiffer(context, part, from, to);
}

bool MayDiffer(RequestContext& context, const FrameSubset& subset, TimeCode from, TimeCode to) {
  return MayDifferAtFrames(context, from, to, [&](SourceSink* sink) {
    const Attribute indices = subset.subset.prim.GetAttribute(Geom().indices);
    return sink->Add(context, AttributeQuery(context, indices));
  });
}

bool MayDiffer(RequestContext& context, const FrameMaterial& material,
               const std::vector<std::string>& render_contexts, TimeCode from, TimeCode to) {
  return MayDifferAtFrames(context, from, to, [&](SourceSink* sink) {
    return AddMaterialSources(context, material.prim, render_contexts, sink);
  });
}

}  // namespace stagedoor
