// SkinSources: what deforming a skinned prim reads, worked out once: value sources, the layout of
// influences that do not vary, blend shapes.
//
// Immutable and thread-safe once made; valid as long as the stage snapshot.
#ifndef STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "base/reserved_bytes.h"
#include "scene/geom/prepared_attribute.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/blend_shape.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_arrays.h"
#include "scene/skel/skin_binding.h"
#include "scene/values/array.h"

namespace stagedoor {

enum class NormalsLayout : unsigned char { kNone, kPoints, kFaceVertices };

struct SkinSources {
  using Layout = SkinArrays::Layout;

  PreparedAttribute points;
  PreparedAttribute normals;
  PreparedAttribute face_vertex_indices;  // of face-varying normals
  NormalsLayout normals_layout = NormalsLayout::kNone;

  // Influences that do not vary; null: they do, or there are none that fit.
  std::shared_ptr<const Layout> influences;
  std::shared_ptr<const Layout> face_vertex_influences;

  std::vector<BlendShape> shapes;
  AnimMapper to_shapes;               // from the animation's blend shape order
  std::vector<std::string> warnings;  // about blend shapes

  size_t byte_size() const;

  // Blend shapes and attributes; not the influences.
  static SkinSources Read(RequestContext& context, const SkinBinding& binding,
                          const SkeletonQuery& skeleton);
};

// Influences of points repeated for each face vertex. Those of points that are not there are those
// of the first. False once the context is done: there may be billions, which are reserved in
// `bytes`.
bool ExpandByFaceVertex(RequestContext& context, const Array<int>& face_vertex_indices,
                        int per_point, ReservedBytes* bytes, Array<int>* indices,
                        Array<float>* weights);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_
