#ifndef STAGEDOOR_SERVER_STAGES_SESSION_EDITS_H_
#define STAGEDOOR_SERVER_STAGES_SESSION_EDITS_H_

#include <memory>
#include <string>

#include "scene/layer/layer.h"
#include "scene/paths/path_scope.h"

namespace stagedoor::server {

// The Layer::Info of a session layer that was not opened from an asset.
inline Layer::Info SessionLayerInfo() {
  return {.identifier = "anon:session.usda", .format = "usda", .anonymous = true};
}

// The result of a session's edits to its session layer (EditStage). Empty if there are none.
struct SessionEdits {
  // The edited layer, which is used instead of the session layer that the stage was opened with.
  // Anonymous, but with the identifier of that layer; charged with its memory. Null if there are no
  // edits.
  std::shared_ptr<const Layer> layer;
  // Names the history of the edits: equal for equal edits of equal snapshots, on every daemon.
  std::string fingerprint;
  // Holds the paths in the layer, for the layers that follow it.
  std::shared_ptr<PathScope> paths;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_SESSION_EDITS_H_
