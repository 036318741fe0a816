#ifndef STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
#define STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scene/paths/path.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// Maps the paths and times of an arc's source namespace to its target namespace (Core
// Specification, 10.5 Namespace Mappings).
//
// A set of (source, target) path pairs, of which the one with the longest matching prefix applies,
// and a time offset. Because a mapping is a bijection, a path has no image if no pair matches it,
// or if another pair would map the image back. An empty target blocks its source.
//
// Corresponds to OpenUSD's PcpMapFunction; there are no lazy expressions (PcpMapExpression), since
// mappings of a composer never change. Immutable, thread-safe, pointer-sized and cheap to copy.
class MapFunction {
 public:
  using Pair = std::pair<Path, Path>;  // source, target

  // The null function, which maps nothing.
  MapFunction() = default;
  MapFunction(const MapFunction& other) : rep_(other.rep_) { Retain(); }
  MapFunction(MapFunction&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  MapFunction& operator=(MapFunction other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~MapFunction() { Release(); }
  static const MapFunction& Identity();
  // Corresponds to PcpMapFunction::Create. Redundant pairs are dropped. The pair ("/", "/"), the
  // root identity, maps paths that no other pair matches to themselves.
  static MapFunction Make(std::vector<Pair> pairs, LayerOffset offset);

  bool IsNull() const { return pairs().empty(); }
  bool IsIdentity() const { return IsIdentityMapping() && offset().IsIdentity(); }
  // Whether paths map to themselves; times may still be offset.
  bool IsIdentityMapping() const { return pairs().size() == 1 && HasRootIdentity(); }
  bool HasRootIdentity() const;
  const LayerOffset& offset() const;
  // Sorted by the depth of the source, the root identity first.
  std::span<const Pair> pairs() const;

  // The image of a path, or the empty path if there is none. `path` must not contain variant
  // selections, which are storage and not namespace. Target paths within the path are mapped too.
  Path MapSourceToTarget(Path path) const { return Map(path, false); }
  Path MapTargetToSource(Path path) const { return Map(path, true); }

  // The function that applies `inner` first: f.Compose(g)(x) == f(g(x)).
  MapFunction Compose(const MapFunction& inner) const;
  // The mapping of a class arc that is implied where `transfer` leads from the authored one.
  // Corresponds to PcpMapFunction::ImpliedClass. Has the root identity unless `transfer` is the
  // identity.
  static MapFunction ImpliedClass(const MapFunction& transfer, const MapFunction& class_arc);
  // This mapping of paths with another offset.
  MapFunction WithOffset(const LayerOffset& offset) const;
  MapFunction Inverse() const;
  // The function with or without the root identity. Corresponds to PcpMapExpression's
  // AddRootIdentity.
  MapFunction WithRootIdentity() const;
  MapFunction WithoutRootIdentity() const;

  // For dumps and tests: "/ -> /, /A -> /B (offset 1, scale 2)".
  std::string ToString() const;

  size_t hash() const;
  // The heap memory of the representation, which copies share.
  size_t byte_size() const;
  friend bool operator==(const MapFunction& a, const MapFunction& b);

  // Whether SharedParts keeps this representation as the one for all equal functions.
  bool is_shared() const;
  void set_shared() const;
  // Whether this is the only copy.
  bool is_unique() const;

 private:
  struct Rep;  // reference-counted; the pairs follow it in memory

  MapFunction(std::span<const Pair> pairs, LayerOffset offset);
  void Retain() const;
  void Release();
  std::span<const Pair> ProperPairs() const;  // without the root identity
  Path Map(Path path, bool invert) const;
  Path MapPrim(Path path, bool invert) const;

  const Rep* rep_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_MAP_FUNCTION_H_
