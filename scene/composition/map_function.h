// MapFunction: translates paths (and times) of one namespace into another, as an arc states it.
//
// A set of (source, target) path pairs of which the most specific prefix applies, and a time offset. A path
// without a matching pair, or whose image would be claimed by another pair, has no image. Immutable, cheap
// to copy.
#ifndef STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
#define STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_

#include <memory>
#include <utility>
#include <vector>

#include "scene/paths/path.h"
#include "scene/values/scalar_types.h"

namespace stagedoor {

class MapFunction {
 public:
  using Pair = std::pair<Path, Path>;  // source, target

  // Maps nothing.
  MapFunction() = default;
  static const MapFunction& Identity();
  // Redundant pairs are dropped. A pair ("/", "/") makes paths outside of the others map to themselves.
  static MapFunction Make(std::vector<Pair> pairs, LayerOffset offset);

  bool IsNull() const { return !pairs_; }
  bool IsIdentity() const;
  bool HasRootIdentity() const;
  const LayerOffset& offset() const { return offset_; }
  const std::vector<Pair>& pairs() const;

  // Empty when the path has no image. Variant selections in `path` must have been stripped. Target paths
  // inside are mapped too.
  Path MapSourceToTarget(Path path) const;
  Path MapTargetToSource(Path path) const;

  // Composed(g)(x) == (*this)(g(x)).
  MapFunction Compose(const MapFunction& inner) const;
  MapFunction ComposeOffset(const LayerOffset& offset) const;
  MapFunction Inverse() const;

  friend bool operator==(const MapFunction& a, const MapFunction& b);

 private:
  std::shared_ptr<const std::vector<Pair>> pairs_;
  LayerOffset offset_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
