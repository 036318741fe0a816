#include "scene/frame/frame_transforms.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/frame/frame_sources.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/xform_batch.h"
#include "scene/geom/xform_query.h"
#include "scene/skel/pose_cache.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

// Whether a place has the world transform of its prim.
bool HasPrimTransform(const FramePlace& place) {
  return place.prototype == kNoIndex && place.rigid_skin == kNoIndex;
}

Prim RootOf(const FramePlan& plan, const FramePlace& place) {
  return place.prototype == kNoIndex ? Prim() : plan.prototypes[place.prototype].prim;
}

// Computes the transforms of places at one time that are not the world transforms of their prims.
class PlaceTransforms {
 public:
  PlaceTransforms(RequestContext& context, const FramePlan& plan, TimeCode time)
      : context_(context), pacer_(context), plan_(plan), poses_(time) {}

  Matrix4d Of(const FramePlace& place) {
    const Prim root = RootOf(plan_, place);
    if (place.rigid_skin != kNoIndex) {
      const SkinningTarget& skin = plan_.rigid_skins[place.rigid_skin];
      const SkinResult result =
          skin.Deform(context_, poses_, {.points = false, .normals = false, .blend_shapes = false});
      // The skin takes the place of the prim's own transform.
      if (result.xform) return Chain(place.prim, root, &*result.xform);
    }
    return Chain(place.prim, root, nullptr);
  }

 private:
  // The transform to the space of `root`, or of the world if that is invalid, with `own` in place
  // of the prim's own transform unless it is null. Multiplied from above, as XformCache does.
  Matrix4d Chain(const Prim& prim, const Prim& root, const Matrix4d* own) {
    locals_.clear();
    bool resets = false;
    for (Prim at = prim; at.valid() && !(at == root) && !resets && pacer_.Go(); at = at.parent()) {
      locals_.push_back(poses_.xforms().Local(context_, at, &resets));
    }
    if (own != nullptr && !locals_.empty()) locals_.front() = *own;
    Matrix4d matrix = locals_.empty() ? Matrix4d::Identity() : locals_.back();
    for (size_t i = locals_.size(); i-- > 1;) matrix = locals_[i - 1] * matrix;
    return matrix;
  }

  RequestContext& context_;
  Pacer pacer_;
  const FramePlan& plan_;
  PoseCache poses_;
  std::vector<Matrix4d> locals_;  // scratch
};

}  // namespace

absl::StatusOr<XformMotion> FindFrameXformMotion(RequestContext& context, const FramePlan& plan,
                                                 std::span<const FramePlace* const> places,
                                                 double begin, double end) {
  // Prims that move with the same ancestors share a list; an invalid prim has none.
  std::vector<Prim> prims;
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(places.size() * sizeof(Prim), "motion samples"));
  for (const FramePlace* place : places) {
    prims.push_back(HasPrimTransform(*place) ? place->prim : Prim());
  }
  SD_ASSIGN_OR_RETURN(XformMotion motion, FindXformMotion(context, prims, begin, end));
  for (size_t i = 0; i < places.size(); ++i) {
    if (HasPrimTransform(*places[i]) || !places[i]->moves) continue;
    MotionTimes times(begin, end);
    SD_RETURN_IF_ERROR(AddXformSources(context, plan, *places[i], &times));
    if (times.empty()) continue;
    SD_RETURN_IF_ERROR(motion.reserved.Grow(times.byte_size(), "motion samples"));
    motion.times[i] = std::make_shared<const MotionTimes>(std::move(times));
  }
  return motion;
}

absl::StatusOr<FrameXforms> ComputeFrameXforms(RequestContext& context, const FramePlan& plan,
                                               std::span<const FramePlace* const> places,
                                               std::span<const TimeCode> times,
                                               Executor* executor) {
  std::vector<Prim> prims;
  std::vector<size_t> others;
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(places.size() * (sizeof(Prim) + sizeof(size_t)), "transforms"));
  for (size_t i = 0; i < places.size(); ++i) {
    const bool is_plain = HasPrimTransform(*places[i]);
    prims.push_back(is_plain ? places[i]->prim : Prim());
    if (!is_plain) others.push_back(i);
  }
  SD_ASSIGN_OR_RETURN(XformBatch batch, ComputeXforms(context, prims, times, false, executor));
  for (size_t t = 0; t < times.size() && !others.empty(); ++t) {
    PlaceTransforms transforms(context, plan, times[t]);
    for (const size_t i : others) {
      batch.world[i * times.size() + t] = transforms.Of(*places[i]);
      SD_RETURN_IF_ERROR(context.Check());
    }
  }
  return FrameXforms{.matrices = std::move(batch.world), .reserved = std::move(batch.reserved)};
}

bool IsVisibleAt(RequestContext& context, const FramePlan& plan, const FramePlace& place,
                 TimeCode time) {
  const Prim root = RootOf(plan, place);
  for (Prim at = place.prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (at.IsA(Geom().Imageable) && !IsLocallyVisible(context, at, time)) return false;
    if (at == root) break;
  }
  return true;
}

}  // namespace stagedoor
