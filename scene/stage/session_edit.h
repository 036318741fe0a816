#ifndef STAGEDOOR_SCENE_STAGE_SESSION_EDIT_H_
#define STAGEDOOR_SCENE_STAGE_SESSION_EDIT_H_

#include <optional>
#include <set>
#include <vector>

#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/stage/stage_data.h"

namespace stagedoor {

// The opinions that the prims of a stage have after an edit of its session layer which only changes
// values and metadata. The next snapshot then shares all prims with the previous one, so that an
// edit costs what the edited prims cost, however many others the stage has. UsdStage does as little
// for such edits: PcpChanges finds no significant change.
class SessionEdit {
 public:
  // `after` is a composer for the same stage with another session layer; all else is unchanged.
  SessionEdit(RequestContext& context, const StageData& before, Composer& after)
      : context_(context), before_(before), after_(after) {}

  // Nothing if prims may have to be composed in another way, appear or disappear: then the stage
  // has to be recomposed. Unspecified once the request is over.
  std::optional<ReplacedOpinions> Run();

 private:
  // A prim of the stage, and its index in the new root layer stack.
  struct Composed {
    const PrimData* prim;
    PrimOpinions opinions;
  };

  // The layers with which the two root layer stacks begin, if these differ in nothing else.
  struct SessionLayers {
    const Layer* before = nullptr;
    const Layer* after = nullptr;
  };
  std::optional<SessionLayers> FindSessionLayers() const;
  // The edited prims, with those whose opinions are to be composed again so that old session layers
  // are released.
  std::optional<std::set<Path>> FindPrims() const;
  // Composes the prim at `path`, below the last prim of the stack and after popping those that are
  // not above it. False if its structure is not as before.
  bool Compose(Path path, std::vector<Composed>& stack);
  bool ComposeChild(Path path, std::vector<Composed>& stack);

  RequestContext& context_;
  const StageData& before_;
  Composer& after_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_SESSION_EDIT_H_
