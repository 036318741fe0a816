// ClipManifest: the layer that says which attributes the clips of a set have values for.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reserved_bytes.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Collects, clip by clip, the attributes at and below a prim that have time samples or a spline in
// some clip. Layers may go as soon as they were added. What it collects is reserved in the context,
// which outlives it; incomplete once that is done. Not thread-safe.
class ClipManifestBuilder {
 public:
  // `write_blocks`: Build also says at which times a clip becomes active that lacks an attribute.
  ClipManifestBuilder(RequestContext& context, Path prim, bool write_blocks)
      : context_(context), prim_(prim), write_blocks_(write_blocks), reserved_(context) {}

  // `layer` may be null, for a clip that cannot be read.
  void Add(const Layer* layer, double active_time);
  LayerBuilder Build() const;

 private:
  struct Attribute {
    Path path;
    Value type_name;
    Value variability;
    bool samples = false;  // else a spline only
    // Clips (by order of Add) that have samples, or a spline, for it.
    std::vector<uint32_t> with_samples;
    std::vector<uint32_t> with_spline;
  };

  void AddBelow(const Layer& layer, SpecId prim);
  void AddAttribute(const Layer& layer, SpecId spec);
  void WriteBlocks(const Attribute& attribute, LayerBuilder* out, SpecId spec) const;

  RequestContext& context_;
  const Path prim_;
  const bool write_blocks_;
  ReservedBytes reserved_;
  std::vector<double> active_times_;
  std::vector<Attribute> attributes_;
  std::unordered_map<Path, size_t> by_path_;
};

// The manifest of `layers` without blocks. INVALID_ARGUMENT unless `prim` is the path of a prim;
// other errors: those of the context.
absl::StatusOr<LayerBuilder> GenerateClipManifest(
    RequestContext& context, std::span<const std::shared_ptr<const Layer>> layers, Path prim);

// EnsureProperty, which also lists variant sets it makes on the way.
SpecId EnsureAttribute(LayerBuilder* layer, Path path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_
