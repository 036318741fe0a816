#ifndef STAGEDOOR_SCENE_SHADE_BOUND_MATERIAL_BATCH_H_
#define STAGEDOOR_SCENE_SHADE_BOUND_MATERIAL_BATCH_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"
#include "scene/shade/material_binding.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The bindings of many prims of one stage, found on several threads. Corresponds to OpenUSD's
// UsdShadeMaterialBindingAPI::ComputeBoundMaterials. The results are those of one MaterialBindings.
// Valid as long as the stage. Not thread-safe.
class BoundMaterialBatch {
 public:
  // `executor` may be null. Incomplete once the request is over.
  BoundMaterialBatch(RequestContext& context, std::span<const Prim> prims,
                     std::span<const std::string_view> purposes, Executor* executor);

  // With P purposes, element p * P + q is the binding of prim p for purpose q; null if nothing
  // binds it or it is invalid.
  const std::vector<const MaterialBinding*>& found() const { return found_; }
  // The materials of these bindings: empty also if a binding has none.
  const std::vector<Path>& materials() const { return materials_; }
  // As MaterialBindings::broken.
  std::vector<BrokenBinding> Broken() const;

 private:
  RequestContext& context_;
  Reservation reserved_;
  std::vector<std::unique_ptr<MaterialBindings>> pieces_;  // of consecutive prims
  std::vector<const MaterialBinding*> found_;
  std::vector<Path> materials_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_BOUND_MATERIAL_BATCH_H_
