#ifndef STAGEDOOR_SCENE_STAGE_STACK_CHANGES_H_
#define STAGEDOOR_SCENE_STAGE_STACK_CHANGES_H_

#include <map>
#include <set>
#include <unordered_map>

#include "base/request_context.h"
#include "scene/composition/layer_stack.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"

namespace stagedoor {

// The differences in the opinions of a stack about one object.
struct OpinionChange {
  // The object may be composed in another way, with all below it: not only values have changed.
  bool resync = false;
  std::set<Token> fields;
};

// The differences in the opinions about a prim and its properties.
struct SiteChange {
  OpinionChange prim;
  std::map<Token, OpinionChange> properties;
};

// The differences between two versions of a layer stack, by site. For StageChanges.
struct StackChanges {
  // Compares two versions of a stack. Sites are found in the layers that differ; layers that are
  // the same object cost nothing. If the request ends, the result is meaningless.
  static StackChanges Compare(RequestContext& context, const LayerStack& before,
                              const LayerStack& after);
  // For a stack that the other stage does not have.
  static StackChanges Everything() { return {.everything = true}; }

  bool any() const {
    return everything || !sites.empty() || !layer_fields.empty() || !default_prims.empty();
  }

  // Every prim with opinions of the stack may be composed in another way.
  bool everything = false;
  // By the path of the site, with variant selections.
  std::unordered_map<Path, SiteChange> sites;
  // The metadata that differs in any of the layers.
  std::set<Token> layer_fields;
  // The default prims of both versions, if they differ: arcs without a prim path lead there.
  std::set<Path> default_prims;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_STACK_CHANGES_H_
