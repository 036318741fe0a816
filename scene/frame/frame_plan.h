#ifndef STAGEDOOR_SCENE_FRAME_FRAME_PLAN_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_id.h"
#include "scene/frame/frame_selection.h"
#include "scene/geom/geom_subset.h"
#include "scene/geom/primvar.h"
#include "scene/paths/token.h"
#include "scene/skel/skinning_target.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/stage/stage.h"

namespace stagedoor {

// The objects of a snapshot that a renderer draws at any time, and which of their parts vary, so
// that the work for the next frame is that of what moves.
//
// "Varies" is about numeric times. At default time any value may be another one, so a frame at
// default time and one at a numeric time have nothing in common, except for visibility that does
// not vary.

inline constexpr uint32_t kNoIndex = UINT32_MAX;

// A prim that is somewhere: one to draw, or a light.
struct FramePlace {
  Prim prim;  // may be an instance proxy
  FrameId id = 0;
  uint32_t prototype = kNoIndex;  // index into FramePlan::prototypes, if it is a part of one
  // Index into FramePlan::rigid_skins, if its skin moves it as a whole: its transform is then
  // computed by the skin, and its points are at rest, but for blend shapes.
  uint32_t rigid_skin = kNoIndex;
  bool moves = false;   // its transform may vary
  bool blinks = false;  // its visibility may vary, or is another one at default time
  bool visible = true;  // at all times, unless it blinks
};

// A prim to draw.
struct FramePrim : FramePlace {
  FrameId material = 0;
  FrameId light_set = 0;
  FrameId shadow_set = 0;
  uint32_t geometry = kNoIndex;  // index into FramePlan::geometry
  Token purpose;
  Token draw_mode;  // "cards", "bounds" or "origin"; empty if it is drawn by its geometry
  uint8_t pass_members = 0;
};

// The root of a prototype of point instancers.
struct FramePrototype {
  Prim prim;
  FrameId id = 0;  // that of its row in FramePlan::prims if the root itself is drawn
};

// An attribute of a geometry or a light.
struct FrameAttribute {
  enum class Kind : uint8_t {
    kPlain,    // the value of the attribute
    kPrimvar,  // `primvar`, with its indices
    kPoints,   // of a PointBased: advanced by velocities, deformed by its skin
    kNormals,  // deformed by its skin
  };
  Kind kind = Kind::kPlain;
  Token name;            // "points", "primvars:st"
  AttributeQuery query;  // of the attribute itself
  std::optional<Primvar> primvar;
  bool flattened = false;  // a primvar whose indices are replaced by elements
  bool varies = false;
};

// The memory of some attributes, with the queries, whose sources may have arrays.
size_t ByteSizeOf(const std::vector<FrameAttribute>& attributes);

// The geometry that prims share as instances of each other, or the geometry of a single prim.
struct FrameGeometry {
  FrameId id = 0;
  Prim prim;  // the first of those that have it
  // The skin that deforms its points and normals; null if there is none.
  std::shared_ptr<const SkinningTarget> skin;
  bool is_instancer = false;
  bool is_volume = false;
  bool is_stand_in = false;  // of a model with a draw mode: has the attributes of GeomModelAPI
  // Those that vary; computed again for all with FrameAttributesOf.
  std::vector<FrameAttribute> varying;
  bool fields_vary = false;     // of a volume
  bool instances_vary = false;  // of an instancer: its prototypes, indices, mask or transforms
  // For an instancer: for each target of its relationship `prototypes`, in order, an index into
  // FramePlan::prototypes; kNoIndex if the prim is missing or cannot be drawn, or would contain
  // itself.
  std::vector<uint32_t> prototypes;
};

struct FrameSubset {
  FrameId id = 0;
  uint32_t prim = 0;  // index into FramePlan::prims
  GeomSubset subset;
  FrameId material = 0;  // of the family materialBind
  bool varies = false;   // its indices
};

// Materials of instances of one prototype are one material, that of the first instance.
struct FrameMaterial {
  FrameId id = 0;
  Prim prim;
  bool varies = false;  // a value of its network may
};

struct FrameLight : FramePlace {
  FrameId material = 0;
  FrameId geometry = 0;          // the row of a mesh or volume light; 0 if it is not drawn
  std::vector<FrameId> filters;  // in order; targets that are not among the lights are left out
  std::vector<FrameId> portals;
  bool is_filter = false;
  bool is_gprim = false;  // a mesh or volume light
  std::vector<FrameAttribute> varying;
};

struct FrameLightSet {
  FrameId id = 0;
  std::vector<FrameId> lights;  // ascending
};

// Immutable and thread-safe; valid as long as the snapshot.
struct FramePlan {
  std::vector<FramePrim> prims;  // in stage order, then those of prototypes
  std::vector<FrameGeometry> geometry;
  std::vector<FramePrototype> prototypes;
  std::vector<SkinningTarget> rigid_skins;  // of prims that their skins move as a whole
  std::vector<FrameSubset> subsets;         // ascending by prim
  std::vector<FrameMaterial> materials;
  std::vector<FrameLight> lights;
  std::vector<FrameLightSet> light_sets;

  // Indices of what varies, ascending.
  std::vector<uint32_t> moving_prims, blinking_prims, varying_geometry, varying_subsets,
      varying_materials, varying_lights;

  // For its memory: in the context of MakeFramePlan, which must then outlive it, or with the stage
  // that keeps it (FramePlans).
  Reservation reserved;

  size_t byte_size() const;
};

// Some of the rows or lights of a plan, by their indices.
template <typename Object>
std::vector<const FramePlace*> PlacesOf(const std::vector<Object>& objects,
                                        std::span<const uint32_t> indices) {
  std::vector<const FramePlace*> places;
  places.reserve(indices.size());
  for (const uint32_t index : indices) places.push_back(&objects[index]);
  return places;
}

// Finds what is to be drawn of a stage. A root is drawn even if it is below a point instancer or a
// model with a draw mode. Errors: those of the context.
absl::StatusOr<std::shared_ptr<FramePlan>> MakeFramePlan(RequestContext& context,
                                                         const Stage& stage,
                                                         const FrameSelection& selection);

// The attributes of a geometry that have a value at some time, in property order, and then the
// primvars of the selection, in OpenUSD's order. For gprims, the attributes of all their schemas
// except for those of transforms, visibility, purpose, collections and lights, and path
// expressions; for instancers, the primvars only; for stand-ins, those of GeomModelAPI. Incomplete
// once the request is over.
std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context,
                                              const FrameSelection& selection,
                                              const FrameGeometry& geometry);
// Those of them that have one of the names.
std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context,
                                              const FrameSelection& selection,
                                              const FrameGeometry& geometry,
                                              std::span<const Token> names);
// Those of a light: its inputs, and others of its schemas unless it is a gprim.
std::vector<FrameAttribute> FrameAttributesOf(RequestContext& context, const FrameLight& light);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_PLAN_H_
