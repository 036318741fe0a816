#include "server/handlers/bounds_handler.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/extents_hint.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_bounds.h"
#include "scene/skel/skel_extent.h"
#include "scene/values/matrix.h"
#include "server/check_count.h"
#include "server/converters/packed_values.h"
#include "server/converters/time_converter.h"
#include "server/error_info.h"
#include "server/queries/prim_batch.h"
#include "server/sessions/query_state.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerBounds = "request fewer paths, times or instances";
constexpr int64_t kStepsPerBound = 16;

BBoxCacheOptions ParseBBoxCacheOptions(const v1::ComputeBoundsRequest& request,
                                       Executor* executor) {
  const Token known[] = {Geom().default_, Geom().render, Geom().proxy, Geom().guide};
  BBoxCacheOptions options;
  options.executor = executor;
  options.use_extents_hint = request.use_extents_hint();
  options.ignore_visibility = request.ignore_visibility();
  options.other_extents = ComputeSkelExtent;
  for (const int purpose : request.purposes()) {
    if (purpose == v1::PURPOSE_OTHER) continue;
    options.purposes.push_back(known[std::clamp(purpose - 1, 0, 3)]);
  }
  for (const std::string& purpose : request.other_purposes()) {
    // A token that is not interned yet cannot be the purpose of any prim.
    if (const auto token = Token::Find(purpose)) options.purposes.push_back(*token);
  }
  if (request.purposes().empty() && request.other_purposes().empty()) {
    options.purposes.assign(known, known + 3);
  }
  return options;
}

// The options of a request that apply to each prim.
struct BoundsQuery {
  v1::BoundsSpace space = v1::BOUNDS_SPACE_WORLD;
  Prim relative_to;  // valid for the space RELATIVE
  std::span<const uint32_t> instances;
  std::optional<TimeCode> base_time;

  // The number of bounds of each item.
  size_t width() const { return instances.empty() ? 1 : instances.size(); }
};

absl::StatusOr<BoundsQuery> ParseBoundsQuery(const v1::ComputeBoundsRequest& request,
                                             const PrimBatch& batch, size_t max_items) {
  BoundsQuery query;
  query.space = request.space();
  if (query.space == v1::BOUNDS_SPACE_RELATIVE) {
    SD_ASSIGN_OR_RETURN(query.relative_to, LookUpPrim(batch.leased.stage(), request.relative_to()));
  } else if (!request.relative_to().empty()) {
    return InvalidFieldError("relative_to", Quoted(request.relative_to()),
                             "needs the space RELATIVE");
  }
  const auto& instances = request.instance_indices();
  query.instances = {instances.data(), static_cast<size_t>(instances.size())};
  SD_RETURN_IF_ERROR(CheckCount(query.instances.size(), max_items, "instances"));
  SD_RETURN_IF_ERROR(CheckCount(batch.item_count() * query.width(), max_items, "items"));
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(query.base_time, ParseTimeCode(request.base_time()));
  }
  return query;
}

// The columns of a reply.
class BoundsColumns {
 public:
  using Corners = std::vector<Vec3f>;

  // Makes all ranges empty. Incomplete once the budget is used up. `items` is the number of items,
  // `bounds` that of bounds.
  BoundsColumns(const v1::ComputeBoundsRequest& request, ReplyBudget& budget, size_t items,
                size_t bounds, v1::ComputeBoundsResponse* response)
      : budget_(budget), response_(*response) {
    bounds_ = FillPackedZeros(kRangePacking, bounds, budget, response->mutable_bounds());
    if (request.with_boxes()) {
      ranges_ = FillPackedZeros(kRangePacking, bounds, budget, response->mutable_box_ranges());
      matrices_ = FillPackedZeros(PackingOf(ValueType::kMatrix4d), bounds, budget,
                                  response->mutable_box_matrices());
    }
    if (request.with_extents_hints() &&
        budget.Charge(items * (sizeof(uint32_t) + sizeof(Corners)))) {
      response->mutable_extents_hint_sizes()->Resize(static_cast<int>(items), 0);
      hints_.resize(items);
    }
    if (budget.ok()) Clear(0, bounds);
  }

  // Makes ranges empty.
  void Clear(size_t first, size_t count) {
    for (size_t i = first; i < first + count; ++i) {
      PutRange(Range3d(), i, bounds_);
      if (ranges_ == nullptr) continue;
      PutRange(Range3d(), i, ranges_);
      std::memset(matrices_ + i * sizeof(Matrix4d), 0, sizeof(Matrix4d));
    }
  }
  void ClearHint(size_t item) {
    if (hints_.empty()) return;
    response_.set_extents_hint_sizes(static_cast<int>(item), 0);
    hints_[item].clear();
  }

  void PutBox(size_t index, const BBox3d& box) {
    if (!box.empty()) PutRange(box.AlignedRange(), index, bounds_);
    if (ranges_ == nullptr) return;
    PutRange(box.empty() ? Range3d() : box.range, index, ranges_);
    std::memcpy(matrices_ + index * sizeof(Matrix4d), &box.matrix.m[0][0], sizeof(Matrix4d));
  }
  void PutHint(size_t item, Corners corners) {
    if (!budget_.Charge(corners.size() * sizeof(Vec3f))) return;
    response_.set_extents_hint_sizes(static_cast<int>(item), static_cast<uint32_t>(corners.size()));
    hints_[item] = std::move(corners);
  }

  // Completes the reply.
  void Finish() {
    if (hints_.empty()) return;
    std::string corners;
    for (const Corners& hint : hints_) {
      corners.append(reinterpret_cast<const char*>(hint.data()), hint.size() * sizeof(Vec3f));
    }
    FillPackedHeader(PackingOf(ValueType::kVec3f), corners.size() / sizeof(Vec3f),
                     response_.mutable_extents_hints());
    response_.mutable_extents_hints()->set_data(std::move(corners));
  }

 private:
  static void PutRange(const Range3d& range, size_t index, char* column) {
    char* at = column + index * kRangePacking.bytes;
    std::memcpy(at, range.min.v, sizeof(range.min.v));
    std::memcpy(at + sizeof(range.min.v), range.max.v, sizeof(range.max.v));
  }

  ReplyBudget& budget_;
  v1::ComputeBoundsResponse& response_;
  char* bounds_ = nullptr;
  char* ranges_ = nullptr;
  char* matrices_ = nullptr;
  std::vector<Corners> hints_;  // for each item, if they are asked for
};

// Computes the bounds of a batch at one time.
class BoundsAtTime {
 public:
  BoundsAtTime(RequestContext& context, const BoundsQuery& query, TimeCode time,
               const BBoxCacheOptions& options)
      : context_(context), query_(query), cache_(time, options) {}
  ~BoundsAtTime() { context_.Release(cache_.reserved_bytes()); }

  // Puts the bounds of one item. Errors: those of ComputeInstanceBounds.
  absl::Status Put(const Prim& prim, size_t item, std::span<BBox3d> scratch,
                   BoundsColumns& columns) {
    const Matrix4d to_space = ToSpace(prim);
    if (query_.instances.empty()) {
      scratch[0] = cache_.UntransformedBound(context_, prim);
    } else {
      const TimeCode base = query_.base_time.value_or(cache_.time());
      SD_RETURN_IF_ERROR(
          ComputeInstanceBounds(context_, prim, base, query_.instances, cache_, scratch));
    }
    for (size_t i = 0; i < scratch.size(); ++i) {
      scratch[i].Transform(to_space);
      columns.PutBox(item * scratch.size() + i, scratch[i]);
    }
    return absl::OkStatus();
  }
  std::vector<Vec3f> ExtentsHint(const Prim& prim) {
    return ComputeExtentsHint(context_, prim, cache_);
  }

 private:
  Matrix4d ToSpace(const Prim& prim) {
    switch (query_.space) {
      case v1::BOUNDS_SPACE_UNTRANSFORMED:
        return Matrix4d::Identity();
      case v1::BOUNDS_SPACE_LOCAL:
        return cache_.xforms().Local(context_, prim);
      case v1::BOUNDS_SPACE_RELATIVE:
        return cache_.RelativeTransform(context_, prim, query_.relative_to);
      default:
        return cache_.xforms().LocalToWorld(context_, prim);
    }
  }

  RequestContext& context_;
  const BoundsQuery& query_;
  BBoxCache cache_;
};

// Puts the bounds and the hint of the items of one time. A prim of which they cannot be computed
// fails, and has none at other times.
absl::Status PutTime(RequestContext& context, BoundsAtTime& at, size_t time, bool with_hints,
                     std::span<BBox3d> scratch, PrimBatch& batch, BoundsColumns& columns) {
  Pacer pacer(context);
  for (size_t p = 0; p < batch.prims.size(); ++p) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerBound));
    const Prim& prim = batch.prims[p];
    if (!prim.valid()) continue;
    const size_t item = batch.ItemIndex(p, time);
    absl::Status status = at.Put(prim, item, scratch, columns);
    if (status.ok()) {
      if (with_hints) columns.PutHint(item, at.ExtentsHint(prim));
      continue;
    }
    if (status.code() != absl::StatusCode::kFailedPrecondition) return status;
    SD_RETURN_IF_ERROR(batch.Fail(context, p, std::move(status)));
    const size_t first = batch.ItemIndex(p, 0);
    columns.Clear(first * scratch.size(), time * scratch.size());
    for (size_t t = 0; t < time; ++t) columns.ClearHint(first + t);
  }
  return context.Check();
}

}  // namespace

absl::Status ComputeBounds(const QueryState& state, RequestContext& context,
                           const v1::ComputeBoundsRequest& request,
                           v1::ComputeBoundsResponse* response) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  SD_ASSIGN_OR_RETURN(const BoundsQuery query,
                      ParseBoundsQuery(request, batch, state.limits.max_items));
  if (!query.instances.empty()) SD_RETURN_IF_ERROR(batch.KeepType(context, Geom().PointInstancer));
  // Call the engine, and fill the reply.
  response->set_snapshot(batch.leased.snapshot->fingerprint());
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerBounds);
  BoundsColumns columns(request, budget, batch.item_count(), batch.item_count() * query.width(),
                        response);
  if (!budget.ok()) return budget.status();
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(query.width() * sizeof(BBox3d), "bounds of instances"));
  std::vector<BBox3d> scratch(query.width());
  const BBoxCacheOptions options =
      ParseBBoxCacheOptions(request, state.stages.environment().executor);
  for (size_t t = 0; t < batch.times.size(); ++t) {
    BoundsAtTime at(context, query, batch.times[t], options);
    SD_RETURN_IF_ERROR(
        PutTime(context, at, t, request.with_extents_hints(), scratch, batch, columns));
  }
  columns.Finish();
  batch.FillErrors(budget, response->mutable_path_errors());
  SD_RETURN_IF_ERROR(budget.status());
  // The reply stands if nothing that was read has changed meanwhile.
  return batch.leased.CheckRead();
}

}  // namespace stagedoor::server
