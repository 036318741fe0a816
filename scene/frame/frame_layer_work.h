#ifndef STAGEDOOR_SCENE_FRAME_FRAME_LAYER_WORK_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_LAYER_WORK_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "base/status_macros.h"
#include "scene/frame/frame_layer_source.h"
#include "scene/frame/frame_layer_specs.h"
#include "scene/frame/frame_sampler.h"
#include "scene/frame/frame_transforms.h"
#include "scene/paths/path.h"

namespace stagedoor {

// The approximate size of an entry of a PrimMap of small values, in bytes.
inline constexpr size_t kPrimMapBytes = 4 * (sizeof(Prim) + sizeof(uint64_t));

// The state that the writers of one frame's layer share. Internal to MakeFrameLayer. Not
// thread-safe.
struct FrameLayerWork {
  FrameLayerWork(RequestContext& context, const FrameLayerSource& source, Executor* executor)
      : context(context),
        source(source),
        executor(executor),
        sampler(context, source.times, executor),
        specs(context) {
    for (const FrameMaterial& material : source.plan.materials) {
      materials.emplace(material.id, material.prim.path());
    }
  }

  // Reports that a part of a prim cannot be computed. Fails only if the request is over.
  absl::Status Report(const Prim& prim, absl::Status status) {
    if (status.ok()) return status;
    SD_RETURN_IF_ERROR(context.Check());
    if (problems.size() < kMaxFrameLayerProblems) {
      problems.push_back({.path = prim.PathText(), .status = std::move(status)});
    }
    return absl::OkStatus();
  }
  bool IsVisible(const FramePrim& row) {
    return row.blinks ? IsVisibleAt(context, source.plan, row, sampler.frame()) : row.visible;
  }
  // Whether the layer has a row, if it has the prototype of the row.
  bool IsKept(const FramePrim& row) { return !source.without_invisible || IsVisible(row); }
  // The path of a material of the plan; empty for 0.
  Path MaterialPath(FrameId id) const {
    const auto found = materials.find(id);
    return found == materials.end() ? Path() : found->second;
  }

  RequestContext& context;
  const FrameLayerSource& source;
  Executor* const executor;  // may be null
  FrameSampler sampler;
  FrameLayerSpecs specs;
  std::unordered_map<FrameId, Path> materials;
  // Prims that have a transform and a visibility for the sake of prototypes.
  std::unordered_set<SpecId> of_prototypes;
  std::vector<FrameLayerProblem> problems;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_LAYER_WORK_H_
