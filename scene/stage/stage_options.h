#ifndef STAGEDOOR_SCENE_STAGE_STAGE_OPTIONS_H_
#define STAGEDOOR_SCENE_STAGE_STAGE_OPTIONS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "resolver/resolver_context.h"
#include "scene/layer/kept_layers.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/load_rules.h"
#include "scene/stage/population_mask.h"
#include "scene/value_resolution/time_code.h"

namespace stagedoor {

// The layers that a stage is opened on, and how it is composed and populated.
struct StageOptions {
  std::string root;     // asset path or identifier of the root layer
  std::string session;  // the same for the session layer; empty if there is none
  LoadRules load = LoadRules::All();
  PopulationMask mask;
  // Per variant set, the variants to select if no opinion does, most preferred first.
  std::vector<std::pair<std::string, std::vector<std::string>>> variant_fallbacks;
  std::vector<std::string> muted_layers;  // identifiers
  // How asset paths resolve, everywhere in the stage.
  ResolverContext resolver_context;
  // Used instead of the current versions of their assets, for Recompose. May be null.
  std::shared_ptr<const KeptLayers> kept_layers;
  Interpolation interpolation = Interpolation::kLinear;
  bool share_subtrees = true;
  // Owns the paths of the load rules and the mask. May be null if these paths live as long as the
  // process.
  std::shared_ptr<PathScope> paths;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STAGE_OPTIONS_H_
