#ifndef STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRIES_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRIES_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/frame/frame_id.h"
#include "scene/frame/frame_plan.h"
#include "scene/frame/prim_traits.h"
#include "scene/paths/path.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Makes the geometry of prims. Instance proxies of a prim have one in common if they inherit the
// same primvars and are deformed alike, unless it has paths, which differ below each instance:
// those of instancers, volumes and primvars whose values are paths. Not thread-safe.
class FrameGeometries {
 public:
  // `ids` and `geometry` must outlive it.
  FrameGeometries(RequestContext& context, FrameIds* ids, std::vector<FrameGeometry>* geometry)
      : ids_(*ids), geometry_(*geometry), reserved_(context) {}

  // A prim, at one of its places.
  struct Place {
    Prim prim;
    uint64_t path_hash = 0;
    uint32_t primvars = 0;  // see FrameStates::PrimvarsAt
    bool is_stand_in = false;
    std::shared_ptr<const SkinningTarget> skin;  // that deforms it; null if there is none
    uint32_t skin_number = 0;                    // see FrameSkins::NumberOf
  };
  // The index of its geometry.
  uint32_t Find(const Place& place, const PrimTraits& traits);

  // Whether the prims of a geometry may inherit primvars.
  bool Inherits(uint32_t geometry) const { return inherits_[geometry]; }
  size_t size() const { return geometry_.size(); }

 private:
  struct Key {
    const PrimData* data = nullptr;
    Path instance_path;  // empty if other instances may share it
    uint32_t primvars = 0;
    uint32_t skin = 0;
    bool is_stand_in = false;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };

  FrameIds& ids_;
  std::vector<FrameGeometry>& geometry_;
  Reservation reserved_;
  std::vector<bool> inherits_;
  std::unordered_map<Key, uint32_t, KeyHash> known_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_GEOMETRIES_H_
