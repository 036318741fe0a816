#include "scene/frame/frame_values.h"

#include <string>
#include <utility>

#include "base/status_macros.h"
#include "base/warning.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/point_based.h"
#include "scene/geom/primvar.h"
#include "scene/skel/skin_motion.h"
#include "scene/stage/property.h"

namespace stagedoor {
namespace {

using Kind = FrameAttribute::Kind;

// Arrays of points and of curves that have an interpolation, "vertex" if none is authored.
bool HasInterpolation(Token name) { return name == Geom().normals || name == Geom().widths; }
// Those that have an element for each point.
bool IsForPoints(Token name) {
  return name == Geom().points || name == Geom().velocities || name == Geom().accelerations ||
         name == Geom().tangents || name == Geom().ids;
}

// Only strings may be the names of paths; see Primvar::Get.
Value PrimvarValue(RequestContext& context, const FrameAttribute& attribute, TimeCode time) {
  const bool is_text = attribute.query.type_name().text().starts_with("string");
  return is_text ? attribute.primvar->Get(context, time) : attribute.query.Get(context, time);
}

FrameSample PrimvarAt(RequestContext& context, const FrameAttribute& attribute, TimeCode time) {
  FrameSample sample;
  sample.value = PrimvarValue(context, attribute, time);
  const Attribute handle = attribute.primvar->IndicesAttribute();
  // As in OpenUSD, indices of a single value do not matter to those who replace them.
  if (!handle.HasAuthoredValue(context) || (attribute.flattened && !sample.value.is_array())) {
    return sample;
  }
  auto indices = TypedValue<Array<int>>(context, handle, time);
  if (!attribute.flattened) {
    sample.indices = std::move(indices).value_or(Array<int>());
  } else {
    const int element_size = attribute.primvar->ElementSize(context);
    sample.value =
        indices ? FlattenIndexed(context, sample.value, *indices, element_size) : Value();
  }
  return sample;
}

// The points that the skin leaves as they are.
absl::StatusOr<FrameSample> RestPointsAt(RequestContext& context, const FrameGeometry& geometry,
                                         const FrameAttribute& attribute, TimeCode time,
                                         TimeCode frame) {
  SD_ASSIGN_OR_RETURN(PointsAtTime points, ComputePoints(context, geometry.prim, time, frame));
  FrameSample sample{.reserved = std::move(points.reserved)};
  // Without a value at the base time there are no points.
  const bool exist =
      !points.points.empty() || attribute.query.Get(context, frame).Get<Array<Vec3f>>() != nullptr;
  if (exist) sample.value = Value(std::move(points.points));
  return sample;
}

size_t BytesOfResult(const SkinResult& result) {
  const size_t count =
      (result.points ? result.points->size() : 0) + (result.normals ? result.normals->size() : 0);
  return count * sizeof(Vec3f);
}

}  // namespace

FrameLayout FrameLayoutOf(RequestContext& context, const FrameAttribute& attribute) {
  FrameLayout layout{.type_name = attribute.query.type_name()};
  if (attribute.primvar) {
    layout.interpolation = attribute.primvar->Interpolation(context);
    layout.element_size = attribute.primvar->ElementSize(context);
  } else if (HasInterpolation(attribute.name)) {
    const Value value = attribute.query.attribute().Metadata(context, Geom().interpolation);
    const Token* token = value.Get<Token>();
    layout.interpolation = token != nullptr && !token->empty() ? *token : Geom().vertex;
  } else if (IsForPoints(attribute.name)) {
    layout.interpolation = Geom().vertex;
  }
  return layout;
}

absl::StatusOr<const SkinResult*> SkinnedArrays::At(const SkinningTarget& skin, PoseCache& poses) {
  if (skin_ != &skin) {
    results_.clear();
    reserved_.Release();
    skin_ = &skin;
  }
  for (const auto& [time, result] : results_) {
    if (time == poses.time()) return &result;
  }
  SkinResult result = skin.Deform(context_, poses, {.executor = executor_});
  SD_RETURN_IF_ERROR(context_.Check());
  for (const std::string& why : result.warnings) {
    context_.Warn({Warning::Kind::kInvalidSkel, "", skin.prim.PathText(), why});
  }
  SD_RETURN_IF_ERROR(reserved_.Grow(BytesOfResult(result), "skinned points"));
  return &results_.emplace_back(poses.time(), std::move(result)).second;
}

absl::Status AddFrameMotion(RequestContext& context, const FrameGeometry& geometry,
                            const FrameAttribute& attribute, double frame, MotionTimes* times) {
  if (attribute.kind == Kind::kPoints && !geometry.skin) {
    return AddPointsMotion(context, geometry.prim, TimeCode::At(frame), times);
  }
  return AddAttributeSources(context, geometry, attribute, times);
}

absl::StatusOr<FrameSample> FrameValueAt(RequestContext& context, const FrameGeometry& geometry,
                                         const FrameAttribute& attribute, TimeCode frame,
                                         PoseCache& poses, SkinnedArrays& skinned) {
  FrameSample sample;
  const bool are_points = attribute.kind == Kind::kPoints;
  if (geometry.skin && (are_points || attribute.kind == Kind::kNormals)) {
    SD_ASSIGN_OR_RETURN(const SkinResult* result, skinned.At(*geometry.skin, poses));
    const std::optional<Array<Vec3f>>& moved = are_points ? result->points : result->normals;
    if (moved) {
      sample.value = Value(*moved);
      return sample;
    }
    // As OpenUSD writes no arrays of prims that it cannot skin, these stay as they are.
  }
  const TimeCode time = poses.time();
  if (are_points) return RestPointsAt(context, geometry, attribute, time, frame);
  if (attribute.kind == Kind::kPrimvar) {
    sample = PrimvarAt(context, attribute, time);
  } else {
    sample.value = attribute.query.Get(context, time);
  }
  SD_RETURN_IF_ERROR(context.Check());
  return sample;
}

}  // namespace stagedoor
