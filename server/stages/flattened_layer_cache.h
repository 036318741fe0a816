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

namespace stagedoor {

// The flattened forms of one snapshot that somebody is reading: made once however many read them,
// charged to what stages may hold, and gone with the last reader. Kept by the snapshot
// (Stage::derived). Thread-safe.
class FlattenedLayerCache {
 public:
  static FlattenedLayerCache& For(const Stage& stage);

  using Pointer = std::shared_ptr<const Layer>;
  // The whole stage, or its root layer stack only. `check_room` is asked once the layer is there:
  // its failure is returned. Other errors are the context's.
  absl::StatusOr<Pointer> Get(RequestContext& context, const Stage& stage, bool layer_stack_only,
                              const std::function<absl::Status(RequestContext&)>& check_room);

 private:
  absl::StatusOr<Pointer> Make(RequestContext& context, const Stage& stage, bool layer_stack_only,
                               const std::function<absl::Status(RequestContext&)>& check_room);
  Pointer Find(bool layer_stack_only) const;

  SingleFlight<bool, Pointer> flights_;  // by layer_stack_only
  mutable Mutex mu_;
  std::weak_ptr<const Layer> layers_[2] ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_FLATTENED_LAYER_CACHE_H_
