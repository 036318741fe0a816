#ifndef STAGEDOOR_SCENE_GEOM_INSTANCE_MOTION_H_
#define STAGEDOOR_SCENE_GEOM_INSTANCE_MOTION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/geom/instance_transforms.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/source_sink.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The instances of a point instancer within a shutter.

// Adds the times of the instances in a shutter around `base_time`: evenly spaced ones if instances
// are advanced by their rates of change, otherwise the samples of positions, orientations and
// scales; with the prototypes' own transforms, their samples too.
absl::Status AddInstanceMotion(RequestContext& context, const Prim& instancer, TimeCode base_time,
                               bool include_proto_transform, MotionTimes* times);

// Adds the sources of the transforms of the prototypes' roots.
absl::Status AddPrototypeMotion(RequestContext& context, const Prim& instancer, SourceSink* sink);

// As ComputeInstanceTransforms, for the instances of `base_time` whatever instances there are at
// `time`. If `ids` has other values there, and no rates of change apply, each instance is looked up
// by its id; one that is not there has its transform of the base time.
absl::StatusOr<InstanceTransforms> ComputeInstanceSample(RequestContext& context,
                                                         const Prim& instancer, TimeCode time,
                                                         TimeCode base_time,
                                                         const InstanceOptions& options);

struct InstanceArraySample {
  InstanceArrays arrays;
  Reservation reserved;  // for arrays that were computed
};
// The arrays of the transforms that ComputeInstanceSample computes without those of prototypes, for
// all instances, without rates of change (WithoutRates). Errors: those of ReadInstanceArrays.
absl::StatusOr<InstanceArraySample> ComputeInstanceArrays(RequestContext& context,
                                                          const Prim& instancer, TimeCode time,
                                                          TimeCode base_time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_INSTANCE_MOTION_H_
