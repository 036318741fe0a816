#include "scene/frame/frame_materials.h"

#include "base/heap_costs.h"
#include "scene/frame/frame_id.h"

namespace stagedoor {

FrameMaterials::FrameMaterials(RequestContext& context, const Stage& stage,
                               const FrameSelection& selection, FrameIds* ids,
                               std::vector<FrameMaterial>* materials)
    : stage_(stage),
      purposes_(selection.material_purposes),
      ids_(*ids),
      materials_(*materials),
      reserved_(context),
      bindings_(context),
      has_collections_{false} {}

uint32_t FrameMaterials::At(uint32_t above, const Prim& prim, bool binds_collections) {
  const auto [it, is_new] =
      numbers_.try_emplace({above, &prim.data()}, static_cast<uint32_t>(has_collections_.size()));
  if (!is_new) return it->second;
  has_collections_.push_back(binds_collections || has_collections_[above]);
  reserved_.Grow(kNodeBytes + sizeof(*it), "material bindings").IgnoreError();
  return it->second;
}

FrameId FrameMaterials::Find(const Prim& prim, uint32_t bindings) {
  if (bindings == kNoBindings) return 0;
  if (!prim.IsInstanceProxy() || has_collections_[bindings]) return BoundTo(prim);
  const auto [it, is_new] = of_proxies_.try_emplace({bindings, &prim.data()}, FrameId{0});
  if (!is_new) return it->second;
  reserved_.Grow(kNodeBytes + sizeof(*it), "material bindings").IgnoreError();
  return it->second = BoundTo(prim);
}

FrameId FrameMaterials::BoundTo(const Prim& prim) {
  const MaterialBinding* binding = bindings_.FindInOrder(prim, purposes_);
  // As in OpenUSD, a binding to a missing material leaves the prim without one.
  return binding == nullptr || binding->material.empty() ? 0 : IdOf(binding->material);
}

FrameId FrameMaterials::IdOf(Path path) {
  const auto [known, is_new] = by_path_.try_emplace(path, FrameId{0});
  if (!is_new) return known->second;
  reserved_.Grow(2 * kNodeBytes, "materials").IgnoreError();
  const Prim material = stage_.FindPrim(path);
  if (!material.valid()) return 0;
  const auto [shared, is_first] = by_data_.try_emplace(&material.data(), FrameId{0});
  if (is_first) {
    shared->second = ids_.Make(FrameObject::kMaterial, HashOfPath(path.ToString()));
    reserved_.Grow(2 * sizeof(FrameMaterial), "materials").IgnoreError();
    materials_.push_back({.id = shared->second, .prim = material});
  }
  return known->second = shared->second;
}

}  // namespace stagedoor
