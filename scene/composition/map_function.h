// MapFunction: translates paths (and times) of one namespace into another, as an arc states it.
//
// A set of (source, target) path pairs of which the most specific prefix applies, and a time
// offset. A path without a matching pair, or whose image would be claimed by another pair, has no
// image. An empty target blocks its source. Immutable, pointer-sized and cheap to copy,
// thread-safe.
#ifndef STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
#define STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_

#include <cstddef>
#include <cstdint>
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
  MapFunction(const MapFunction& other) : rep_(other.rep_) { Retain(); }
  MapFunction(MapFunction&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  MapFunction& operator=(MapFunction other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~MapFunction() { Release(); }
  static const MapFunction& Identity();
  // Redundant pairs are dropped. A pair ("/", "/") makes paths outside of the others map to
  // themselves.
  static MapFunction Make(std::vector<Pair> pairs, LayerOffset offset);

  bool IsNull() const { return pairs().empty(); }
  bool IsIdentity() const { return IsIdentityMapping() && offset().IsIdentity(); }
  // Of paths; times may be offset.
  bool IsIdentityMapping() const { return pairs().size() == 1 && HasRootIdentity(); }
  bool HasRootIdentity() const;
  const LayerOffset& offset() const;
  // Sorted by depth of the source, ("/", "/") first.
  std::span<const Pair> pairs() const;

  // Empty when the path has no image. Variant selections in `path` must have been stripped. Target
  // paths inside are mapped too.
  Path MapSourceToTarget(Path path) const { return Map(path, false); }
  Path MapTargetToSource(Path path) const { return Map(path, true); }

  // Composed(g)(x) == (*this)(g(x)).
  MapFunction Compose(const MapFunction& inner) const;
  MapFunction ComposeOffset(const LayerOffset& offset) const;
  // The same paths with another offset.
  MapFunction WithOffset(const LayerOffset& offset) const;
  MapFunction Inverse() const;
  // With the pair ("/", "/"), or without it.
  MapFunction WithRootIdentity() const;
  MapFunction WithoutRootIdentity() const;

  // "/A -> /B, / -> / (offset 1, scale 2)"
  std::string ToString() const;

  size_t hash() const;
  // Of the shared representation.
  size_t byte_size() const;
  friend bool operator==(const MapFunction& a, const MapFunction& b);

  // Whether it was made the one that all its equals are replaced by.
  bool is_shared() const;
  void set_shared() const;

 private:
  struct Rep;  // counts its references; the pairs follow it

  MapFunction(std::span<const Pair> pairs, LayerOffset offset);
  void Retain() const;
  void Release();
  std::span<const Pair> ProperPairs() const;  // without ("/", "/")
  Path Map(Path path, bool invert) const;
  Path MapPrim(Path path, bool invert) const;

  const Rep* rep_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
