#ifndef STAGEDOOR_SCENE_STAGE_STAGE_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/composition/composition_error.h"
#include "scene/layer/layer_registry.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/attribute_query_table.h"
#include "scene/stage/derived_data.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/property.h"
#include "scene/stage/stage_data.h"
#include "scene/stage/stage_environment.h"
#include "scene/stage/stage_options.h"

namespace stagedoor {

// An immutable snapshot of a composed scene (Core Specification 11, "Stage Population").
// Corresponds to OpenUSD's UsdStage, but never changes: edits, changes of load rules and reloads
// create a new snapshot.
//
// Opened by composing a root layer and optional session layer and populating the prims in parallel.
// Thread-safe; readers do not lock. Handles (Prim, Property …) are valid as long as the stage.
class Stage {
 public:
  // Reads the pin files of the resolver context. Errors: those of opening them or the root or
  // session layer; RESOURCE_EXHAUSTED if the stage exceeds the
  // environment's limits of prims or memory; those of the context. Other problems are composition
  // errors, which do not fail the call (VisitErrors).
  static absl::StatusOr<std::shared_ptr<const Stage>> Open(RequestContext& context,
                                                           const StageEnvironment& environment,
                                                           StageOptions options);
  // Opens a stage on layers that exist already (tests, edited session layers); `session` may be
  // null. The pin files of the resolver context must have been read. `paths` becomes the stage's
  // path scope; if it is null, a new one is created.
  static absl::StatusOr<std::shared_ptr<const Stage>> Open(
      RequestContext& context, const StageEnvironment& environment, StageOptions options,
      std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
      std::shared_ptr<PathScope> paths = nullptr);
  // Derives the snapshot that follows `before` after a change of layers, load rules or mask. Only
  // the prims that the change can affect are composed again; other prim indexes are shared with
  // `before`. The result equals that of Open. If `paths` is null, a scope that follows that of
  // `before` is created. UsdStage recomposes in place instead, from PcpChanges.
  static absl::StatusOr<std::shared_ptr<const Stage>> Recompose(
      RequestContext& context, const std::shared_ptr<const Stage>& before, StageOptions options,
      std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
      std::shared_ptr<PathScope> paths = nullptr);
  // Derives the snapshot that follows `before` after an edit of its session layer; `session`
  // may be null. All other layers stay as they are, even if their
  // assets have changed. An edit that only changes values and metadata costs no more on a large
  // stage than on a small one (SessionEdit). Otherwise as Recompose.
  static absl::StatusOr<std::shared_ptr<const Stage>> EditSession(
      RequestContext& context, const std::shared_ptr<const Stage>& before,
      std::shared_ptr<const Layer> session, std::shared_ptr<PathScope> paths = nullptr);
  ~Stage();

  const StageOptions& options() const { return data_->options; }
  // Owns the paths of the stage. Code that may create paths for the stage, or for data kept with
  // it, must run with it as the owner of its RequestScope.
  const std::shared_ptr<PathScope>& paths() const { return data_->paths; }
  const StageEnvironment& environment() const { return data_->environment; }
  const LayerStack& root_layer_stack() const { return data_->root_layer_stack(); }

  Prim PseudoRoot() const;
  // Finds any populated prim, including instance proxies and inactive and unloaded prims. Invalid
  // if there is none.
  Prim FindPrim(Path path) const;
  // As FindPrim(Path), for the text of an absolute path, which is not interned. Invalid for a
  // malformed path.
  Prim FindPrim(std::string_view path) const;
  Property FindProperty(Path path) const;
  // The prim that the root layer's defaultPrim names; invalid if there is none.
  Prim DefaultPrim() const;
  // Depth first from `root`, which is included unless it is the pseudo-root.
  PrimRange Traverse(Prim root, PrimFlagsPredicate predicate) const;
  PrimRange Traverse(PrimFlagsPredicate predicate) const {
    return Traverse(PseudoRoot(), predicate);
  }

  double start_time_code() const;
  double end_time_code() const;
  double time_codes_per_second() const;
  double frames_per_second() const;
  Interpolation interpolation() const { return data_->options.interpolation; }
  // Layer metadata (Core Specification 12.2.7): the session layer's opinion over the root layer's,
  // else the fallback of the field. PseudoRoot().Metadata() has no fallbacks.
  Value Metadata(Token field) const;

  // All layers that contribute to composition, without clip layers.
  std::vector<std::shared_ptr<const Layer>> UsedLayers() const { return data_->UsedLayers(); }
  // Calls visit(error) for the errors of all layer stacks and then of all populated prims, until it
  // returns false. There may be millions, so callers should not copy them all.
  void VisitErrors(const std::function<bool(const CompositionError&)>& visit) const {
    data_->VisitErrors(visit);
  }

  // The prototypes of all instances in the order of their creation, and the children of one
  // prototype as if its root had the path `root`.
  std::vector<const Prototype*> Prototypes() const;
  std::vector<Prim> PrototypeChildren(const Prototype& prototype, Path root) const;

  // Number of populated prims; the descendants of instances count once per prototype.
  size_t prim_count() const { return data_->population->table.size(); }

  // The queries of attributes that clients found by the text of their paths.
  AttributeQueryTable& queries() const { return queries_; }
  // Data that libraries above scene/stage keep about this snapshot.
  const DerivedData& derived() const { return derived_; }

  // The charge for the prims and all data kept about them, also that of libraries above. Prim
  // indexes have charges of their own, because snapshots share them.
  Reservation& memory() const { return data_->memory; }

  // Internal to scene/stage.
  const StageData& data() const { return *data_; }

 private:
  explicit Stage(std::unique_ptr<StageData> data);

  const std::unique_ptr<StageData> data_;
  mutable AttributeQueryTable queries_;  // refers to data_
  DerivedData derived_;                  // refers to all of the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_H_
