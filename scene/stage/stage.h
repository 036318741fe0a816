// Stage: an immutable snapshot of a composed scene.
//
// Opened by composing a root layer (and session layer) and populating its prims in parallel.
// Readers never lock. Edits, load changes and reloads make a new snapshot.
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
#include "scene/value_resolution/time.h"

namespace stagedoor {

class ClipEnvironment;
class PrimDefinitionCache;
class SchemaRegistry;

// What stages are made with; everything outlives them.
struct StageEnvironment {
  LayerRegistry* layers = nullptr;
  const SchemaRegistry* schemas = nullptr;  // null: no schemas
  Executor* executor = nullptr;
  ClipEnvironment* clips = nullptr;  // null: value clips are ignored
  // Of one stage, those of prototypes included. A few lines of text can ask for 2^n prims.
  size_t max_prims = size_t{1} << 24;
  // Instance proxies that one walk of a request comes by (PrimVisits).
  size_t max_proxies = size_t{1} << 24;
  // Charged with what stages hold, layers left out; outlives them. Null: nobody counts.
  MemoryAccount* memory = nullptr;
  // Asked often while a stage is composed: not OK when stages hold more than they may. Null: they
  // may hold whatever they need.
  std::function<absl::Status(RequestContext&)> check_memory;
};

struct StageOptions {
  std::string root;     // asset path or identifier of the root layer
  std::string session;  // the same of a session layer; empty: none
  LoadRules load = LoadRules::All();
  PopulationMask mask;
  // Variant set and the variants to try, best first.
  std::vector<std::pair<std::string, std::vector<std::string>>> variant_fallbacks;
  std::vector<std::string> muted_layers;  // identifiers
  Interpolation interpolation = Interpolation::kLinear;
  bool share_subtrees = true;
  // Holds the paths of the load rules and the mask; null: they were made for the life of the
  // process.
  std::shared_ptr<PathScope> paths;
};

class Stage {
 public:
  // Errors: those of opening the root or session layer; RESOURCE_EXHAUSTED for more prims or memory
  // than the environment allows. Everything else is a composition error.
  static absl::StatusOr<std::shared_ptr<const Stage>> Open(RequestContext& context,
                                                           const StageEnvironment& environment,
                                                           StageOptions options);
  // With layers already made (tests, edited session layers); `session` may be null. `paths` becomes
  // the stage's; null: a new one, or what follows that of the snapshot before.
  static absl::StatusOr<std::shared_ptr<const Stage>> Open(
      RequestContext& context, const StageEnvironment& environment, StageOptions options,
      std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
      std::shared_ptr<PathScope> paths = nullptr);
  // The snapshot that follows `before` after a change of layers, load rules or mask: only what the
  // change can affect is composed again, the rest is shared with `before`. Equal to opening afresh.
  static absl::StatusOr<std::shared_ptr<const Stage>> Succeed(
      RequestContext& context, const std::shared_ptr<const Stage>& before, StageOptions options,
      std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
      std::shared_ptr<PathScope> paths = nullptr);
  ~Stage();

  const StageOptions& options() const { return options_; }
  // Holds the paths of the stage. What works on the stage and may make paths, or have some made and
  // kept with the stage, works for it (WorkScope).
  const std::shared_ptr<PathScope>& paths() const { return paths_; }
  const StageEnvironment& environment() const { return environment_; }
  const LayerStack& root_layer_stack() const { return *composer_->root_layer_stack(); }

  Prim PseudoRoot() const;
  // Invalid when there is none. Finds instance proxies, inactive and unloaded prims too.
  Prim FindPrim(Path path) const;
  // By path text, without interning; malformed paths address nothing.
  Prim FindPrim(std::string_view path) const;
  Property FindProperty(Path path) const;
  // The root layer's default prim if it exists.
  Prim DefaultPrim() const;
  // Depth first from `root` (itself included unless it is the pseudo-root).
  PrimRange Traverse(Prim root, PrimPredicate predicate) const;
  PrimRange Traverse(PrimPredicate predicate) const { return Traverse(PseudoRoot(), predicate); }

  double start_time_code() const;
  double end_time_code() const;
  double time_codes_per_second() const;
  double frames_per_second() const;
  Interpolation interpolation() const { return options_.interpolation; }
  // A field of the root layer under the session layer's; the fallback of a layer's field that
  // neither has. Fallbacks are not part of PseudoRoot()'s metadata.
  Value Metadata(Token field) const;

  // Layers that composition used, clips not among them.
  std::vector<std::shared_ptr<const Layer>> UsedLayers() const;
  // Calls visit(error) for the errors of all layer stacks and then of all populated prims, until it
  // returns false. They may be millions, so that nobody should copy them.
  void VisitErrors(const std::function<bool(const CompositionError&)>& visit) const;

  // The authored path evaluated and resolved for an opinion of a prim.
  AssetPath ResolveAssetPath(RequestContext& context, const std::string& authored,
                             const Layer& layer, const LayerStack& stack) const;

  // What instances share, in the order it was met, and the children of one of them as they would be
  // seen at `root`.
  std::vector<const Prototype*> Prototypes() const;
  std::vector<Prim> PrototypeChildren(const Prototype& prototype, Path root) const;

  // Populated prims, the descendants of instances counted once per prototype.
  size_t prim_count() const { return table_.size(); }

  // What libraries above keep about this snapshot.
  const DerivedData& derived() const { return derived_; }
  const SourceMemo& sources() const { return *sources_; }

  // What the prims and all that is kept about them are charged with: also for libraries above.
  // Prim indexes are charged one by one, because snapshots share them.
  MemoryCharge& memory() const { return memory_; }

 private:
  friend class Populator;
  friend class Prim;
  Stage(const StageEnvironment& environment, StageOptions options,
        std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths);
  // Calls visit(prim) for every populated prim, those of prototypes included, until it returns
  // false.
  void VisitPrims(const std::function<bool(const PrimData&)>& visit) const;
  // Those that composition used, each once; the root stack first.
  std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const;
  // The prim of these names below the pseudo-root, or below the root of the prototype `within`,
  // whose hash is given.
  Prim FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                 const Prototype* within, Path instance_path) const;
  const PrimDefinition* FindDefinition(RequestContext& context, Token type,
                                       const std::vector<Token>& applied) const;

  const std::shared_ptr<PathScope> paths_;  // first, so that it goes last
  const StageEnvironment environment_;
  const StageOptions options_;
  mutable MemoryCharge memory_;
  const std::unique_ptr<Composer> composer_;
  bool succeeds_another_ = false;  // some layer stacks are known to the indexes only
  std::shared_ptr<PrimDefinitionCache> definitions_;  // null: no schemas
  Value fallback_prim_types_;
  PrimData root_;
  std::vector<std::unique_ptr<Prototype>> prototypes_;
  PrimTable table_;
  std::unique_ptr<SourceMemo> sources_;
  DerivedData derived_;  // refers to all of the above
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_H_
