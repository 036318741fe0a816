#include "scene/frame/frame_instance_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_motion.h"
#include "scene/geom/point_instancer.h"
#include "scene/values/quat_math.h"

namespace stagedoor {
namespace {

Array<Quath> Narrowed(const Array<Quatf>& wide) {
  Quath* out;
  auto result = Array<Quath>::Uninitialized(wide.size(), &out);
  for (size_t i = 0; i < wide.size(); ++i) out[i] = QuatCast<Half>(wide[i]);
  return result;
}

// An array of instances, in the layer unless it is optional and empty at all samples.
struct InstanceAttribute {
  InstanceAttribute(Token name, const char* type_name, bool is_optional = false)
      : flat{.name = name, .type_name = Token(type_name)}, is_written(!is_optional) {}

  template <typename T>
  absl::Status Add(RequestContext& context, TimeCode time, Array<T> array) {
    is_written = is_written || !array.empty();
    return flat.Add(context, time, Value(std::move(array)));
  }
  void Write(FrameLayerSpecs& specs, SpecId spec) && {
    if (is_written) specs.AddAttribute(spec, std::move(flat));
  }

  FlatAttribute flat;
  bool is_written;
};

}  // namespace

absl::Status FrameInstanceWriter::Write(SpecId spec, const FrameGeometry& instancer) {
  WritePrototypes(spec, instancer);
  WriteIds(spec, instancer.prim);
  return work_.Report(instancer.prim, WriteArrays(spec, instancer));
}

void FrameInstanceWriter::WritePrototypes(SpecId spec, const FrameGeometry& instancer) {
  const Relationship prototypes = instancer.prim.GetRelationship(Geom().prototypes);
  if (!prototypes.valid()) return;
  std::vector<Path> targets = prototypes.Targets(work_.context);
  for (size_t i = 0; i < std::min(targets.size(), instancer.prototypes.size()); ++i) {
    const uint32_t known = instancer.prototypes[i];
    if (known != kNoIndex) targets[i] = work_.source.plan.prototypes[known].prim.path();
  }
  work_.specs.AddRelationship(spec, Geom().prototypes, std::move(targets));
}

// Which instances are masked does not vary within the shutter.
void FrameInstanceWriter::WriteIds(SpecId spec, const Prim& instancer) {
  for (const Token name : {Geom().ids, Geom().invisibleIds}) {
    auto ids =
        AttributeValueAs<Array<int64_t>>(work_.context, instancer, name, work_.sampler.frame());
    if (ids) work_.specs.AddValue(spec, name, "int64[]", Value(*std::move(ids)));
  }
}

absl::Status FrameInstanceWriter::WriteArrays(SpecId spec, const FrameGeometry& instancer) {
  RequestContext& context = work_.context;
  const TimeCode frame = work_.sampler.frame();
  SD_ASSIGN_OR_RETURN(const std::vector<TimeCode> times,
                      work_.sampler.SamplesOf([&](MotionTimes* found) {
                        return AddInstanceMotion(context, instancer.prim, frame,
                                                 /*include_proto_transform=*/false, found);
                      }));
  // Orientations that turn need more precision than authored ones may have.
  const InstanceRates rates = FindInstanceRates(context, instancer.prim, frame);
  const bool wide = rates.full_orientations || rates.angular_velocities;
  InstanceAttribute indices(Geom().protoIndices, "int[]");
  InstanceAttribute positions(Geom().positions, "point3f[]");
  InstanceAttribute scales(Geom().scales, "float3[]", /*is_optional=*/true);
  InstanceAttribute orientations(wide ? Geom().orientationsf : Geom().orientations,
                                 wide ? "quatf[]" : "quath[]", /*is_optional=*/true);
  for (const TimeCode time : times) {
    SD_ASSIGN_OR_RETURN(InstanceArraySample sample,
                        ComputeInstanceArrays(context, instancer.prim, time, frame));
    InstanceArrays& arrays = sample.arrays;
    if (indices.flat.samples.empty()) {
      SD_RETURN_IF_ERROR(indices.Add(context, time, std::move(arrays.proto_indices)));
    }
    SD_RETURN_IF_ERROR(positions.Add(context, time, std::move(arrays.positions)));
    SD_RETURN_IF_ERROR(scales.Add(context, time, std::move(arrays.scales)));
    SD_RETURN_IF_ERROR(wide ? orientations.Add(context, time, std::move(arrays.orientations))
                            : orientations.Add(context, time, Narrowed(arrays.orientations)));
  }
  for (InstanceAttribute* attribute : {&indices, &positions, &orientations, &scales}) {
    std::move(*attribute).Write(work_.specs, spec);
  }
  return context.Check();
}

}  // namespace stagedoor
