#include "scene/frame/frame_lights.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/frame/frame_skins.h"
#include "scene/lux/light_list.h"
#include "scene/skel/skinning_query.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// The paths of the lights below the roots that are not excluded.
class LightPaths {
 public:
  LightPaths(RequestContext& context, const FrameSelection& selection)
      : pacer_(context), reserved_(context) {
    for (const Prim& prim : selection.excluded) excluded_.insert(prim.path());
    for (const Prim& root : selection.roots) {
      for (const Path path : ComputeLightList(context, root, LightListMode::kIgnoreCache)) {
        if (!pacer_.Go()) return;
        if (!IsExcluded(path) && paths_.insert(path).second) {
          reserved_.Grow(kNodeBytes, "lights").IgnoreError();  // which ends the request
        }
      }
    }
  }

  const std::set<Path>& all() const { return paths_; }

 private:
  bool IsExcluded(Path path) {
    if (excluded_.empty()) return false;
    for (Path at = path; !at.empty() && pacer_.Go(); at = at.Parent()) {
      if (excluded_.count(at) != 0) return true;
    }
    return false;
  }

  Pacer pacer_;
  Reservation reserved_;
  std::unordered_set<Path> excluded_;
  std::set<Path> paths_;
};

// The ids of the lights with these paths.
std::vector<FrameId> IdsOfLights(const std::unordered_map<Path, FrameId>& ids,
                                 const std::vector<Path>& paths) {
  std::vector<FrameId> found;
  for (const Path path : paths) {
    const auto id = ids.find(path);
    if (id != ids.end()) found.push_back(id->second);
  }
  return found;
}

std::vector<Prim> PrimsThatLight(const std::vector<FrameLight>& lights) {
  std::vector<Prim> prims;
  for (const FrameLight& light : lights) {
    if (!light.is_filter) prims.push_back(light.prim);
  }
  return prims;
}

absl::Status LinkLights(RequestContext& context, const std::unordered_map<Path, FrameId>& ids,
                        std::vector<FrameLight>* lights) {
  Pacer pacer(context);
  for (FrameLight& light : *lights) {
    light.filters = IdsOfLights(ids, LightFilters(context, light.prim));
    light.portals = IdsOfLights(ids, LightPortals(context, light.prim));
    SD_RETURN_IF_ERROR(
        pacer.Step(static_cast<int64_t>(1 + light.filters.size() + light.portals.size())));
  }
  return context.Check();
}

absl::Status AddSkin(RequestContext& context, const FrameSkins& skins, const SkinScope& scope,
                     FrameLight* light, FramePlan* plan) {
  const std::optional<SkinningTarget> skin = skins.Find(scope, light->prim);
  if (!skin || !skin->skinned->is_rigidly_deformed()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(plan->reserved.Grow(sizeof(SkinningTarget), "lights"));
  return AddRigidSkin(context, *skin, light, &plan->rigid_skins);
}

}  // namespace

absl::Status FindFrameLights(RequestContext& context, const FrameSelection& selection,
                             PrimTraitsTable& traits, FrameStates& states,
                             FrameMaterials& materials, FrameIds& ids, FramePlan* plan) {
  std::vector<FrameLight>& lights = plan->lights;
  const LightPaths paths(context, selection);
  SD_RETURN_IF_ERROR(context.Check());
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(
      reserved.Grow(paths.all().size() * (sizeof(FrameLight) + kNodeBytes), "lights"));
  std::unordered_map<Path, FrameId> ids_by_path;
  Prim parent;
  FrameState above;
  const Stage& stage = selection.roots.front().stage();
  for (const Path path : paths.all()) {
    const Prim prim = stage.FindPrim(path);
    if (!prim.valid()) continue;
    if (lights.empty() || !(prim.parent() == parent)) {
      parent = prim.parent();
      SD_ASSIGN_OR_RETURN(above, states.At(parent));
    }
    const PrimTraits& own = traits.Of(prim);
    const bool is_gprim = own.type.is_gprim;
    SD_ASSIGN_OR_RETURN(const FrameState state, states.Enter(above, prim, own));
    FrameLight& light = lights.emplace_back();
    light.id = ids.Make(FrameObject::kLight, state.path_hash);
    light.prim = prim;
    light.is_filter = IsLightFilter(prim);
    light.is_gprim = is_gprim;
    light.moves = state.moves;
    light.visible = !state.is_hidden;
    light.blinks = state.blinks && light.visible;
    if (is_gprim) light.material = materials.Find(prim, state.bindings);
    if (!selection.without_skinning && own.type.is_skinnable) {
      SD_RETURN_IF_ERROR(AddSkin(context, states.skins(), above.skins, &light, plan));
    }
    ids_by_path.emplace(path, light.id);
  }
  return LinkLights(context, ids_by_path, &lights);
}

FrameLightSets::FrameLightSets(RequestContext& context, const std::vector<FrameLight>& lights,
                               FrameIds* ids, std::vector<FrameLightSet>* sets)
    : ids_(*ids),
      sets_(*sets),
      reserved_(context),
      light_links_{LightSets(context, PrimsThatLight(lights), Token("lightLink")), {}},
      shadow_links_{LightSets(context, PrimsThatLight(lights), Token("shadowLink")), {}} {
  for (const FrameLight& light : lights) {
    if (!light.is_filter) lights_.push_back(light.id);
  }
  FrameLightSet all{.id = kAllLights, .lights = lights_};
  std::sort(all.lights.begin(), all.lights.end());
  sets_.push_back(std::move(all));
}

FrameId FrameLightSets::Find(Links& links, const Prim& prim) {
  if (lights_.empty()) return kAllLights;
  const uint32_t number = links.sets.Find(prim);
  const auto& sets = links.sets.sets();
  while (links.ids.size() < sets.size()) links.ids.push_back(IdOf(sets[links.ids.size()]));
  return number < links.ids.size() ? links.ids[number] : kAllLights;
}

FrameId FrameLightSets::IdOf(const std::vector<uint32_t>& indices) {
  if (indices.size() == lights_.size()) return kAllLights;
  std::vector<FrameId> lights;
  for (const uint32_t index : indices) lights.push_back(lights_[index]);
  std::sort(lights.begin(), lights.end());
  const auto [it, is_new] = known_.try_emplace(lights, FrameId{0});
  if (!is_new) return it->second;
  const size_t bytes = kNodeBytes + sizeof(FrameLightSet) + 2 * lights.size() * sizeof(FrameId);
  reserved_.Grow(bytes, "light sets").IgnoreError();  // which ends the request
  uint64_t hash = kRootHash;
  for (const FrameId light : lights) hash = ExtendHash(hash, light);
  it->second = ids_.Make(FrameObject::kLightSet, hash);
  sets_.push_back({.id = it->second, .lights = std::move(lights)});
  return it->second;
}

}  // namespace stagedoor
