#include "scene/geom/xform_batch.h"

#include <algorithm>
#include <optional>

#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "scene/geom/xform_ancestry.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

constexpr size_t kTimesAtOnce = 16;  // bounds the memory for the matrices of ancestors
constexpr size_t kGrain = 128;       // prims per task of the executor

class BatchEvaluator {
 public:
  BatchEvaluator(RequestContext& context, std::span<const Prim> prims, Executor* executor)
      : context_(context), executor_(executor), reserved_(context), ancestry_(context, prims) {
    if (ancestry_.stage()) table_ = &XformTable::Of(*ancestry_.stage());
    resets_.resize(ancestry_.size());
  }

  // Evaluates `times`, which are the times from `first` on of a batch of `all` times.
  absl::Status Evaluate(std::span<const TimeCode> times, size_t first, size_t all,
                        XformBatch* batch) {
    const size_t nodes = ancestry_.size();
    if (const size_t bytes = nodes * times.size() * sizeof(Matrix4d); bytes > reserved_.bytes()) {
      SD_RETURN_IF_ERROR(reserved_.Grow(bytes - reserved_.bytes(), "transforms of ancestors"));
    }
    locals_.resize(nodes * times.size());
    const auto evaluate = [&](size_t begin, size_t end) {
      if (!context_.Check().ok()) return;
      for (size_t i = begin; i < end; ++i) EvaluateLocals(i, times);
    };
    if (executor_ && nodes > 2 * kGrain) {
      ParallelFor(*executor_, nodes, kGrain, evaluate);
    } else {
      evaluate(0, nodes);
    }
    SD_RETURN_IF_ERROR(context_.Check());
    Put(times.size(), first, all, locals_, batch->local.empty() ? nullptr : &batch->local);
    // In place: parents precede their children, so a parent's matrix is a world transform by now.
    for (size_t i = 0; i < nodes; ++i) {
      const int parent = ancestry_.parent(i);
      if (parent == XformAncestry::kNone || resets_[i]) continue;
      for (size_t t = 0; t < times.size(); ++t) {
        Matrix4d& world = locals_[i * times.size() + t];
        world = world * locals_[static_cast<size_t>(parent) * times.size() + t];
      }
    }
    Put(times.size(), first, all, locals_, &batch->world);
    const std::vector<int>& nodes_of = ancestry_.nodes_of();
    for (size_t p = 0; p < nodes_of.size(); ++p) {
      if (nodes_of[p] != XformAncestry::kNone) {
        batch->resets[p] = resets_[static_cast<size_t>(nodes_of[p])] != 0;
      }
    }
    return absl::OkStatus();
  }

 private:
  void EvaluateLocals(size_t node, std::span<const TimeCode> times) {
    std::optional<XformQuery> own, at_default;
    const XformQuery& query = table_->Find(context_, ancestry_.prim(node), &own);
    resets_[node] = query.resets_xform_stack();
    Matrix4d* out = locals_.data() + node * times.size();
    if (const Matrix4d* fixed = query.fixed()) {
      std::fill_n(out, times.size(), *fixed);
      return;
    }
    for (size_t t = 0; t < times.size(); ++t) {
      // The table's queries are for numeric times; default time needs one of its own.
      const XformQuery* of_time = &query;
      if (times[t].is_default()) {
        if (!at_default) {
          at_default = XformQuery::Compile(context_, ancestry_.prim(node), times[t]);
        }
        of_time = &*at_default;
      }
      out[t] = of_time->LocalAt(context_, times[t]);
    }
  }

  // Copies the matrices of the queried prims from those of all nodes.
  void Put(size_t count, size_t first, size_t all, const std::vector<Matrix4d>& from,
           std::vector<Matrix4d>* to) const {
    if (!to) return;
    const std::vector<int>& nodes_of = ancestry_.nodes_of();
    for (size_t p = 0; p < nodes_of.size(); ++p) {
      if (nodes_of[p] == XformAncestry::kNone) continue;
      std::copy_n(
          from.begin() + static_cast<ptrdiff_t>(nodes_of[p]) * static_cast<ptrdiff_t>(count), count,
          to->begin() + static_cast<ptrdiff_t>(p * all + first));
    }
  }

  RequestContext& context_;
  Executor* const executor_;
  Reservation reserved_;  // for locals_
  XformTable* table_ = nullptr;
  const XformAncestry ancestry_;
  std::vector<char> resets_;      // per node; not vector<bool>, as threads write neighbors
  std::vector<Matrix4d> locals_;  // per node and time
};

}  // namespace

absl::StatusOr<XformBatch> ComputeXforms(RequestContext& context, std::span<const Prim> prims,
                                         std::span<const TimeCode> times, bool with_local,
                                         Executor* executor) {
  XformBatch batch{.reserved = Reservation(context)};
  const size_t items = prims.size() * times.size();
  SD_RETURN_IF_ERROR(
      batch.reserved.Grow((with_local ? 2 : 1) * items * sizeof(Matrix4d), "transforms"));
  batch.world.assign(items, Matrix4d::Identity());
  if (with_local) batch.local.assign(items, Matrix4d::Identity());
  batch.resets.assign(prims.size(), false);
  BatchEvaluator evaluator(context, prims, executor);
  SD_RETURN_IF_ERROR(context.Check());
  for (size_t first = 0; first < times.size(); first += kTimesAtOnce) {
    const size_t count = std::min(kTimesAtOnce, times.size() - first);
    SD_RETURN_IF_ERROR(
        evaluator.Evaluate(times.subspan(first, count), first, times.size(), &batch));
  }
  return batch;
}

}  // namespace stagedoor
