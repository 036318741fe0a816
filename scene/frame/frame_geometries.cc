#include "scene/frame/frame_geometries.h"

#include <utility>

#include "base/hash.h"
#include "base/heap_costs.h"
#include "scene/frame/inherited_primvars.h"

namespace stagedoor {

size_t FrameGeometries::KeyHash::operator()(const Key& key) const {
  uint64_t hash = HashCombine(key.instance_path.hash(), key.data);
  hash = HashCombine(hash, uint64_t{key.primvars} << 32 | key.skin);
  return HashCombine(hash, uint64_t{key.is_stand_in}) >> 16;
}

uint32_t FrameGeometries::Find(const Place& place, const PrimTraits& traits) {
  const bool is_instancer = traits.type.is_instancer && !place.is_stand_in;
  const bool is_volume = traits.type.is_volume && !place.is_stand_in;
  const bool has_paths = is_instancer || is_volume || traits.names_paths;
  const bool is_own = has_paths || (place.skin && place.skin_number == 0);
  const Key key{.data = &place.prim.data(),
                .instance_path = is_own ? place.prim.instance_path() : Path(),
                .primvars = place.primvars,
                .skin = place.skin_number,
                .is_stand_in = place.is_stand_in};
  const auto [it, is_new] = known_.try_emplace(key, static_cast<uint32_t>(geometry_.size()));
  if (!is_new) return it->second;
  reserved_.Grow(kNodeBytes + sizeof(*it), "geometry").IgnoreError();  // which ends the request
  geometry_.push_back({.id = ids_.Make(FrameObject::kGeometry, place.path_hash),
                       .prim = place.prim,
                       .skin = place.skin,
                       .is_instancer = is_instancer,
                       .is_volume = is_volume,
                       .is_stand_in = place.is_stand_in});
  inherits_.push_back(place.primvars != InheritedPrimvars::kNone);
  return it->second;
}

}  // namespace stagedoor
