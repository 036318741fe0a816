#ifndef STAGEDOOR_SCENE_GEOM_BBOX_CACHE_H_
#define STAGEDOOR_SCENE_GEOM_BBOX_CACHE_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/geom/bbox3d.h"
#include "scene/geom/imageable.h"
#include "scene/geom/prim_map.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/prim.h"
#include "scene/values/matrix.h"

namespace stagedoor {

// Computes the extent of boundable types unknown to scene/geom, such as skeletons; empty if it does
// not know the type either.
using ComputeExtentFunction =
    std::function<std::optional<Range3d>(RequestContext& context, const Prim& prim, TimeCode time)>;

struct BBoxCacheOptions {
  std::vector<Token> purposes;    // included purposes: default, render, proxy, guide
  bool use_extents_hint = false;  // use a model's extentsHint instead of its descendants
  bool ignore_visibility = false;
  ComputeExtentFunction other_extents;
  Executor* executor = nullptr;  // may be null, in which case one thread does all work
};

// Bounds of prims and their descendants at one time. Corresponds to OpenUSD's UsdGeomBBoxCache.
//
// Bounds are cached per prim and purpose in the prim's own space, and combined in the space of the
// nearest component or subcomponent, as OpenUSD does, so that results agree. The contents of shared
// prototypes are computed once. Used by one thread at a time, although it may use an executor;
// valid as long as the stage snapshot. Cached bounds are reserved in the contexts of the queries.
// Results are incomplete once the request is over.
class BBoxCache {
 public:
  BBoxCache(TimeCode time, BBoxCacheOptions options) : BBoxCache(time, std::move(options), 0) {}

  // Bound in world space. Empty for an invalid prim, here and below.
  BBox3d WorldBound(RequestContext& context, const Prim& prim);
  // Bound in the space of the prim's parent, and in the prim's own space.
  BBox3d LocalBound(RequestContext& context, const Prim& prim);
  BBox3d UntransformedBound(RequestContext& context, const Prim& prim);
  // Bound of the descendants of one purpose, in the prim's own space.
  BBox3d UntransformedBoundOf(RequestContext& context, const Prim& prim, Token purpose);

  // The matrix from the space of `prim` to that of `relative_to`, usually an ancestor, which moves
  // the untransformed bound there.
  Matrix4d RelativeTransform(RequestContext& context, const Prim& prim, const Prim& relative_to);
  XformCache& xforms() { return xforms_; }
  TimeCode time() const { return time_; }
  const BBoxCacheOptions& options() const { return options_; }
  // Bytes reserved so far. A caller that destroys the cache before the context may release them.
  size_t reserved_bytes() const {
    MutexLock lock(*mu_);
    return reserved_ + (nested_ ? nested_->reserved_bytes() : 0);
  }

 private:
  using PurposeBounds = std::vector<std::pair<Token, BBox3d>>;
  // How a traversal reached a prim: in the stage, or in the space of the prototype that holds it.
  struct Place {
    bool in_prototype = false;
    Matrix4d world;              // from the prim's space to that of the stage or prototype
    Matrix4d inverse_component;  // from there to the space of the nearest component above
    PurposeInfo parent_purpose;
    int depth = 0;
  };
  // The bounds of a prim in a prototype depend on the purpose that it inherits.
  struct PrototypeKey {
    const PrimData* data;
    Token inherited;
    friend auto operator<=>(const PrototypeKey& a, const PrototypeKey& b) {
      return a.data != b.data ? a.data <=> b.data : a.inherited.hash() <=> b.inherited.hash();
    }
    friend bool operator==(const PrototypeKey&, const PrototypeKey&) = default;
  };
  // Accumulates the bounds of children into those of a prim.
  struct Accumulator {
    PurposeBounds* bounds;
    Matrix4d to_component;
    bool in_component_space = false;
  };
  friend std::optional<Range3d> PointInstancerExtent(RequestContext& context, const Prim& prim,
                                                     BBoxCache& cache, bool in_prototype);

  BBoxCache(TimeCode time, BBoxCacheOptions options, int nesting)
      : time_(time), options_(std::move(options)), nesting_(nesting), xforms_(time) {}

  // A child to include, and its place.
  struct Child {
    Prim prim;
    Place place;
    Matrix4d to_component;
  };

  // As UntransformedBound, for a prim below `instance`, without the instance's own transform and
  // purpose.
  BBox3d UntransformedBoundBelow(RequestContext& context, const Prim& prim, const Prim& instance);
  Place PlaceBelow(RequestContext& context, const Prim& prim, const Prim& instance) const;
  const PurposeBounds& Resolve(RequestContext& context, const Prim& prim);
  const PurposeBounds& ResolveAt(RequestContext& context, const Prim& prim, const Place& place);
  PurposeBounds Compute(RequestContext& context, const Prim& prim, const Place& place);
  void AddChildren(RequestContext& context, const Prim& prim, const Place& place,
                   const PurposeInfo& purpose, PurposeBounds* bounds);
  // Filters `below`, which are children of `prim`, and computes their places.
  std::vector<Child> ChildrenOf(RequestContext& context, const Prim& prim,
                                std::span<const Prim> below, const Place& place,
                                const PurposeInfo& purpose, const Matrix4d& to_component);
  // The bounds of a point instancer's prototypes, from a nested cache that all instancers share.
  std::vector<BBox3d> BoundPrototypes(RequestContext& context, const Prim& instancer,
                                      std::span<const Path> prototypes, bool in_prototype);
  void AddChild(const PurposeBounds& child_bounds, const Matrix4d& child_to_component,
                Accumulator* accumulator);
  bool IncludesChild(RequestContext& context, const Prim& child) const;
  BBox3d Combined(const PurposeBounds& bounds) const;
  bool FromExtentsHint(RequestContext& context, const Prim& prim, PurposeBounds* bounds) const;

  TimeCode time_;
  BBoxCacheOptions options_;
  int nesting_;  // nesting depth of point instancers
  XformCache xforms_;
  // Guards the members below. Addresses in bounds_ are stable.
  std::unique_ptr<Mutex> mu_ = std::make_unique<Mutex>();
  std::deque<PurposeBounds> bounds_;
  PrimMap<const PurposeBounds*> in_stage_;
  std::map<PrototypeKey, const PurposeBounds*> in_prototypes_;
  size_t reserved_ = 0;
  std::unique_ptr<BBoxCache> nested_;  // for prototypes of point instancers; created on first use
  // Held while nested_ is in use, since that takes one thread at a time. Locked before mu_ and
  // before the mutexes of nested_.
  std::unique_ptr<Mutex> asking_nested_ = std::make_unique<Mutex>();
};

// The extent of a boundable prim in its own space: the authored one, else computed from its type
// (UsdGeomBoundable::ComputeExtentFromPlugins). Empty for other prims and if there is nothing to
// compute it from. `cache` supplies the time and the bounds of a point instancer's prototypes.
// `in_prototype` is true if the prim is visited as part of the prototype of an instance above it.
std::optional<Range3d> ComputeExtent(RequestContext& context, const Prim& prim, BBoxCache& cache,
                                     bool in_prototype);
std::optional<Range3d> PointInstancerExtent(RequestContext& context, const Prim& prim,
                                            BBoxCache& cache, bool in_prototype);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BBOX_CACHE_H_
