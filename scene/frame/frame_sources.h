#ifndef STAGEDOOR_SCENE_FRAME_FRAME_SOURCES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_SOURCES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/geom/source_sink.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The sources of all that the parts of a frame are computed from. Internal to scene/frame.
//
// Errors of these functions: those of the context.

// Finds out whether any source may have several values at numeric times.
class VaryingSources final : public SourceSink {
 public:
  absl::Status Add(RequestContext& context, const AttributeSource& source, const Prim& prim,
                   Token name) override;
  using SourceSink::Add;
  bool any() const { return any_; }

 private:
  bool any_ = false;
};

// Finds out whether all sources certainly have the same value at all times from `first` to `last`,
// which are finite.
class SteadySources final : public SourceSink {
 public:
  SteadySources(double first, double last) : first_(first), last_(last) {}
  absl::Status Add(RequestContext& context, const AttributeSource& source, const Prim& prim,
                   Token name) override;
  using SourceSink::Add;
  bool all() const { return all_; }

 private:
  const double first_, last_;
  bool all_ = true;
};

// The value of an attribute at one time. Points that velocities may advance have another one at
// each time, whatever their sources say: IsAdvanced.
absl::Status AddAttributeSources(RequestContext& context, const FrameGeometry& geometry,
                                 const FrameAttribute& attribute, SourceSink* sink);
// As above, with the sources that change a value by no more than rounding: the transforms that move
// a skinned prim and its skeleton alike.
absl::Status AddExactSources(RequestContext& context, const FrameGeometry& geometry,
                             const FrameAttribute& attribute, SourceSink* sink);
bool IsAdvanced(RequestContext& context, const FrameGeometry& geometry,
                const FrameAttribute& attribute);

// The instances of a point instancer; those that rates of change may advance: AreInstancesAdvanced.
absl::Status AddInstanceSources(RequestContext& context, const Prim& instancer, SourceSink* sink);
bool AreInstancesAdvanced(RequestContext& context, const Prim& instancer);

// The fields of a volume.
absl::Status AddFieldSources(RequestContext& context, const Prim& volume, SourceSink* sink);

// The values of a material's network.
absl::Status AddMaterialSources(RequestContext& context, const Prim& material,
                                const std::vector<std::string>& render_contexts, SourceSink* sink);

// The transform of a row.
absl::Status AddXformSources(RequestContext& context, const FramePlan& plan,
                             const FramePlace& place, SourceSink* sink);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_SOURCES_H_
