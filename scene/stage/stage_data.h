#ifndef STAGEDOOR_SCENE_STAGE_STAGE_DATA_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_DATA_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/composition/composer.h"
#include "scene/composition/composition_error.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/attribute_source_table.h"
#include "scene/stage/population.h"
#include "scene/stage/prim_data.h"
#include "scene/stage/prim_table.h"
#include "scene/stage/stage_environment.h"
#include "scene/stage/stage_options.h"

namespace stagedoor {

class Stage;

// Where a prim is found: its data and, for an instance proxy, the prototype that holds it and the
// path of the innermost instance above it.
struct PrimLocation {
  const PrimData* data = nullptr;  // null if nothing was found
  const Prototype* within = nullptr;
  Path instance_path;

  // In the namespace of the stage.
  Path path() const {
    if (instance_path.empty()) return data->path;
    return data->path.ReplacePrefix(within->source_path, instance_path);
  }
};

// The opinions of prims that have changed since their population was made.
using ReplacedOpinions = std::unordered_map<const PrimData*, PrimOpinions>;

// The composed state of a stage snapshot. Internal to scene/stage; Stage is the public class, and
// Prim the handle to its prims. Holds what UsdStage keeps in its private members.
//
// The prims are filled in by the Populator; then it is immutable and thread-safe.
struct StageData {
  // Not populated yet. Shares the prim definitions of `before`, which may be null.
  StageData(const StageEnvironment& environment, StageOptions options,
            std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths,
            const StageData* before);
  // With the prims of another snapshot, some of which have other opinions.
  StageData(const StageData& before, StageOptions options, std::unique_ptr<Composer> composer,
            std::shared_ptr<PathScope> paths, ReplacedOpinions replaced);
  ~StageData();

  const LayerStack& root_layer_stack() const { return *composer->root_layer_stack(); }

  // Finds any populated prim, including instance proxies and inactive and unloaded prims.
  PrimLocation Find(Path path) const;
  // As Find(Path), for the text of an absolute path, which is not interned. Finds nothing at a
  // malformed path.
  PrimLocation Find(std::string_view path) const;

  // `prim` belongs to the stage.
  const PrimOpinions& OpinionsOf(const PrimData& prim) const {
    if (replaced.empty()) return prim.opinions;
    const auto it = replaced.find(&prim);
    return it == replaced.end() ? prim.opinions : it->second;
  }

  // The layer stacks that contribute to composition, without duplicates; the root layer stack
  // first.
  std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const;
  // All layers of these.
  std::vector<std::shared_ptr<const Layer>> UsedLayers() const;
  // Calls visit(error) for the errors of all layer stacks and then of all populated prims, until it
  // returns false.
  void VisitErrors(const std::function<bool(const CompositionError&)>& visit) const;

  // The identifier of an asset path authored in `layer`, in the stage's resolver context.
  std::string Identify(RequestContext& context, std::string_view asset_path,
                       const Layer& layer) const;
  // Evaluates and resolves an asset path authored in `layer`, with the expression variables of
  // `stack`.
  AssetPath ResolveAssetPath(RequestContext& context, const std::string& authored,
                             const Layer& layer, const LayerStack& stack) const;
  // The clip sets that affect a prim with this index; `inherited` are those of its parent.
  std::shared_ptr<const ClipSources> ComposeClips(
      RequestContext& context, const PrimIndexRef& index,
      const std::shared_ptr<const ClipSources>& inherited) const;
  const PrimDefinition* FindDefinition(RequestContext& context, Token type,
                                       const std::vector<Token>& applied) const;

  const Stage* stage = nullptr;  // the public object; null while the data is filled in

  const std::shared_ptr<PathScope> paths;  // above what has paths, so that it is destroyed last
  const StageEnvironment environment;
  const StageOptions options;
  mutable Reservation memory;
  const std::unique_ptr<Composer> composer;
  const std::shared_ptr<Population> population;  // changes only while the Populator fills it
  const ReplacedOpinions replaced;
  std::unique_ptr<AttributeSourceTable> sources;

 private:
  // Finds the prim with the path of these names below the pseudo-root, or below the root of the
  // prototype `within`. `hash` is the hash of that root.
  PrimLocation FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                         const Prototype* within, Path instance_path) const;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_DATA_H_
