#ifndef STAGEDOOR_SCENE_COMPOSITION_SHARING_CONSTRAINTS_H_
#define STAGEDOOR_SCENE_COMPOSITION_SHARING_CONSTRAINTS_H_

#include <vector>

#include "scene/composition/arc_path.h"
#include "scene/composition/outer_context.h"
#include "scene/composition/prim_indexer.h"

namespace stagedoor {

// When a site may use a shared index. See the glossary of shared_index.h.
//
// The constraints under which a site may use a shared index.
struct SharingConstraints {
  bool unshareable = false;   // never: the index depends on load rules or selections of the site
  std::vector<Site> arcs;     // targets that must not form a cycle with the chain
  std::vector<Path> classes;  // global classes, which may have opinions in the chain's layer stacks
  // For each node of the chain its layer stack if that has opinions about the classes, else null,
  // as the index was composed; empty if it was composed without any such opinions.
  std::vector<const LayerStack*> opinions;

  bool Empty() const { return !unshareable && arcs.empty() && classes.empty(); }
  // Whether the arc path meets all constraints except those on opinions about classes.
  bool FixedConstraintsMetBy(const ArcPath& arc_path) const;
  // Whether the layer stacks of the arc path have the opinions that the index was composed with.
  bool OpinionsMetBy(const ArcPath& arc_path) const;
  // The value of `opinions` for the arc path.
  std::vector<const LayerStack*> OpinionsOf(const ArcPath& arc_path) const;
  // Whether only the root layer stack has opinions. Paths in opinions of other stacks would have to
  // be mapped by the arcs of each site, so a proxy cannot have them.
  static bool AreStageOnly(const std::vector<const LayerStack*>& opinions);
};

// The constraints on an index that was just composed in a tree with its root at `root_path`.
// `proxy` is the context of the proxy that it was composed for; null if there is none.
SharingConstraints SharingConstraintsOf(const PrimIndexOutputs& output, Path root_path,
                                        const OuterContext* proxy);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_SHARING_CONSTRAINTS_H_
