#ifndef STAGEDOOR_SERVER_FRAMES_OBJECT_STEPS_H_
#define STAGEDOOR_SERVER_FRAMES_OBJECT_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/shade/material_network.h"
#include "server/converters/reply_budget.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_step.h"
#include "server/frames/sampled_values.h"

namespace stagedoor::server {

// Objects of a plan that are a single part each, by their indices: if the job has a base, those
// that differ from it.
class ObjectStep : public FrameStep {
 public:
  // `job` must outlive the step.
  ObjectStep(const FrameJob& job, std::vector<uint32_t> indices)
      : job_(job), indices_(std::move(indices)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) final;

 protected:
  const FrameJob& job() const { return job_; }
  const FramePlan& plan() const { return *job_.plan; }

 private:
  // Whether the object differs from the base; in doubt, it does.
  virtual bool Differs(RequestContext& context, uint32_t index) = 0;
  // Adds an object. Fails only if the request is over.
  virtual absl::Status Write(uint32_t index, FrameWriter& writer) = 0;

  const FrameJob& job_;
  const std::vector<uint32_t> indices_;
  size_t next_ = 0;
};

class SubsetStep final : public ObjectStep {
 public:
  using ObjectStep::ObjectStep;

 private:
  bool Differs(RequestContext& context, uint32_t index) override;
  absl::Status Write(uint32_t index, FrameWriter& writer) override;
};

class MaterialStep final : public ObjectStep {
 public:
  MaterialStep(RequestContext& context, const FrameJob& job, std::vector<uint32_t> indices);

 private:
  bool Differs(RequestContext& context, uint32_t index) override;
  absl::Status Write(uint32_t index, FrameWriter& writer) override;
  // Incomplete if the budget does not suffice.
  v1::MaterialNetwork NetworkAt(const FrameMaterial& material, TimeCode time);
  // Moves a network to the message of the writer.
  absl::Status Send(v1::FrameMaterials* single, FrameWriter& writer);

  const MaterialNetworkOptions options_;
  // Networks have no chunks, as in ComputeMaterialNetworks.
  ReplyBudget budget_;
};

class LightStep final : public ObjectStep {
 public:
  LightStep(RequestContext& context, const FrameJob& job, std::vector<uint32_t> indices);

 private:
  bool Differs(RequestContext& context, uint32_t index) override;
  absl::Status Write(uint32_t index, FrameWriter& writer) override;
  // The values of a light. Errors are added to the message.
  absl::StatusOr<std::vector<SampledValue>> SampleValues(const FrameLight& light,
                                                         FrameWriter& writer);

  const FrameGeometry no_geometry_;
  ValueSampler sampler_;
  std::optional<ValueSampler> base_sampler_;  // none without a base
};

class LightSetStep final : public ObjectStep {
 public:
  using ObjectStep::ObjectStep;

 private:
  bool Differs(RequestContext&, uint32_t) override { return false; }
  absl::Status Write(uint32_t index, FrameWriter& writer) override;
};

// Objects that the client has and that are not in the frame any more: those that are named, and
// those that the filter knows of. The last of all steps.
class RemovalStep final : public FrameStep {
 public:
  explicit RemovalStep(std::vector<FrameId> objects) : objects_(std::move(objects)) {}

  absl::StatusOr<bool> Continue(FrameWriter& writer) override;

 private:
  std::vector<FrameId> objects_;
  bool started_ = false;
  size_t next_ = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_OBJECT_STEPS_H_
