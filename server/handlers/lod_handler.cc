#include "server/handlers/lod_handler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/camera.h"
#include "scene/geom/frustum.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/xform_batch.h"
#include "scene/lod/lod_choice.h"
#include "scene/skel/skel_extent.h"
#include "scene/stage/prim_range.h"
#include "scene/values/matrix_math.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/queries/camera_fit.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

using Numbers = google::protobuf::RepeatedField<double>;

constexpr std::string_view kFewerLodRoots = "request fewer paths or times";
constexpr std::string_view kDefaultDomain = "imaging";
constexpr int64_t kStepsPerLodChoice = 64;
constexpr double kMinViewDeterminant = 1e-10;

// Checks that a field of a LodView has `count` finite numbers.
absl::Status CheckNumbers(std::string_view field, const Numbers& numbers, int count) {
  const bool finite = std::all_of(numbers.begin(), numbers.end(),
                                  [](double number) { return std::isfinite(number); });
  if (finite && numbers.size() == count) return absl::OkStatus();
  return InvalidFieldError(field, Concat(numbers.size(), " numbers"),
                           Concat("must be ", count, " finite numbers"));
}

// Parses the view of a request, which is the same at all times.
absl::StatusOr<LodView> ParseLodView(const v1::LodView& message) {
  LodView view;
  if (message.view_matrix().empty()) {
    SD_RETURN_IF_ERROR(CheckNumbers("view.viewpoint", message.viewpoint(), 3));
    for (int i = 0; i < 3; ++i) view.viewpoint[static_cast<size_t>(i)] = message.viewpoint(i);
    return view;
  }
  SD_RETURN_IF_ERROR(CheckNumbers("view.view_matrix", message.view_matrix(), 16));
  SD_RETURN_IF_ERROR(CheckNumbers("view.window", message.window(), 4));
  SD_RETURN_IF_ERROR(CheckNumbers("view.clipping_range", message.clipping_range(), 2));
  Matrix4d matrix;
  std::copy(message.view_matrix().begin(), message.view_matrix().end(), &matrix.m[0][0]);
  if (!(std::fabs(Determinant(matrix)) > kMinViewDeterminant)) {
    return InvalidFieldError("view.view_matrix", "a singular matrix", "must have an inverse");
  }
  Frustum frustum;
  frustum.orthographic = message.projection() == v1::CAMERA_PROJECTION_ORTHOGRAPHIC;
  frustum.min = {message.window(0), message.window(1)};
  frustum.max = {message.window(2), message.window(3)};
  frustum.near = message.clipping_range(0);
  frustum.far = message.clipping_range(1);
  view.viewpoint = ExtractTranslation(Inverse(matrix));
  view.volume.emplace(frustum, matrix);
  return view;
}

absl::StatusOr<Prim> FindLodCamera(const Stage& stage, const std::string& path) {
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, path));
  if (prim.IsA(Geom().Camera)) return prim;
  return WrongType(prim, Geom().Camera);
}

// Finds the LOD roots of the request: those at its paths, or all of the stage.
absl::Status FindLodRoots(const QueryState& state, RequestContext& context,
                          const v1::ComputeLevelsOfDetailRequest& request, PrimBatch* batch) {
  if (!request.paths().empty()) {
    SD_RETURN_IF_ERROR(FindPrims(state, context, request, batch->times.size(), batch));
    for (size_t i = 0; i < batch->prims.size(); ++i) {
      const Prim& prim = batch->prims[i];
      if (!prim.valid() || IsLodRoot(prim)) continue;
      SD_RETURN_IF_ERROR(batch->Fail(
          context, i,
          WithReason(InvalidArgumentError(Quoted(prim.PathText()), " has no LODRootAPI"),
                     v1::ERROR_REASON_WRONG_KIND)));
    }
    return absl::OkStatus();
  }
  Pacer pacer(context);
  const auto predicate = PrimFlagsPredicate::Default().WithInstanceProxies();
  for (const Prim& prim : batch->leased.stage().Traverse(predicate)) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!IsLodRoot(prim)) continue;
    SD_RETURN_IF_ERROR(context.Reserve(sizeof(Prim), "the prims of a reply"));
    batch->prims.push_back(prim);
  }
  return CheckCount(batch->item_count(), state.limits.max_items, "items");
}

v1::LodReason ReasonOf(const LodChoice& choice) {
  switch (choice.reason) {
    case LodChoice::Reason::kOverride:
      return v1::LOD_REASON_OVERRIDE;
    case LodChoice::Reason::kHeuristic:
      return choice.kind == LodHeuristicKind::kDistance ? v1::LOD_REASON_DISTANCE
                                                        : v1::LOD_REASON_SCREEN_SIZE;
    default:
      return v1::LOD_REASON_DEFAULT;
  }
}

void FillLodChoice(const LodChoice& choice, ReplyBudget& budget, v1::LodChoice* out) {
  out->set_reason(ReasonOf(choice));
  if (choice.heuristic.valid()) {
    out->set_heuristic(budget.Text(choice.heuristic.PathText()));
    out->set_measure(choice.measure);
  }
  if (choice.override_opinion.prim.valid()) {
    out->set_override_prim(budget.Text(choice.override_opinion.prim.PathText()));
    out->set_override_mode(budget.Text(choice.override_opinion.mode.text()));
  }
  switch (choice.shown) {
    case LodChoice::Shown::kNone:
      return out->set_shown(v1::LOD_SHOWN_NONE);
    case LodChoice::Shown::kAll:
      return out->set_shown(v1::LOD_SHOWN_ALL);
    default:
      out->set_shown(v1::LOD_SHOWN_LEVELS);
      out->set_level(static_cast<uint32_t>(choice.level));
      out->set_blend(choice.level - std::floor(choice.level));
  }
}

// Chooses the levels of all roots of a request, time by time.
class LodChooser {
 public:
  LodChooser(const v1::ComputeLevelsOfDetailRequest& request, const PrimBatch& batch,
             Executor* executor, ReplyBudget& budget, v1::ComputeLevelsOfDetailResponse* response)
      : request_(request),
        batch_(batch),
        context_(budget.context()),
        domain_(request.domain().empty() ? kDefaultDomain : std::string_view(request.domain())),
        executor_(executor),
        budget_(budget),
        response_(*response) {}

  // Finds the camera, or parses the view.
  absl::Status Prepare() {
    if (request_.camera().empty() == !request_.has_view()) {
      return InvalidFieldError("camera", request_.camera(), "either it or `view` must be set");
    }
    if (request_.has_view()) {
      SD_ASSIGN_OR_RETURN(view_, ParseLodView(request_.view()));
    } else {
      SD_ASSIGN_OR_RETURN(camera_, FindLodCamera(batch_.leased.stage(), request_.camera()));
      lens_.emplace(context_, camera_);
    }
    view_.distance_hysteresis = request_.distance_hysteresis();
    view_.screen_size_hysteresis = request_.screen_size_hysteresis();
    if (!(view_.distance_hysteresis >= 0) || !(view_.screen_size_hysteresis >= 0)) {
      return InvalidFieldError("distance_hysteresis", Concat(view_.distance_hysteresis),
                               "must be at least 0, as must screen_size_hysteresis");
    }
    return absl::OkStatus();
  }

  absl::Status FillAll() {
    SD_RETURN_IF_ERROR(FillRoots());
    std::vector<Prim> prims = batch_.prims;
    prims.push_back(camera_);
    SD_ASSIGN_OR_RETURN(const XformBatch xforms, ComputeXforms(context_, prims, batch_.times,
                                                               /*with_local=*/false, executor_));
    for (size_t t = 0; t < batch_.times.size(); ++t) {
      if (lens_) LookThrough(xforms.world[batch_.ItemIndex(batch_.prims.size(), t)], t);
      SD_RETURN_IF_ERROR(FillTime(xforms, t));
    }
    return budget_.status();
  }

 private:
  // Fills what does not vary in time.
  absl::Status FillRoots() {
    const size_t count = batch_.prims.size();
    SD_RETURN_IF_ERROR(context_.Reserve(count * (sizeof(LodChoice) + sizeof(size_t) + sizeof(Prim)),
                                        "levels of detail"));
    previous_.resize(count);
    level_counts_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (!budget_.ok()) return budget_.status();
      v1::LodRoot* out = budget_.Add(response_.mutable_roots());
      if (!batch_.prims[i].valid()) continue;
      out->set_path(budget_.Text(batch_.prims[i].PathText()));
      const std::vector<Prim> levels = LodLevels(batch_.prims[i]);
      level_counts_[i] = levels.size();
      for (size_t k = 0; k < levels.size() && budget_.ok(); ++k) {
        budget_.AddText(levels[k].name().text(), out->mutable_levels());
      }
    }
    return budget_.status();
  }

  void LookThrough(const Matrix4d& world, size_t t) {
    const Camera camera = lens_->At(context_, batch_.times[t]);
    const auto policy = ParseConformPolicy(request_.conform_policy(), request_.aspect_ratio());
    view_.viewpoint = ExtractTranslation(world);
    view_.volume.emplace(FrustumOf(camera, policy, request_.aspect_ratio()), ViewMatrix(world));
  }

  absl::Status FillTime(const XformBatch& xforms, size_t t) {
    BBoxCache cache(batch_.times[t],
                    {.purposes = {}, .other_extents = ComputeSkelExtent, .executor = executor_});
    Pacer pacer(context_);
    for (size_t i = 0; i < batch_.prims.size(); ++i) {
      if (!batch_.prims[i].valid()) continue;
      SD_RETURN_IF_ERROR(pacer.Step(kStepsPerLodChoice));
      const LodChoice choice = ChooseLod(context_, batch_.prims[i], level_counts_[i], domain_,
                                         xforms.world[batch_.ItemIndex(i, t)], view_, cache,
                                         t == 0 ? nullptr : &previous_[i]);
      if (!budget_.ok()) return budget_.status();
      FillLodChoice(choice, budget_,
                    budget_.Add(response_.mutable_roots(static_cast<int>(i))->mutable_choices()));
      previous_[i] = choice;
    }
    context_.Release(cache.reserved_bytes());
    return absl::OkStatus();
  }

  const v1::ComputeLevelsOfDetailRequest& request_;
  const PrimBatch& batch_;
  RequestContext& context_;
  const std::string_view domain_;
  Executor* const executor_;
  ReplyBudget& budget_;
  v1::ComputeLevelsOfDetailResponse& response_;
  LodView view_;
  Prim camera_;                      // invalid with a view
  std::optional<CameraQuery> lens_;  // of the camera
  std::vector<LodChoice> previous_;  // of the time before, by root
  std::vector<size_t> level_counts_;
};

}  // namespace

absl::Status ComputeLevelsOfDetail(const QueryState& state, RequestContext& context,
                                   const v1::ComputeLevelsOfDetailRequest& request,
                                   v1::ComputeLevelsOfDetailResponse* response) {
  // Parse.
  SD_RETURN_IF_ERROR(CheckAspectRatio(request.aspect_ratio()));
  // Look up the stage and the prims.
  PrimBatch batch;
  SD_ASSIGN_OR_RETURN(batch.leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(batch.times, ParseTimes(context, request.times(), state.limits.max_times));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerLodRoots);
  LodChooser chooser(request, batch, state.stages.environment().executor, budget, response);
  SD_RETURN_IF_ERROR(chooser.Prepare());
  SD_RETURN_IF_ERROR(FindLodRoots(state, context, request, &batch));
  batch.FillErrors(budget, response->mutable_path_errors());
  SD_RETURN_IF_ERROR(chooser.FillAll());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
