// Stage: an immutable snapshot of a composed scene (Core Specification 11, "Stage Population").
// Corresponds to OpenUSD's UsdStage, but never changes: edits, changes of load rules and reloads
// create a new snapshot.
//
// Opened by composing a root layer and optional session layer and populating the prims in parallel.
// Thread-safe; readers do not lock. Handles (Prim, Property …) are valid as long as the stage.
#ifndef STAGEDOOR_SCENE_STAGE_STAGE_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/memory_account.h"
#include "base/request_context.h"
#include "scene/composition/composer.h"
#include "scene/composition/composition_error.h"
#include "scene/layer/layer_registry.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/derived_data.h"
#include "scene/stage/load_rules.h"
#include "scene/stage/population_mask.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/prim_table.h"
#include "scene/stage/property.h"
#include "scene/stage/source_memo.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

class ClipEnvironment;
class PrimDefinitionCache;
class SchemaRegistry;

// The services and limits of all stages of a process. Everything pointed to must outlive the
// stages.
struct StageEnvironment {
  LayerRegistry* layers = nullptr;
  const SchemaRegistry* schemas = nullptr;  // may be null, in which case prims have no schemas
  Executor* executor = nullptr;             // may be null, in which case one thread does all work
  ClipEnvironment* clips = nullptr;         // may be null, in which case value clips are ignored
  // Limit for the prims of one stage, including those of prototypes. A few lines of text can define
  // 2^n prims.
  size_t max_prims = size_t{1} << 24;
  // Limit for the instance proxies that one traversal may visit (TraversalBudget).
  size_t max_proxies = size_t{1} << 24;
  // Charged with the memory of stages, without their layers. May be null, in which case memory is
  // not counted.
  MemoryAccount* memory = nullptr;
  // Called often while a stage is composed; returns an error if stages exceed their memory limit.
  // May be null, in which case there is no limit.
  std::function<absl::Status(RequestContext&)> check_memory;
};

struct StageOptions {
  std::string root;     // asset path or identifier of the root layer
  std::string session;  // the same for the session layer; empty if there is none
  LoadRules load = LoadRules::All();
  PopulationMask mask;
  // Per variant set, the variants to select if no opinion does, most preferred first.
  std::vector<std::pair<std::string, std::vector<std::string>>> variant_fallbacks;
  std::vector<std::string> muted_layers;  // identifiers
  Interpolation interpolation = Interpolation::kLinear;
  bool share_subtrees = true;
  // Owns the paths of the load rules and the mask. May be null if these paths live as long as the
  // process.
  std::shared_ptr<PathScope> paths;
};

class Stage {
 public:
  // Errors: those of opening the root or session layer; RESOURCE_EXHAUSTED if the stage exceeds the
  // environment's limits of prims or memory; those of the context. Other problems are composition
  // errors, which do not fail the call (VisitErrors).
  static absl::StatusOr<std::shared_ptr<const Stage>> Open(RequestContext& context,
                                                           const StageEnvironment& environment,
                                                           StageOptions options);
  // Opens a stage on layers that exist already (tests, edited session layers); `session` may be
  // null. `paths` becomes the stage's path scope; if it is null, a new one is created.
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
  ~Stage();

  const StageOptions& options() const { return options_; }
  // Owns the paths of the stage. Code that may create paths for the stage, or for data kept with
  // it, must run within this scope (WorkScope).
  const std::shared_ptr<PathScope>& paths() const { return paths_; }
  const StageEnvironment& environment() const { return environment_; }
  const LayerStack& root_layer_stack() const { return *composer_->root_layer_stack(); }

  Prim PseudoRoot() const;
  // Finds any populated prim, including instance proxies and inactive and unloaded prims. Invalid
  // if there is none.
  Prim FindPrim(Path path) const;
  // The same by the text of an absolute path, without interning it. Invalid for a malformed path.
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
  Interpolation interpolation() const { return options_.interpolation; }
  // Layer metadata (Core Specification 12.2.7): the session layer's opinion over the root layer's,
  // else the fallback of the field. PseudoRoot().Metadata() has no fallbacks.
  Value Metadata(Token field) const;

  // All layers that contribute to composition, without clip layers.
  std::vector<std::shared_ptr<const Layer>> UsedLayers() const;
  // Calls visit(error) for the errors of all layer stacks and then of all populated prims, until it
  // returns false. There may be millions, so callers should not copy them all.
  void VisitErrors(const std::function<bool(const CompositionError&)>& visit) const;

  // Evaluates and resolves an asset path authored in `layer`, with the expression variables of
  // `stack`.
  AssetPath ResolveAssetPath(RequestContext& context, const std::string& authored,
                             const Layer& layer, const LayerStack& stack) const;

  // The prototypes of all instances in the order of their creation, and the children of one
  // prototype as if its root had the path `root`.
  std::vector<const Prototype*> Prototypes() const;
  std::vector<Prim> PrototypeChildren(const Prototype& prototype, Path root) const;

  // Number of populated prims; the descendants of instances count once per prototype.
  size_t prim_count() const { return table_.size(); }

  // Data that libraries above scene/stage keep about this snapshot.
  const DerivedData& derived() const { return derived_; }
  const SourceMemo& sources() const { return *sources_; }

  // The charge for the prims and all data kept about them, also that of libraries above. Prim
  // indexes have charges of their own, because snapshots share them.
  MemoryCharge& memory() const { return memory_; }

 private:
  friend class Populator;
  friend class Prim;
  Stage(const StageEnvironment& environment, StageOptions options,
        std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths);
  // Calls visit(prim) for every populated prim, including those of prototypes, until it returns
  // false.
  void VisitPrims(const std::function<bool(const PrimData&)>& visit) const;
  // The layer stacks that contribute to composition, without duplicates; the root layer stack
  // first.
  std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const;
  // Finds the prim with the path of these names below the pseudo-root, or below the root of the
  // prototype `within`. `hash` is the hash of that root.
  Prim FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                 const Prototype* within, Path instance_path) const;
  const PrimDefinition* FindDefinition(RequestContext& context, Token type,
                                       const std::vector<Token>& applied) const;

  const std::shared_ptr<PathScope> paths_;  // first, so that it is destroyed last
  const StageEnvironment environment_;
  const StageOptions options_;
  mutable MemoryCharge memory_;
  const std::unique_ptr<Composer> composer_;
  bool recomposed_ = false;  // reused indexes refer to layer stacks unknown to composer_
  std::shared_ptr<PrimDefinitionCache> definitions_;  // null without schemas
  Value fallback_prim_types_;
  PrimData root_;
  std::vector<std::unique_ptr<Prototype>> prototypes_;
  PrimTable table_;
  std::unique_ptr<SourceMemo> sources_;
  DerivedData derived_;  // refers to all of the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_H_
