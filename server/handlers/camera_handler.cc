#include "server/handlers/camera_handler.h"

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/camera.h"
#include "scene/geom/frustum.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_batch.h"
#include "scene/values/matrix.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/handlers/prim_batch.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerCameras = "request fewer paths or times";
// Steps of one item, which reads some twenty attributes.
constexpr int64_t kStepsPerCamera = 64;

ConformPolicy ParsePolicy(const v1::ComputeCamerasRequest& request) {
  if (request.aspect_ratio() == 0) return ConformPolicy::kDontConform;
  switch (request.conform_policy()) {
    case v1::CONFORM_POLICY_CROP:
      return ConformPolicy::kCrop;
    case v1::CONFORM_POLICY_MATCH_VERTICALLY:
      return ConformPolicy::kMatchVertically;
    case v1::CONFORM_POLICY_MATCH_HORIZONTALLY:
      return ConformPolicy::kMatchHorizontally;
    case v1::CONFORM_POLICY_DONT_CONFORM:
      return ConformPolicy::kDontConform;
    default:
      return ConformPolicy::kFit;
  }
}

absl::Status CheckAspectRatio(double aspect_ratio) {
  if (std::isfinite(aspect_ratio) && aspect_ratio >= 0) return absl::OkStatus();
  return InvalidFieldError("aspect_ratio", Concat(aspect_ratio), "must be finite and at least 0");
}

// Makes the paths of other prims than cameras fail.
absl::Status KeepCameras(RequestContext& context, PrimBatch* batch) {
  for (size_t i = 0; i < batch->prims.size(); ++i) {
    Prim& prim = batch->prims[i];
    if (!prim.valid() || prim.IsA(Geom().Camera)) continue;
    const std::string path = prim.PathText();
    SD_RETURN_IF_ERROR(context.Reserve(kFailureBytes + 2 * path.size(), "path errors"));
    batch->failures[i] = WithReason(InvalidArgumentError(Quoted(path), " is not a Camera"),
                                    v1::ERROR_REASON_WRONG_KIND);
    prim = Prim();
  }
  return absl::OkStatus();
}

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

}  // namespace

absl::Status ComputeCameras(ServerState& state, RequestContext& context,
                            const v1::ComputeCamerasRequest& request,
                            v1::ComputeCamerasResponse* response) {
  SD_RETURN_IF_ERROR(CheckAspectRatio(request.aspect_ratio()));
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  SD_RETURN_IF_ERROR(KeepCameras(context, &batch));
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerCameras);
  batch.FillErrors(budget, response->mutable_path_errors());
  CameraColumns columns(budget, batch.item_count(), response);
  if (!budget.ok()) return budget.status();
  SD_ASSIGN_OR_RETURN(const XformBatch xforms,
                      ComputeXforms(context, batch.prims, batch.times, /*with_local=*/false,
                                    state.stages.environment().executor));
  const ConformPolicy policy = ParsePolicy(request);
  Pacer pacer(context);
  for (size_t p = 0; p < batch.prims.size(); ++p) {
    if (!batch.prims[p].valid()) {
      budget.AddText("", response->mutable_stereo_role());
      continue;
    }
    const CameraQuery query(context, batch.prims[p]);
    budget.AddText(query.StereoRole(context).text(), response->mutable_stereo_role());
    for (size_t t = 0; t < batch.times.size(); ++t) {
      SD_RETURN_IF_ERROR(pacer.Step(kStepsPerCamera));
      const size_t item = batch.ItemIndex(p, t);
      const Camera camera = query.At(context, batch.times[t]);
      columns.Put(item, camera, FrustumOf(camera, policy, request.aspect_ratio()),
                  xforms.world[item]);
    }
    if (!budget.ok()) return budget.status();
  }
  columns.Finish();
  SD_RETURN_IF_ERROR(budget.status());
  SD_RETURN_IF_ERROR(context.Check());
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
