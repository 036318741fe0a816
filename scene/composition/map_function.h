// MapFunction: translates paths (and times) of one namespace into another, as an arc states it.
//
// A set of (source, target) path pairs of which the most specific prefix applies, and a time
// offset. A path without a matching pair, or whose image would be claimed by another pair, has no
// image. An empty target blocks its source. Immutable, cheap to copy, thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
#define STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_

#include <memory>
#include <span>
#include <string>
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
  // Redundant pairs are dropped. A pair ("/", "/") makes paths outside of the others map to
  // themselves.
  static MapFunction Make(std::vector<Pair> pairs, LayerOffset offset);

  bool IsNull() const { return !pairs_ || pairs_->empty(); }
  bool IsIdentity() const { return IsIdentityMapping() && offset_.IsIdentity(); }
  // Of paths; times may be offset.
  bool IsIdentityMapping() const { return pairs_ && pairs_->size() == 1 && HasRootIdentity(); }
  bool HasRootIdentity() const;
  const LayerOffset& offset() const { return offset_; }
  // Sorted by depth of the source, ("/", "/") first.
  const std::vector<Pair>& pairs() const;

  // Empty when the path has no image. Variant selections in `path` must have been stripped. Target
  // paths inside are mapped too.
  Path MapSourceToTarget(Path path) const { return Map(path, false); }
  Path MapTargetToSource(Path path) const { return Map(path, true); }

  // Composed(g)(x) == (*this)(g(x)).
  MapFunction Compose(const MapFunction& inner) const;
  MapFunction ComposeOffset(const LayerOffset& offset) const;
  MapFunction Inverse() const;
  // With the pair ("/", "/"), or without it.
  MapFunction WithRootIdentity() const;
  MapFunction WithoutRootIdentity() const;

  // "/A -> /B, / -> / (offset 1, scale 2)"
  std::string ToString() const;

  friend bool operator==(const MapFunction& a, const MapFunction& b);

 private:
  MapFunction(std::vector<Pair> pairs, LayerOffset offset);
  std::span<const Pair> ProperPairs() const;  // without ("/", "/")
  Path Map(Path path, bool invert) const;
  Path MapPrim(Path path, bool invert) const;

  std::shared_ptr<const std::vector<Pair>> pairs_;
  LayerOffset offset_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
