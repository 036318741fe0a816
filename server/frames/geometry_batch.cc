#include "server/frames/geometry_batch.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/executor.h"
#include "base/status_macros.h"
#include "scene/frame/frame_changes.h"
#include "scene/geom/instance_motion.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/point_instancer.h"
#include "server/frames/steady_values.h"
#include "server/queries/motion_samples.h"

namespace stagedoor::server {
namespace {

// Computed arrays of so many bytes are sent before there are more.
constexpr size_t kManyBytes = size_t{32} << 20;

// With the transforms of prototypes, and without masked instances.
constexpr InstanceOptions kInstanceOptions{.include_proto_transform = true, .apply_mask = true};

absl::StatusOr<std::vector<TimeCode>> InstanceTimes(RequestContext& context,
                                                    const FrameGeometry& geometry,
                                                    const FrameTimes& times) {
  if (!times.policy) return std::vector{times.frame};
  const double frame = times.frame.value();
  MotionTimes motion(times.policy->Begin(frame), times.policy->End(frame));
  SD_RETURN_IF_ERROR(AddInstanceMotion(context, geometry.prim, times.frame,
                                       kInstanceOptions.include_proto_transform, &motion));
  return TimeCodesOf(motion.Select(*times.policy, frame));
}

// Errors: those of the context; others are in the result.
absl::StatusOr<SampledInstances> SampleInstances(RequestContext& context,
                                                 const FrameGeometry& geometry,
                                                 const FrameTimes& times) {
  SampledInstances sampled;
  SD_ASSIGN_OR_RETURN(const std::vector<TimeCode> codes, InstanceTimes(context, geometry, times));
  for (const TimeCode time : codes) {
    auto instances = times.policy ? ComputeInstanceSample(context, geometry.prim, time, times.frame,
                                                          kInstanceOptions)
                                  : ComputeInstanceTransforms(context, geometry.prim, time,
                                                              times.frame, kInstanceOptions);
    SD_RETURN_IF_ERROR(context.Check());
    if (!instances.ok()) {
      SampledInstances failed;
      failed.error = instances.status();
      return failed;
    }
    if (sampled.times.empty()) {
      SD_ASSIGN_OR_RETURN(sampled.indices,
                          FindInstanceIndices(context, *instances, kInstanceOptions.apply_mask));
      sampled.prototypes = std::move(instances->prototypes);
    }
    sampled.times.push_back(time.value());
    sampled.transforms.push_back(Array<Matrix4d>::FromVector(std::move(instances->transforms)));
    sampled.reserved.push_back(std::move(instances->reserved));
  }
  return sampled;
}

// Computes the geometry of a piece of a batch. For one thread.
class GeometryPiece {
 public:
  GeometryPiece(RequestContext& context, const FrameJob& job, bool complete)
      : context_(context),
        job_(job),
        complete_(complete),
        sampler_(context, job.times(), job.executor) {
    if (job.base) base_sampler_.emplace(context, *job.base, job.executor);
  }

  absl::Status Compute(uint32_t index, ComputedGeometry* out) {
    const FrameGeometry& geometry = job_.plan->geometry[index];
    out->is_computed = true;
    out->complete = complete_;
    SD_RETURN_IF_ERROR(complete_ ? ComputeAll(geometry, out) : ComputeVarying(geometry, out));
    if (!WantsInstances(geometry)) return context_.Check();
    SD_ASSIGN_OR_RETURN(out->instances, SampleInstances(context_, geometry, job_.times()));
    return context_.Check();
  }

 private:
  absl::Status ComputeAll(const FrameGeometry& geometry, ComputedGeometry* out) {
    out->with_fields = geometry.is_volume;
    const FrameSelection& selection = job_.request->selection;
    const std::string key = SteadyValues::KeyOf(context_, selection, geometry);
    if (!key.empty()) {
      if (const auto known = job_.steady->Find(key)) return ComputeOthers(geometry, *known, out);
    }
    SteadyValues::Attributes found;
    for (const FrameAttribute& attribute : FrameAttributesOf(context_, selection, geometry)) {
      out->names.push_back(attribute.name);
      SD_RETURN_IF_ERROR(Sample(geometry, attribute, out));
      const bool is_steady = SteadyValues::IsSteady(geometry, attribute, *out->values.back());
      found.push_back({attribute.name, is_steady ? out->values.back() : nullptr});
    }
    SD_RETURN_IF_ERROR(context_.Check());
    if (!key.empty()) job_.steady->Keep(key, std::move(found));
    return context_.Check();
  }

  // Computes what the geometry does not have in common with others.
  absl::Status ComputeOthers(const FrameGeometry& geometry, const SteadyValues::Attributes& known,
                             ComputedGeometry* out) {
    std::vector<Token> others;
    for (const SteadyAttribute& attribute : known) {
      out->names.push_back(attribute.name);
      if (attribute.value == nullptr) others.push_back(attribute.name);
    }
    const std::vector<FrameAttribute> own =
        FrameAttributesOf(context_, job_.request->selection, geometry, others);
    auto next = own.begin();
    for (const SteadyAttribute& attribute : known) {
      if (attribute.value != nullptr) {
        out->values.push_back(attribute.value);
      } else if (next != own.end() && next->name == attribute.name) {
        SD_RETURN_IF_ERROR(Sample(geometry, *next++, out));
      }
    }
    return context_.Check();
  }

  absl::Status ComputeVarying(const FrameGeometry& geometry, ComputedGeometry* out) {
    out->with_fields =
        geometry.fields_vary &&
        (!job_.base || FieldsMayDiffer(context_, geometry, job_.base->frame, job_.frame()));
    for (const FrameAttribute& attribute : geometry.varying) {
      if (job_.base && !MayDiffer(context_, geometry, attribute, *job_.base, job_.times())) {
        continue;
      }
      SD_RETURN_IF_ERROR(Sample(geometry, attribute, out));
      if (!job_.base || IsSkinned(geometry, attribute)) continue;
      // Samples often have the values of their neighbours.
      SD_ASSIGN_OR_RETURN(const SampledValue before, base_sampler_->Sample(geometry, attribute));
      if (AreSameSamples(context_, before, *out->values.back())) out->values.pop_back();
    }
    return context_.Check();
  }

  // Deforming points once more would take longer than sending them.
  static bool IsSkinned(const FrameGeometry& geometry, const FrameAttribute& attribute) {
    return geometry.skin && (attribute.kind == FrameAttribute::Kind::kPoints ||
                             attribute.kind == FrameAttribute::Kind::kNormals);
  }

  absl::Status Sample(const FrameGeometry& geometry, const FrameAttribute& attribute,
                      ComputedGeometry* out) {
    SD_ASSIGN_OR_RETURN(SampledValue value, sampler_.Sample(geometry, attribute));
    out->values.push_back(std::make_shared<const SampledValue>(std::move(value)));
    return absl::OkStatus();
  }

  bool WantsInstances(const FrameGeometry& geometry) {
    if (complete_) return geometry.is_instancer;
    return geometry.instances_vary &&
           (!job_.base || InstancesMayDiffer(context_, geometry, *job_.base, job_.times()));
  }

  RequestContext& context_;
  const FrameJob& job_;
  const bool complete_;
  ValueSampler sampler_;
  std::optional<ValueSampler> base_sampler_;  // none without a base
};

}  // namespace

size_t ComputedGeometry::computed_bytes() const {
  size_t bytes = 0;
  for (const auto& value : values) bytes += value->computed_bytes();
  if (!instances) return bytes;
  for (const Reservation& reserved : instances->reserved) bytes += reserved.bytes();
  return bytes;
}

absl::StatusOr<std::vector<ComputedGeometry>> ComputeGeometry(RequestContext& context,
                                                              const FrameJob& job,
                                                              std::span<const uint32_t> indices,
                                                              bool complete) {
  std::vector<ComputedGeometry> computed(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) computed[i].index = indices[i];
  std::atomic<size_t> bytes{0};
  const auto compute = [&](size_t begin, size_t end) {
    GeometryPiece piece(context, job, complete);
    for (size_t i = begin; i < end && bytes.load(std::memory_order_relaxed) < kManyBytes; ++i) {
      if (const absl::Status status = piece.Compute(indices[i], &computed[i]); !status.ok()) {
        return context.Fail(status);
      }
      bytes.fetch_add(computed[i].computed_bytes(), std::memory_order_relaxed);
    }
  };
  if (indices.size() == 1) {
    compute(0, 1);
  } else if (!indices.empty()) {
    // Neighbours often have a skeleton in common, whose poses a piece computes once.
    const size_t pieces = size_t{4} * static_cast<size_t>(job.executor->concurrency());
    ParallelFor(*job.executor, indices.size(), indices.size() / pieces, compute);
  }
  SD_RETURN_IF_ERROR(context.Check());
  return computed;
}

}  // namespace stagedoor::server
