#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/layer/layer.h"
#include "scene/layer/layer_builder.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Builds the manifest of a clip set, the layer that declares which attributes have values in the
// clips.
//
// Implements Core Specification 12.3.4.2 Manifest. Corresponds to OpenUSD's
// Usd_GenerateClipManifest (UsdClipsAPI::GenerateClipManifest and GenerateClipManifestFromLayers).
//
// Collects, clip by clip, the attributes at and below a prim that have time samples or a spline in
// at least one clip. A layer may be released as soon as it was added. The memory is reserved in the
// context, which must outlive the builder; once the context is done, the result is incomplete. Not
// thread-safe.
class ClipManifestBuilder {
 public:
  // `write_blocks`: for each clip that lacks an attribute, Build writes a block at the time the
  // clip becomes active, so that a reader need not open the clip to find out.
  ClipManifestBuilder(RequestContext& context, Path prim, bool write_blocks)
      : context_(context), prim_(prim), write_blocks_(write_blocks), reserved_(context) {}

  // Adds the next clip, active from `active_time` on in the set's time. `layer` may be null, for a
  // clip that cannot be read.
  void Add(const Layer* layer, double active_time);
  // The manifest; attributes have their type, variability and, if asked for, blocks.
  LayerBuilder Build() const;

 private:
  struct Attribute {
    Path path;
    Value type_name;
    Value variability;
    bool samples = false;  // false if it has splines only
    // Clips, numbered in the order of Add, with samples or with a spline; filled for blocks only.
    std::vector<uint32_t> with_samples;
    std::vector<uint32_t> with_spline;
  };

  void AddBelow(const Layer& layer, SpecId prim);
  void AddAttribute(const Layer& layer, SpecId spec);
  void WriteBlocks(const Attribute& attribute, LayerBuilder* out, SpecId spec) const;

  RequestContext& context_;
  const Path prim_;
  const bool write_blocks_;
  Reservation reserved_;
  std::vector<double> active_times_;
  std::vector<Attribute> attributes_;
  std::unordered_map<Path, size_t> by_path_;
};

// The manifest of `layers`, without blocks. INVALID_ARGUMENT unless `prim` is the absolute path of
// a prim; other errors: those of the context.
absl::StatusOr<LayerBuilder> GenerateClipManifest(
    RequestContext& context, std::span<const std::shared_ptr<const Layer>> layers, Path prim);

// LayerBuilder::EnsureProperty for an attribute; also lists the variant sets on its path in the
// metadata of their owners, as OpenUSD's manifests do.
SpecId EnsureAttribute(LayerBuilder* layer, Path path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_MANIFEST_BUILDER_H_
