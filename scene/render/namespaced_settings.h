#ifndef STAGEDOOR_SCENE_RENDER_NAMESPACED_SETTINGS_H_
#define STAGEDOOR_SCENE_RENDER_NAMESPACED_SETTINGS_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/values/value.h"

namespace stagedoor {

// A setting that the schemas of UsdRender do not know.
struct NamespacedSetting {
  Token name;   // of the property
  Value value;  // at default time, or paths: std::vector<Path>
};

// The settings of a prim, sorted by name:
//
// - the authored attributes whose name has a namespace, such as "ri:samples" or
// "outputs:ri:filter",
//   and that have a value. If `namespaces` is not empty, only those whose first namespace, not
//   counting "outputs:", is in it. The value of an output is the paths of the prims that produce
//   it, if there are any;
// - all authored relationships, with their targets.
//
// Incomplete once the request is over. Corresponds to UsdRenderComputeNamespacedSettings.
std::vector<NamespacedSetting> ComputeNamespacedSettings(
    RequestContext& context, const Prim& prim, const std::vector<std::string>& namespaces);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_RENDER_NAMESPACED_SETTINGS_H_
