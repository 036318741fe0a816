#ifndef STAGEDOOR_SCENE_FRAME_FRAME_CHANGES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_CHANGES_H_

#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/sample_policy.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// Whether a part of a frame that varies may differ between two frames of one snapshot.
//
// False only if the part certainly has the same values, at the same times if there are several. The
// time of a single value is not compared: it is that of the frame, and the value does not depend on
// it. Everything may differ between default time and a numeric time, and once the request is over.
// A part that does not vary by the plan need not be passed.

// The samples of a frame.
struct FrameTimes {
  TimeCode frame;
  std::optional<SamplePolicy> policy;  // without it, there is one sample, at `frame`
};

// An attribute of a geometry.
bool MayDiffer(RequestContext& context, const FrameGeometry& geometry,
               const FrameAttribute& attribute, const FrameTimes& from, const FrameTimes& to);
// An attribute of a light.
bool MayDiffer(RequestContext& context, const FrameAttribute& attribute, const FrameTimes& from,
               const FrameTimes& to);
// The fields of a volume, which are those at the frame.
bool FieldsMayDiffer(RequestContext& context, const FrameGeometry& geometry, TimeCode from,
                     TimeCode to);
// The instances of an instancer: prototypes, ids, masks and transforms.
bool InstancesMayDiffer(RequestContext& context, const FrameGeometry& geometry,
                        const FrameTimes& from, const FrameTimes& to);
// The indices of a subset, at the frame.
bool MayDiffer(RequestContext& context, const FrameSubset& subset, TimeCode from, TimeCode to);
// The values of a material's network, at the frame.
bool MayDiffer(RequestContext& context, const FrameMaterial& material,
               const std::vector<std::string>& render_contexts, TimeCode from, TimeCode to);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_CHANGES_H_
