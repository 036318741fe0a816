#ifndef STAGEDOOR_SCENE_LUX_LIGHT_LIST_H_
#define STAGEDOOR_SCENE_LUX_LIGHT_LIST_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// The lights of a stage. Corresponds to OpenUSD's UsdLuxLightListAPI::ComputeLightList.

enum class LightListMode {
  kIgnoreCache,  // visit all prims
  // Visit the model hierarchy only, and where lightList:cacheBehavior says so, take the targets of
  // the relationship lightList: with "consumeAndHalt" instead of what is below.
  kConsultModelHierarchyCache,
};

bool IsLight(const Prim& prim);        // has a LightAPI: lights, mesh lights, volume lights
bool IsLightFilter(const Prim& prim);  // is a LightFilter

// The paths of the lights and light filters at and below `root`, instance proxies included, sorted,
// each once. A path of a cached list need not be that of a light, nor of any prim. Incomplete once
// the request is over.
std::vector<Path> ComputeLightList(RequestContext& context, const Prim& root, LightListMode mode);

// The identifier of the light's shader for the first of the render contexts that has one, else the
// one for all. Corresponds to UsdLuxLightAPI::GetShaderId and UsdLuxLightFilter::GetShaderId.
Token LightShaderId(RequestContext& context, const Prim& light,
                    const std::vector<std::string>& render_contexts);

// The forwarded targets of the light's relationship light:filters, and of a dome light's portals.
std::vector<Path> LightFilters(RequestContext& context, const Prim& light);
std::vector<Path> LightPortals(RequestContext& context, const Prim& light);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LUX_LIGHT_LIST_H_
