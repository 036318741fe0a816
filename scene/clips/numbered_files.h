#ifndef STAGEDOOR_SCENE_CLIPS_NUMBERED_FILES_H_
#define STAGEDOOR_SCENE_CLIPS_NUMBERED_FILES_H_

#include <span>
#include <string>

#include "base/request_context.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {

// Tells which files of a numbered series exist, those of a clip template (12.3.4.1.3) or the tiles
// of a UDIM texture: those that resolve, as asset paths that are written in the layer `anchor`. For
// one request; everything passed in must outlive it.
class NumberedFiles {
 public:
  NumberedFiles(RequestContext& context, const ResolverContext& resolver_context,
                const LayerRegistry& registry, const Layer& anchor)
      : context_(context),
        resolver_context_(resolver_context),
        registry_(registry),
        anchor_(anchor) {}

  bool Exists(const std::string& name) const;
  // Says that these files will be looked up. If they are on another machine, it is asked about all
  // of them at once, and not for their content.
  void Announce(std::span<const std::string> names) const;

 private:
  RequestContext& context_;
  const ResolverContext& resolver_context_;
  const LayerRegistry& registry_;
  const Layer& anchor_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_NUMBERED_FILES_H_
