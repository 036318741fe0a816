// Also implements ComputeExtent of bbox_cache.h: the extent of a prim by its type.
#include "scene/geom/boundable.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/extents.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_instancer.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/stage.h"
#include "scene/values/vec.h"
#include "scene/values/vec_math.h"

namespace stagedoor {
namespace {

// Limit for point instancers that are prototypes of point instancers.
constexpr int kMaxNesting = 6;

// Reads the attributes that define a shape.
class ShapeReader {
 public:
  ShapeReader(RequestContext& context, const Prim& prim, TimeCode time)
      : context_(context), prim_(prim), time_(time) {}

  RequestContext& context() const { return context_; }
  // A number of the type that the schema states. As in OpenUSD, values of other types do not count.
  std::optional<double> Double(Token name) const {
    return AttributeValueAs<double>(context_, prim_, name, time_);
  }
  std::optional<double> Float(Token name) const {
    return AttributeValueAs<float>(context_, prim_, name, time_);
  }
  std::optional<Axis> GetAxis() const {
    const auto token = AttributeValueAs<Token>(context_, prim_, Geom().axis, time_);
    if (!token || token->text().size() != 1) return std::nullopt;
    const char letter = token->text()[0];
    if (letter < 'X' || letter > 'Z') return std::nullopt;
    return static_cast<Axis>(letter - 'X');
  }
  template <typename T>
  std::optional<Array<T>> GetArray(Token name) const {
    return AttributeValueAs<Array<T>>(context_, prim_, name, time_);
  }

 private:
  RequestContext& context_;
  const Prim& prim_;
  const TimeCode time_;
};

std::optional<Range3d> RoundExtent(const ShapeReader& shape, bool capsule) {
  const auto height = shape.Double(Geom().height);
  const auto radius = shape.Double(Geom().radius);
  const auto axis = shape.GetAxis();
  if (!height || !radius || !axis) return std::nullopt;
  return capsule ? CapsuleExtent(*height, *radius, *axis) : CylinderExtent(*height, *radius, *axis);
}

std::optional<Range3d> TaperedExtent(const ShapeReader& shape, bool capsule) {
  const auto height = shape.Double(Geom().height);
  const auto top = shape.Double(Geom().radiusTop);
  const auto bottom = shape.Double(Geom().radiusBottom);
  const auto axis = shape.GetAxis();
  if (!height || !top || !bottom || !axis) return std::nullopt;
  return capsule ? TaperedCapsuleExtent(*height, *top, *bottom, *axis)
                 : CylinderExtent(*height, std::max(*top, *bottom), *axis);
}

std::optional<Range3d> FlatExtent(const ShapeReader& shape) {
  const auto width = shape.Double(Geom().width);
  const auto length = shape.Double(Geom().length);
  const auto axis = shape.GetAxis();
  if (!width || !length || !axis) return std::nullopt;
  return PlaneExtent(*width, *length, *axis);
}

std::optional<Range3d> LightExtent(const Prim& prim, const ShapeReader& shape) {
  const GeomTokens& t = Geom();
  if (prim.IsA(t.RectLight) || prim.IsA(t.PortalLight)) {
    const auto width = shape.Float(t.inputs_width);
    const auto height = shape.Float(t.inputs_height);
    if (!width || !height) return std::nullopt;
    return PlaneExtent(*width, *height, Axis::kZ);
  }
  const auto radius = shape.Float(t.inputs_radius);
  if (!radius) return std::nullopt;
  if (prim.IsA(t.DiskLight)) return PlaneExtent(*radius * 2, *radius * 2, Axis::kZ);
  if (prim.IsA(t.SphereLight)) return SphereExtent(*radius);
  const auto length = shape.Float(t.inputs_length);
  if (!length || !prim.IsA(t.CylinderLight)) return std::nullopt;
  return CylinderExtent(*length, *radius, Axis::kX);
}

std::optional<Range3d> PointBasedExtent(const Prim& prim, const ShapeReader& shape) {
  const auto points = shape.GetArray<Vec3f>(Geom().points);
  if (!points) return std::nullopt;
  const bool is_points = prim.IsA(Geom().Points);
  if (is_points || prim.IsA(Geom().Curves)) {
    const auto widths = shape.GetArray<float>(Geom().widths);
    if (widths && is_points) return PointsExtent(points->span(), widths->span());
    if (widths) return CurvesExtent(points->span(), widths->span());
  }
  return RangeOf(points->span());
}

std::optional<Range3d> GprimExtent(const Prim& prim, const ShapeReader& shape) {
  const GeomTokens& t = Geom();
  if (prim.IsA(t.PointBased)) return PointBasedExtent(prim, shape);
  if (prim.IsA(t.Sphere)) {
    const auto radius = shape.Double(t.radius);
    return radius ? std::optional(SphereExtent(*radius)) : std::nullopt;
  }
  if (prim.IsA(t.Cube)) {
    const auto size = shape.Double(t.size);
    return size ? std::optional(CubeExtent(*size)) : std::nullopt;
  }
  if (prim.IsA(t.Capsule)) return RoundExtent(shape, true);
  if (prim.IsA(t.Cylinder) || prim.IsA(t.Cone)) return RoundExtent(shape, false);
  if (prim.IsA(t.Capsule_1)) return TaperedExtent(shape, true);
  if (prim.IsA(t.Cylinder_1)) return TaperedExtent(shape, false);
  if (prim.IsA(t.Plane)) {
    // OpenUSD reads a plane's size at default time, regardless of the time of the extent.
    return FlatExtent(ShapeReader(shape.context(), prim, TimeCode::Default()));
  }
  return LightExtent(prim, shape);
}

// The nearest instance above `prim`; invalid if there is none.
Prim InstanceAbove(const Prim& prim) {
  Prim at = prim.parent();
  while (at.valid() && !at.IsInstance()) at = at.parent();
  return at;
}

bool IsBelow(const Prim& prim, const Prim& above) {
  if (!prim.valid() || !above.valid()) return false;
  Prim at = prim.parent();
  while (at.valid() && !(at == above)) at = at.parent();
  return at.valid();
}

}  // namespace

std::vector<BBox3d> BBoxCache::BoundPrototypes(RequestContext& context, const Prim& instancer,
                                               std::span<const Path> prototypes,
                                               bool in_prototype) {
  MutexLock asking(*asking_nested_);
  if (!nested_) {
    // OpenUSD always includes these purposes in the extent of a point instancer, regardless of
    // those of the query.
    BBoxCacheOptions options;
    options.purposes = {Geom().default_, Geom().proxy, Geom().render};
    options.other_extents = options_.other_extents;
    MutexLock lock(*mu_);
    nested_.reset(new BBoxCache(time_, std::move(options), nesting_ + 1));
  }
  // A prototype below the same instance is bounded in the space of that instance, so that the
  // result holds for all instances.
  const Prim instance = in_prototype ? InstanceAbove(instancer) : Prim();
  std::vector<BBox3d> boxes;
  for (const Path path : prototypes) {
    if (!context.Spend(1).ok()) break;
    const Prim prototype = instancer.stage().FindPrim(path);
    boxes.push_back(IsBelow(prototype, instance)
                        ? nested_->UntransformedBoundBelow(context, prototype, instance)
                        : nested_->UntransformedBound(context, prototype));
  }
  return boxes;
}

std::optional<Range3d> PointInstancerExtent(RequestContext& context, const Prim& prim,
                                            BBoxCache& cache, bool in_prototype) {
  if (cache.nesting_ >= kMaxNesting) return std::nullopt;
  const TimeCode time = cache.time();
  const auto instances = ComputeInstanceTransforms(
      context, prim, time, time, {.include_proto_transform = true, .apply_mask = false});
  if (!instances.ok() || instances->prototypes.empty()) return std::nullopt;
  // Not even no instances have an extent without positions.
  if (instances->transforms.empty() &&
      !AttributeValueAs<Array<Vec3f>>(context, prim, Geom().positions, time)) {
    return std::nullopt;
  }
  const std::vector<bool>& mask = instances->mask;
  if (!mask.empty() && mask.size() != instances->transforms.size()) return std::nullopt;
  const std::vector<BBox3d> boxes =
      cache.BoundPrototypes(context, prim, instances->prototypes, in_prototype);
  if (boxes.size() != instances->prototypes.size()) return std::nullopt;
  Pacer pacer(context);
  Range3d extent;
  for (size_t i = 0; i < instances->transforms.size(); ++i) {
    if (!pacer.Go()) return std::nullopt;
    if (!mask.empty() && !mask[i]) continue;
    BBox3d box = boxes[static_cast<size_t>(instances->proto_indices[i])];
    box.Transform(instances->transforms[i]);
    extent.Extend(box.AlignedRange());
  }
  return RoundedExtent(extent);
}

std::optional<Range3d> ComputeExtent(RequestContext& context, const Prim& prim, BBoxCache& cache,
                                     bool in_prototype) {
  if (!prim.IsA(Geom().Boundable)) return std::nullopt;
  const AttributeQuery attribute(context, prim.GetAttribute(Geom().extent));
  if (attribute.HasAuthoredValue()) {
    // An extent with a size other than 2, or without a value at this time, is ignored.
    const auto extent = attribute.GetAs<Array<Vec3f>>(context, cache.time());
    if (extent && extent->size() == 2) {
      return Range3d{VecCast<double>((*extent)[0]), VecCast<double>((*extent)[1])};
    }
  }
  return ComputeExtentFromType(context, prim, cache, in_prototype);
}

std::optional<Range3d> ComputeExtentFromType(RequestContext& context, const Prim& prim,
                                             BBoxCache& cache, bool in_prototype) {
  if (!prim.IsA(Geom().Boundable)) return std::nullopt;
  if (prim.IsA(Geom().PointInstancer))
    return PointInstancerExtent(context, prim, cache, in_prototype);
  const ShapeReader shape(context, prim, cache.time());
  const std::optional<Range3d> extent = GprimExtent(prim, shape);
  if (extent || !cache.options().other_extents) return extent;
  return cache.options().other_extents(context, prim, cache.time());
}

}  // namespace stagedoor
