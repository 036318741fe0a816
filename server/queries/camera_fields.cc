#include "server/queries/camera_fields.h"

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/camera.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/xform_batch.h"
#include "scene/geom/xform_motion.h"
#include "scene/values/matrix.h"
#include "server/converters/packed_values.h"
#include "server/queries/motion_samples.h"

namespace stagedoor::server {
namespace {

// Steps of one item, which reads some twenty attributes.
constexpr int64_t kStepsPerCamera = 64;

// The columns of a reply, which have an element for each item.
class CameraColumns {
 public:
  // Makes all elements zero. Incomplete once the budget is used up.
  CameraColumns(ReplyBudget& budget, size_t items, v1::ComputeCamerasResponse* response)
      : budget_(budget), response_(*response) {
    const Packing matrix = PackingOf(ValueType::kMatrix4d);
    world_ = FillPackedZeros(matrix, items, budget, response->mutable_local_to_world());
    range_ = FillPackedZeros(PackingOf(ValueType::kVec2f), items, budget,
                             response->mutable_clipping_range());
    window_ =
        FillPackedZeros(PackingOf(ValueType::kVec4d), items, budget, response->mutable_window());
    angles_ = FillPackedZeros(PackingOf(ValueType::kVec2d), items, budget,
                              response->mutable_field_of_view());
    view_ = FillPackedZeros(matrix, items, budget, response->mutable_view_matrix());
    projection_ = FillPackedZeros(matrix, items, budget, response->mutable_projection_matrix());
    constexpr size_t kScalarBytes = 9 * sizeof(float) + 2 * sizeof(double) + 2 * sizeof(uint32_t);
    if (!budget.Charge(items * kScalarBytes)) return;
    const int count = static_cast<int>(items);
    response->mutable_projection()->Resize(count, v1::CAMERA_PROJECTION_UNSPECIFIED);
    for (auto* column :
         {response->mutable_focal_length(), response->mutable_horizontal_aperture(),
          response->mutable_vertical_aperture(), response->mutable_horizontal_aperture_offset(),
          response->mutable_vertical_aperture_offset(), response->mutable_f_stop(),
          response->mutable_focus_distance(), response->mutable_exposure(),
          response->mutable_linear_exposure_scale()}) {
      column->Resize(count, 0);
    }
    response->mutable_shutter_open()->Resize(count, 0);
    response->mutable_shutter_close()->Resize(count, 0);
    response->mutable_clipping_plane_count()->Resize(count, 0);
  }

  // Items must come in order. The budget must not be used up.
  void Put(size_t item, const Camera& camera, const Frustum& frustum, const Matrix4d& world) {
    PutLens(static_cast<int>(item), camera);
    PutBytes(camera.clipping_range, item, range_);
    PutPlanes(static_cast<int>(item), camera.clipping_planes);
    PutBytes(world, item, world_);
    PutBytes(Vec4d{frustum.min[0], frustum.min[1], frustum.max[0], frustum.max[1]}, item, window_);
    PutBytes(Vec2d{frustum.horizontal_field_of_view, frustum.vertical_field_of_view}, item,
             angles_);
    PutBytes(ViewMatrix(world), item, view_);
    PutBytes(frustum.ProjectionMatrix(), item, projection_);
  }

  // Completes the reply.
  void Finish() {
    FillPackedHeader(PackingOf(ValueType::kVec4f), planes_.size() / sizeof(Vec4f),
                     response_.mutable_clipping_planes());
    response_.mutable_clipping_planes()->set_data(std::move(planes_));
  }

 private:
  template <typename T>
  static void PutBytes(const T& value, size_t item, char* column) {
    std::memcpy(column + item * sizeof(T), &value, sizeof(T));
  }

  void PutLens(int item, const Camera& camera) {
    response_.set_projection(item, camera.orthographic ? v1::CAMERA_PROJECTION_ORTHOGRAPHIC
                                                       : v1::CAMERA_PROJECTION_PERSPECTIVE);
    response_.set_focal_length(item, camera.focal_length);
    response_.set_horizontal_aperture(item, camera.horizontal_aperture);
    response_.set_vertical_aperture(item, camera.vertical_aperture);
    response_.set_horizontal_aperture_offset(item, camera.horizontal_aperture_offset);
    response_.set_vertical_aperture_offset(item, camera.vertical_aperture_offset);
    response_.set_f_stop(item, camera.f_stop);
    response_.set_focus_distance(item, camera.focus_distance);
    response_.set_shutter_open(item, camera.shutter_open);
    response_.set_shutter_close(item, camera.shutter_close);
    response_.set_exposure(item, camera.exposure);
    response_.set_linear_exposure_scale(item, camera.linear_exposure_scale);
  }

  void PutPlanes(int item, const Array<Vec4f>& planes) {
    const size_t bytes = planes.size() * sizeof(Vec4f);
    if (planes.empty() || !budget_.Charge(bytes)) return;
    response_.set_clipping_plane_count(item, static_cast<uint32_t>(planes.size()));
    planes_.append(reinterpret_cast<const char*>(planes.data()), bytes);
  }

  ReplyBudget& budget_;
  v1::ComputeCamerasResponse& response_;
  char* world_ = nullptr;
  char* range_ = nullptr;
  char* window_ = nullptr;
  char* angles_ = nullptr;
  char* view_ = nullptr;
  char* projection_ = nullptr;
  std::string planes_;
};

// Plans the samples of all items.
absl::Status PlanCameras(RequestContext& context, const PrimBatch& batch,
                         const SamplePolicy& policy, MotionPlan* plan) {
  for (size_t p = 0; p < batch.prims.size(); ++p) {
    if (!batch.prims[p].valid()) continue;
    const CameraQuery query(context, batch.prims[p]);
    for (size_t t = 0; t < batch.times.size(); ++t) {
      SD_RETURN_IF_ERROR(context.Spend(kStepsPerCamera));
      const double frame = batch.times[t].value();
      MotionTimes times(policy.Begin(frame), policy.End(frame));
      SD_RETURN_IF_ERROR(query.AddMotionTimes(context, &times));
      SD_RETURN_IF_ERROR(AddXformMotion(context, batch.prims[p], &times));
      SD_ASSIGN_OR_RETURN(auto selection, plan->Keep(times.Select(policy, frame)));
      plan->Set(batch.ItemIndex(p, t), std::move(selection));
    }
  }
  return absl::OkStatus();
}

// Computes cameras and puts them into the columns of a reply.
class CameraFiller {
 public:
  CameraFiller(const PrimBatch& batch, const CameraView& view, ReplyBudget& budget,
               v1::ComputeCamerasResponse* response)
      : batch_(batch), view_(view), budget_(budget), response_(*response) {}

  // One result for each item.
  absl::Status FillItems(RequestContext& context) {
    CameraColumns columns(budget_, batch_.item_count(), &response_);
    if (!budget_.ok()) return budget_.status();
    SD_ASSIGN_OR_RETURN(const XformBatch xforms,
                        ComputeXforms(context, batch_.prims, batch_.times,
                                      /*with_local=*/false, view_.executor));
    for (size_t p = 0; p < batch_.prims.size(); ++p) {
      const auto query = StartPrim(context, batch_.prims[p]);
      if (query) {
        SD_RETURN_IF_ERROR(Put(context, *query, batch_.times,
                               std::span(xforms.world).subspan(batch_.ItemIndex(p, 0)),
                               batch_.ItemIndex(p, 0), columns));
      }
    }
    columns.Finish();
    return budget_.status();
  }

  // A result for each sample of the items.
  absl::Status FillSamples(RequestContext& context, const MotionPlan& plan) {
    plan.Fill(view_.with_sources, budget_, response_.mutable_samples());
    CameraColumns columns(budget_, plan.sample_count(), &response_);
    if (!budget_.ok()) return budget_.status();
    for (size_t p = 0; p < batch_.prims.size(); ++p) {
      const auto query = StartPrim(context, batch_.prims[p]);
      for (size_t t = 0; query && t < batch_.times.size(); ++t) {
        const size_t item = batch_.ItemIndex(p, t);
        const std::vector<TimeCode> times = TimeCodesOf(*plan.selection(item));
        SD_ASSIGN_OR_RETURN(const XformBatch xforms,
                            ComputeXforms(context, std::span(&batch_.prims[p], 1), times));
        SD_RETURN_IF_ERROR(Put(context, *query, times, xforms.world, plan.first(item), columns));
      }
    }
    columns.Finish();
    return budget_.status();
  }

 private:
  // Fills what does not vary in time. None for the prim of a path that has an error.
  std::optional<CameraQuery> StartPrim(RequestContext& context, const Prim& prim) {
    if (!prim.valid()) {
      budget_.AddText("", response_.mutable_stereo_role());
      return std::nullopt;
    }
    std::optional<CameraQuery> query(std::in_place, context, prim);
    budget_.AddText(query->StereoRole(context).text(), response_.mutable_stereo_role());
    return query;
  }

  // Puts the results of one camera at times, from the element `first` of the columns on.
  absl::Status Put(RequestContext& context, const CameraQuery& query,
                   std::span<const TimeCode> times, std::span<const Matrix4d> world, size_t first,
                   CameraColumns& columns) {
    Pacer pacer(context);
    for (size_t t = 0; t < times.size(); ++t) {
      SD_RETURN_IF_ERROR(pacer.Step(kStepsPerCamera));
      const Camera camera = query.At(context, times[t]);
      columns.Put(first + t, camera, FrustumOf(camera, view_.conform, view_.aspect_ratio),
                  world[t]);
    }
    return budget_.status();
  }

  const PrimBatch& batch_;
  const CameraView& view_;
  ReplyBudget& budget_;
  v1::ComputeCamerasResponse& response_;
};

}  // namespace

absl::Status FillCameras(RequestContext& context, const PrimBatch& batch, const CameraView& view,
                         ReplyBudget& budget, v1::ComputeCamerasResponse* response) {
  CameraFiller filler(batch, view, budget, response);
  if (!view.motion) return filler.FillItems(context);
  SD_RETURN_IF_ERROR(context.Reserve(batch.item_count() * 4 * sizeof(size_t), "motion samples"));
  MotionPlan plan(context, batch.item_count());
  SD_RETURN_IF_ERROR(PlanCameras(context, batch, *view.motion, &plan));
  SD_RETURN_IF_ERROR(plan.Count(view.max_samples));
  return filler.FillSamples(context, plan);
}

}  // namespace stagedoor::server
