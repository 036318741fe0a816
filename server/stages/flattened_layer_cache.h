#ifndef STAGEDOOR_SERVER_STAGES_FLATTENED_LAYER_CACHE_H_
#define STAGEDOOR_SERVER_STAGES_FLATTENED_LAYER_CACHE_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/single_flight.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage.h"

namespace stagedoor::server {

// The flattened layers of one snapshot that are being read. Each is made once for all its readers,
// charged to the budget of stages, and released with its last reader. The snapshot owns the cache
// (Stage::derived). Thread-safe.
class FlattenedLayerCache {
 public:
  static FlattenedLayerCache& For(const Stage& stage);

  using Pointer = std::shared_ptr<const Layer>;
  // The flattened stage, or only its flattened root layer stack. `check_room` is called once the
  // layer is made and charged; its error is returned. Other errors come from the context.
  absl::StatusOr<Pointer> Get(RequestContext& context, const Stage& stage, bool layer_stack_only,
                              const std::function<absl::Status(RequestContext&)>& check_room);

 private:
  absl::StatusOr<Pointer> Make(RequestContext& context, const Stage& stage, bool layer_stack_only,
                               const std::function<absl::Status(RequestContext&)>& check_room);
  Pointer Find(bool layer_stack_only) const;

  SingleFlight<bool, Pointer> flights_;  // keyed by layer_stack_only
  mutable Mutex mu_;
  std::weak_ptr<const Layer> layers_[2] ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_FLATTENED_LAYER_CACHE_H_
