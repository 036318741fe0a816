#include "scene/geom/bbox_cache.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/prim_flags.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// Bounds are computed recursively; deeper prims are left out to protect the stack.
constexpr int kMaxDepth = 4000;

constexpr PrimFlagsPredicate BoundedPrims() {
  return PrimFlagsPredicate::All()
      .With(kPrimActive, true)
      .With(kPrimDefined, true)
      .With(kPrimAbstract, false);
}

// UsdGeomBBoxCache accumulates bounds in the space of such prims: their parts usually move
// together, so boxes in that space are tight.
bool IsComponentOrSubcomponent(const Prim& prim) {
  if (prim.IsComponent()) return true;
  const Token kind = prim.kind();
  return kind == Geom().component || kind == Geom().subcomponent;
}

BBox3d* BoundOf(Token purpose, std::vector<std::pair<Token, BBox3d>>* bounds) {
  for (auto& [token, box] : *bounds) {
    if (token == purpose) return &box;
  }
  bounds->emplace_back(purpose, BBox3d());
  return &bounds->back().second;
}

}  // namespace

BBox3d BBoxCache::UntransformedBound(RequestContext& context, const Prim& prim) {
  return prim.valid() ? Combined(Resolve(context, prim)) : BBox3d();
}

BBox3d BBoxCache::UntransformedBoundBelow(RequestContext& context, const Prim& prim,
                                          const Prim& instance) {
  return Combined(ResolveAt(context, prim, PlaceBelow(context, prim, instance)));
}

BBoxCache::Place BBoxCache::PlaceBelow(RequestContext& context, const Prim& prim,
                                       const Prim& instance) const {
  std::vector<Prim> line;  // the prim and its ancestors below the instance
  for (Prim at = prim; !(at == instance); at = at.parent()) line.push_back(at);
  XformTable& table = XformTable::Of(prim.stage());
  const auto world_of = [&](size_t i, TimeCode time) {
    Matrix4d world = Matrix4d::Identity();
    for (bool resets = false; i < line.size() && !resets; ++i) {
      world = world * LocalTransform(context, table, line[i], time, &resets);
    }
    return world;
  };
  const auto component = std::find_if(line.begin(), line.end(), IsComponentOrSubcomponent);
  const size_t at = static_cast<size_t>(component - line.begin());
  Place place;
  place.in_prototype = true;
  place.world = world_of(0, time_);
  place.inverse_component = Inverse(world_of(at, TimeCode::Default()));
  place.parent_purpose = {Geom().default_, false};
  for (size_t i = line.size(); i > 1; --i) {
    place.parent_purpose = ComputePurposeInfo(context, line[i - 1], place.parent_purpose);
  }
  return place;
}

BBox3d BBoxCache::WorldBound(RequestContext& context, const Prim& prim) {
  BBox3d box = UntransformedBound(context, prim);
  if (prim.valid()) box.Transform(xforms_.LocalToWorld(context, prim));
  return box;
}

BBox3d BBoxCache::LocalBound(RequestContext& context, const Prim& prim) {
  BBox3d box = UntransformedBound(context, prim);
  if (prim.valid()) box.Transform(xforms_.Local(context, prim));
  return box;
}

BBox3d BBoxCache::UntransformedBoundOf(RequestContext& context, const Prim& prim, Token purpose) {
  if (!prim.valid()) return BBox3d();
  for (const auto& [token, box] : Resolve(context, prim)) {
    if (token == purpose) return box;
  }
  return BBox3d();
}

Matrix4d BBoxCache::RelativeTransform(RequestContext& context, const Prim& prim,
                                      const Prim& relative_to) {
  return xforms_.LocalToWorld(context, prim) * Inverse(xforms_.LocalToWorld(context, relative_to));
}

BBox3d BBoxCache::Combined(const PurposeBounds& bounds) const {
  BBox3d combined;
  for (const Token purpose : options_.purposes) {
    for (const auto& [token, box] : bounds) {
      if (token == purpose && !box.empty()) combined = BBox3d::Combine(combined, box);
    }
  }
  return combined;
}

const BBoxCache::PurposeBounds& BBoxCache::Resolve(RequestContext& context, const Prim& prim) {
  {
    MutexLock lock(*mu_);
    if (const auto* known = in_stage_.Find(prim)) return **known;
  }
  Prim component = prim;
  while (!component.IsPseudoRoot() && !IsComponentOrSubcomponent(component)) {
    component = component.parent();
  }
  Place place;
  place.world = xforms_.LocalToWorld(context, prim);
  // OpenUSD takes the transform of a component above the queried prim at default time. Components
  // found further down are taken at the cache's time (ChildrenOf).
  XformCache at_default(TimeCode::Default());
  place.inverse_component = Inverse(at_default.LocalToWorld(context, component));
  const Prim parent = prim.parent();
  if (parent.valid()) place.parent_purpose = ComputePurposeInfo(context, parent);
  return ResolveAt(context, prim, place);
}

const BBoxCache::PurposeBounds& BBoxCache::ResolveAt(RequestContext& context, const Prim& prim,
                                                     const Place& place) {
  const PurposeInfo& above = place.parent_purpose;
  const PrototypeKey key{&prim.data(), above.inheritable ? above.purpose : Token()};
  const auto known = [&]() -> const PurposeBounds* {
    if (!place.in_prototype) {
      const auto* found = in_stage_.Find(prim);
      return found ? *found : nullptr;
    }
    const auto found = in_prototypes_.find(key);
    return found != in_prototypes_.end() ? found->second : nullptr;
  };
  {
    MutexLock lock(*mu_);
    if (const PurposeBounds* bounds = known()) return *bounds;
  }
  PurposeBounds computed = Compute(context, prim, place);
  constexpr size_t kEntryBytes = 128;  // overhead of the containers
  const size_t bytes = kEntryBytes + computed.size() * sizeof(computed[0]);
  const bool room = context.Reserve(bytes, "bounds").ok();
  MutexLock lock(*mu_);
  if (room) reserved_ += bytes;
  // Another thread of the executor may have been faster.
  if (const PurposeBounds* bounds = known()) return *bounds;
  const PurposeBounds& kept = bounds_.emplace_back(std::move(computed));
  if (place.in_prototype) {
    in_prototypes_.emplace(key, &kept);
  } else {
    in_stage_.Add(prim, &kept);
  }
  return kept;
}

bool BBoxCache::FromExtentsHint(RequestContext& context, const Prim& prim,
                                PurposeBounds* bounds) const {
  if (!options_.use_extents_hint || !prim.IsModel() || prim.IsPseudoRoot()) return false;
  const auto hint = AttributeValueAs<Array<Vec3f>>(context, prim, Geom().extentsHint, time_);
  if (!hint) return false;
  // The hint has one pair of corners per purpose, in this order; missing pairs mean empty bounds.
  const Token purposes[] = {Geom().default_, Geom().render, Geom().proxy, Geom().guide};
  for (size_t i = 0; i < 4 && 2 * i + 1 < hint->size(); ++i) {
    bounds->emplace_back(purposes[i], BBox3d{Range3d{VecCast<double>((*hint)[2 * i]),
                                                     VecCast<double>((*hint)[2 * i + 1])}});
  }
  return true;
}

BBoxCache::PurposeBounds BBoxCache::Compute(RequestContext& context, const Prim& prim,
                                            const Place& place) {
  PurposeBounds bounds;
  if (place.depth > kMaxDepth || !context.Spend(1).ok()) return bounds;
  if (FromExtentsHint(context, prim, &bounds)) return bounds;
  const PurposeInfo purpose = ComputePurposeInfo(context, prim, place.parent_purpose);
  const std::optional<Range3d> extent = ComputeExtent(context, prim, *this, place.in_prototype);
  if (extent) {
    bounds.emplace_back(purpose.purpose, BBox3d{*extent});
    return bounds;
  }
  // As in OpenUSD, a boundable prim stands for its descendants, even if it has no extent itself.
  if (!prim.IsA(Geom().Boundable)) AddChildren(context, prim, place, purpose, &bounds);
  return bounds;
}

bool BBoxCache::IncludesChild(RequestContext& context, const Prim& child) const {
  // Prims without a known type are included, because they may have imageable descendants.
  if (!child.IsA(Geom().Typed)) return true;
  if (!child.IsA(Geom().Imageable)) return false;
  return options_.ignore_visibility || IsLocallyVisible(context, child, time_);
}

std::vector<BBoxCache::Child> BBoxCache::ChildrenOf(RequestContext& context, const Prim& prim,
                                                    std::span<const Prim> below, const Place& place,
                                                    const PurposeInfo& purpose,
                                                    const Matrix4d& to_component) {
  const Matrix4d inverse_component =
      IsComponentOrSubcomponent(prim) ? Inverse(place.world) : place.inverse_component;
  const bool into_prototype = prim.IsInstance();
  XformTable& table = XformTable::Of(prim.stage());
  std::vector<Child> children;
  children.reserve(below.size());
  for (const Prim& child : below) {
    if (!options_.ignore_visibility && !IncludesChild(context, child)) continue;
    bool resets = false;
    const Matrix4d local = LocalTransform(context, table, child, time_, &resets);
    Place at;
    at.depth = place.depth + 1;
    at.parent_purpose = purpose;
    at.in_prototype = into_prototype || place.in_prototype;
    // Below an instance, transforms start anew, so that all instances share the results.
    if (into_prototype) {
      at.world = local;
      at.inverse_component = Matrix4d::Identity();
    } else {
      at.world = resets ? local : local * place.world;
      at.inverse_component = inverse_component;
    }
    const Matrix4d child_to_component =
        into_prototype ? local * to_component : at.world * inverse_component;
    children.push_back({child, at, child_to_component});
  }
  return children;
}

void BBoxCache::AddChildren(RequestContext& context, const Prim& prim, const Place& place,
                            const PurposeInfo& purpose, PurposeBounds* bounds) {
  constexpr int kParallelDepth = 6;
  constexpr size_t kAtOnce = 1024;  // bounds memory, as each Child takes half a kilobyte
  const Matrix4d inverse_component =
      IsComponentOrSubcomponent(prim) ? Inverse(place.world) : place.inverse_component;
  Accumulator sum{bounds, place.world * inverse_component};
  PrimFlagsPredicate predicate = BoundedPrims();
  if (prim.IsInstance() || prim.IsInstanceProxy()) predicate = predicate.WithInstanceProxies();
  const std::vector<Prim> all = prim.Children(predicate);
  for (size_t first = 0; first < all.size() && !context.failed(); first += kAtOnce) {
    const std::span some(all.data() + first, std::min(kAtOnce, all.size() - first));
    const auto children = ChildrenOf(context, prim, some, place, purpose, sum.to_component);
    std::vector<const PurposeBounds*> resolved(children.size());
    const auto resolve = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        resolved[i] = &ResolveAt(context, children[i].prim, children[i].place);
      }
    };
    if (options_.executor && children.size() > 1 && place.depth < kParallelDepth) {
      ParallelFor(*options_.executor, children.size(), 1, resolve);
    } else {
      resolve(0, children.size());
    }
    for (size_t i = 0; i < children.size(); ++i) {
      AddChild(*resolved[i], children[i].to_component, &sum);
    }
  }
  if (!sum.in_component_space) return;
  // The boxes are aligned to the component's axes. Keep them so, and let their matrices lead from
  // there to the prim's own space.
  const Matrix4d to_local = Inverse(sum.to_component);
  for (auto& [token, box] : *bounds) box.matrix = to_local;
}

void BBoxCache::AddChild(const PurposeBounds& child_bounds, const Matrix4d& child_to_component,
                         Accumulator* sum) {
  if (child_bounds.empty()) return;
  sum->in_component_space = true;
  for (const auto& [token, child_box] : child_bounds) {
    BBox3d box = child_box;
    box.Transform(child_to_component);
    BoundOf(token, sum->bounds)->range.Extend(box.AlignedRange());
  }
}

}  // namespace stagedoor
