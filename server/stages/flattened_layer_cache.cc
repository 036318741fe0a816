#include "server/stages/flattened_layer_cache.h"

#include <utility>

#include "base/status_macros.h"
#include "scene/export/flatten.h"
#include "scene/export/flatten_layer_stack.h"
#include "server/stages/charged_layer.h"

namespace stagedoor::server {
FlattenedLayerCache& FlattenedLayerCache::For(const Stage& stage) {
  return stage.derived().Get<FlattenedLayerCache>();
}

FlattenedLayerCache::Pointer FlattenedLayerCache::Find(bool layer_stack_only) const {
  MutexLock lock(mu_);
  return layers_[layer_stack_only].lock();
}

absl::StatusOr<FlattenedLayerCache::Pointer> FlattenedLayerCache::Get(
    RequestContext& context, const Stage& stage, bool layer_stack_only,
    const std::function<absl::Status(RequestContext&)>& check_room) {
  if (Pointer known = Find(layer_stack_only)) return known;
  return flights_.Do(context, layer_stack_only, [&]() -> absl::StatusOr<Pointer> {
    // Another flight may have finished between the look-up above and the start of this one.
    if (Pointer known = Find(layer_stack_only)) return known;
    return Make(context, stage, layer_stack_only, check_room);
  });
}

absl::StatusOr<FlattenedLayerCache::Pointer> FlattenedLayerCache::Make(
    RequestContext& context, const Stage& stage, bool layer_stack_only,
    const std::function<absl::Status(RequestContext&)>& check_room) {
  Layer::Info info{.identifier = "anon:flattened", .format = "usda", .anonymous = true};
  Pointer layer;
  size_t bytes = 0;
  if (layer_stack_only) {
    SD_ASSIGN_OR_RETURN(layer, FlattenLayerStack(context, stage, std::move(info)));
    bytes = layer->byte_size();
  } else {
    SD_ASSIGN_OR_RETURN(layer, FlattenStage(context, stage, std::move(info), &bytes));
  }
  if (context.failed()) return context.Check();
  Pointer shared = ChargeLayer(stage.memory().pool(), std::move(layer), bytes);
  SD_RETURN_IF_ERROR(check_room(context));
  MutexLock lock(mu_);
  layers_[layer_stack_only] = shared;
  return shared;
}

}  // namespace stagedoor::server
