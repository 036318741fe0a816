// BoundsCache: bounds of prims with all that is below them, at one time (UsdGeomBBoxCache).
//
// Bounds are kept a prim and purpose in the prim's own space and combined as OpenUSD combines them,
// in the space of the nearest component, so results agree with its. What instances share is
// computed once. To be asked by one thread at a time, though it may use an executor; valid as long
// as the stage snapshot. What it keeps is reserved in the contexts it is asked with. Incomplete
// once a context is done.
#ifndef STAGEDOOR_SCENE_GEOM_BOUNDS_CACHE_H_
#define STAGEDOOR_SCENE_GEOM_BOUNDS_CACHE_H_

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
#include "scene/geom/bbox.h"
#include "scene/geom/imageable.h"
#include "scene/geom/prim_map.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/prim.h"

namespace stagedoor {

// Extents of boundable types that scene/geom does not know (skeletons): none where it does not know
// them either.
using ExtentFunction =
    std::function<std::optional<Range3d>(RequestContext& context, const Prim& prim, Time time)>;

struct BoundsOptions {
  std::vector<Token> purposes;    // those that count: default, render, proxy, guide
  bool use_extents_hint = false;  // of models instead of visiting what is below them
  bool ignore_visibility = false;
  ExtentFunction other_extents;
  Executor* executor = nullptr;  // null: the calling thread alone
};

class BoundsCache {
 public:
  BoundsCache(Time time, BoundsOptions options) : BoundsCache(time, std::move(options), 0) {}

  BBox3d WorldBound(RequestContext& context, const Prim& prim);
  // In the space of the prim's parent, and in its own.
  BBox3d LocalBound(RequestContext& context, const Prim& prim);
  BBox3d UntransformedBound(RequestContext& context, const Prim& prim);

  Time time() const { return time_; }
  const BoundsOptions& options() const { return options_; }
  // Reserved so far; whoever drops the cache before the context may release it.
  size_t reserved_bytes() const {
    MutexLock lock(*mu_);
    return reserved_ + (nested_ ? nested_->reserved_bytes() : 0);
  }

 private:
  using PurposeBounds = std::vector<std::pair<Token, BBox3d>>;
  // Where a prim is met: in the stage, or in the space of the prototype that holds it.
  struct Place {
    bool in_prototype = false;
    Matrix4d world;              // of the prim, in the stage or prototype
    Matrix4d inverse_component;  // of the nearest component above it
    PurposeInfo parent_purpose;
    int depth = 0;
  };
  struct PrototypeKey {
    const PrimData* data;
    Token inherited;
    friend auto operator<=>(const PrototypeKey& a, const PrototypeKey& b) {
      return a.data != b.data ? a.data <=> b.data : a.inherited.hash() <=> b.inherited.hash();
    }
    friend bool operator==(const PrototypeKey&, const PrototypeKey&) = default;
  };
  // Accumulates what children add to a prim's bounds.
  struct Accumulator {
    PurposeBounds* bounds;
    Matrix4d to_component;
    bool in_component_space = false;
  };
  friend std::optional<Range3d> PointInstancerExtent(RequestContext& context, const Prim& prim,
                                                     BoundsCache& cache, bool in_prototype);

  BoundsCache(Time time, BoundsOptions options, int nesting)
      : time_(time), options_(std::move(options)), nesting_(nesting), xforms_(time) {}

  // A child that counts, and where it is.
  struct Child {
    Prim prim;
    Place place;
    Matrix4d to_component;
  };

  // As UntransformedBound, in the space of the prototype of `instance`, which is above the prim.
  BBox3d UntransformedBoundBelow(RequestContext& context, const Prim& prim, const Prim& instance);
  Place PlaceBelow(RequestContext& context, const Prim& prim, const Prim& instance) const;
  const PurposeBounds& Resolve(RequestContext& context, const Prim& prim);
  const PurposeBounds& ResolveAt(RequestContext& context, const Prim& prim, const Place& place);
  PurposeBounds Compute(RequestContext& context, const Prim& prim, const Place& place);
  void AddChildren(RequestContext& context, const Prim& prim, const Place& place,
                   const PurposeInfo& purpose, PurposeBounds* bounds);
  // Of some prims below `prim`, those that count.
  std::vector<Child> ChildrenOf(RequestContext& context, const Prim& prim,
                                std::span<const Prim> below, const Place& place,
                                const PurposeInfo& purpose, const Matrix4d& to_component);
  // The bounds of a point instancer's prototypes, which all instancers here share.
  std::vector<BBox3d> BoundPrototypes(RequestContext& context, const Prim& instancer,
                                      std::span<const Path> prototypes, bool in_prototype);
  void AddChild(const PurposeBounds& child_bounds, const Matrix4d& child_to_component,
                Accumulator* accumulator);
  bool IncludesChild(RequestContext& context, const Prim& child) const;
  BBox3d Combined(const PurposeBounds& bounds) const;
  bool FromExtentsHint(RequestContext& context, const Prim& prim, PurposeBounds* bounds) const;

  Time time_;
  BoundsOptions options_;
  int nesting_;  // of point instancers
  XformCache xforms_;
  // Guards what follows; bounds stay where they are.
  std::unique_ptr<Mutex> mu_ = std::make_unique<Mutex>();
  std::deque<PurposeBounds> bounds_;
  PrimMap<const PurposeBounds*> in_stage_;
  std::map<PrototypeKey, const PurposeBounds*> in_prototypes_;
  size_t reserved_ = 0;
  std::unique_ptr<BoundsCache> nested_;  // of prototypes; made when first asked for
  // Held while nested_ is asked, by one thread at a time. Taken before mu_, and before that of
  // nested_.
  std::unique_ptr<Mutex> asking_nested_ = std::make_unique<Mutex>();
};

// The extent of a boundable prim in its own space: authored, else computed from its type. None for
// other prims and where there is nothing to compute it from; `cache` gives the time and bounds the
// prototypes of point instancers. `in_prototype`: the prim is met as part of the prototype of an
// instance above it.
std::optional<Range3d> ComputeExtent(RequestContext& context, const Prim& prim, BoundsCache& cache,
                                     bool in_prototype);
std::optional<Range3d> PointInstancerExtent(RequestContext& context, const Prim& prim,
                                            BoundsCache& cache, bool in_prototype);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_BOUNDS_CACHE_H_
