#ifndef STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_
#define STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/skel/anim_mapper.h"
#include "scene/skel/blend_shape.h"
#include "scene/skel/skeleton_query.h"
#include "scene/skel/skin_arrays.h"
#include "scene/skel/skin_binding.h"
#include "scene/stage/attribute_query.h"
#include "scene/values/array.h"

namespace stagedoor {

// Which elements the normals of a prim belong to. Other layouts are not skinned.
enum class NormalsLayout : unsigned char { kNone, kPoints, kFaceVertices };

// The inputs of the deformation of a skinned prim, prepared once: value sources, the layout of
// influences that do not vary, blend shapes.
//
// Immutable and thread-safe once prepared; valid as long as the stage snapshot.
struct SkinSources {
  using Layout = SkinArrays::Layout;

  AttributeQuery points;
  AttributeQuery normals;
  AttributeQuery face_vertex_indices;  // for face-varying normals
  NormalsLayout normals_layout = NormalsLayout::kNone;

  // Influences that do not vary; null if they do, or if there are none that can be used.
  std::shared_ptr<const Layout> influences;
  std::shared_ptr<const Layout> face_vertex_influences;

  std::vector<BlendShape> shapes;
  AnimMapper to_shapes;               // maps weights from the animation's order to `shapes`
  std::vector<std::string> warnings;  // about blend shapes

  size_t byte_size() const;

  // Prepares blend shapes and attributes, but not the influences.
  static SkinSources Read(RequestContext& context, const SkinBinding& binding,
                          const SkeletonQuery& skeleton);
};

// Repeats the influences of points for each face vertex that refers to them. Face vertices that
// refer to missing points get those of the first point, as in OpenUSD (_FaceVaryingPointIndexFn).
// Returns false once the context is done: there may be billions of influences, whose memory is
// reserved in `bytes`.
bool ExpandByFaceVertex(RequestContext& context, const Array<int>& face_vertex_indices,
                        int per_point, Reservation* bytes, Array<int>* indices,
                        Array<float>* weights);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_SKIN_SOURCES_H_
