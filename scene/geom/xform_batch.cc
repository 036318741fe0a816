#include "scene/geom/xform_batch.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/xform_ancestry.h"
#include "scene/geom/xform_query.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

// Bounds the memory for the matrices of ancestors.
constexpr size_t kTimesAtOnce = kMaxXformBlockTimes;
constexpr size_t kGrain = 128;  // prims per task of the executor
constexpr size_t kAhead = 8;    // prims; far enough for a prefetch to complete

// Invalid for the pseudo-root, as for invalid prims.
std::vector<Prim> ParentsOf(RequestContext& context, std::span<const Prim> prims) {
  std::vector<Prim> parents(prims.size());
  Pacer pacer(context);
  for (size_t p = 0; p < prims.size() && pacer.Go(); ++p) {
    if (prims[p].valid()) parents[p] = prims[p].parent();
  }
  return parents;
}

absl::Status ReserveParents(size_t prims, Reservation* reserved) {
  return reserved->Grow(prims * (sizeof(Prim) + sizeof(int)), "the parents of prims");
}

// Evaluates the ancestors of all prims first, each once, and then each prim on its own, whose
// matrices are written to their place at once.
class BatchEvaluator {
 public:
  BatchEvaluator(RequestContext& context, std::span<const Prim> prims, size_t times,
                 Executor* executor)
      : context_(context),
        prims_(prims),
        all_times_(times),
        executor_(executor),
        reserved_(context),
        above_(context, ParentsOf(context, prims)) {
    for (const Prim& prim : prims) {
      if (!prim.valid()) continue;
      table_ = &XformTable::Of(prim.stage());
      break;
    }
    node_resets_.resize(above_.size());
    resets_.resize(prims.size());
  }

  // Evaluates `times`, which are those from `first` on of the batch, and writes them to `columns`.
  absl::Status Evaluate(std::span<const TimeCode> times, size_t first,
                        const XformColumns& columns) {
    SD_RETURN_IF_ERROR(EvaluateAncestors(times));
    InPieces(prims_.size(), kGrain, [&](size_t begin, size_t end) {
      EvaluatePrims(begin, end, times, columns, begin * all_times_ + first, all_times_);
    });
    return context_.Check();
  }

  // Evaluates all times of the batch, for `block` prims at a time.
  absl::Status EvaluateBlocks(std::span<const TimeCode> times, size_t block,
                              const XformBlockSink& take) {
    SD_RETURN_IF_ERROR(EvaluateAncestors(times));
    InPieces(prims_.size(), block, [&](size_t begin, size_t end) {
      const size_t items = (end - begin) * times.size();
      Reservation reserved(context_);
      if (!reserved.Grow(items * sizeof(Matrix4d), "transforms").ok()) return;
      std::vector<Matrix4d> worlds(items);
      const XformColumns columns = {.world = reinterpret_cast<char*>(worlds.data())};
      EvaluatePrims(begin, end, times, columns, /*item=*/0, times.size());
      take(begin, worlds);
    });
    return context_.Check();
  }

  std::vector<bool> resets() const { return {resets_.begin(), resets_.end()}; }

 private:
  // Calls evaluate(begin, end) for pieces of at most `grain`, until the request is over.
  void InPieces(size_t count, size_t grain, const std::function<void(size_t, size_t)>& evaluate) {
    const auto piece = [&](size_t begin, size_t end) {
      if (context_.Check().ok()) evaluate(begin, end);
    };
    if (executor_ != nullptr && count > 2 * grain) {
      ParallelFor(*executor_, count, grain, piece);
    } else {
      for (size_t begin = 0; begin < count; begin += grain) {
        piece(begin, std::min(begin + grain, count));
      }
    }
  }

  absl::Status EvaluateAncestors(std::span<const TimeCode> times) {
    const size_t nodes = above_.size();
    if (const size_t bytes = nodes * times.size() * sizeof(Matrix4d); bytes > reserved_.bytes()) {
      SD_RETURN_IF_ERROR(reserved_.Grow(bytes - reserved_.bytes(), "transforms of ancestors"));
    }
    worlds_.resize(nodes * times.size());
    InPieces(nodes, kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        node_resets_[i] = EvaluateLocals(above_.prim(i), times, &worlds_[i * times.size()]);
      }
    });
    // In place: parents precede their children, so a parent's matrix is a world transform by now.
    for (size_t node = 0; node < nodes; ++node) {
      if (node_resets_[node]) continue;
      ApplyParent(above_.parent(node), times.size(), &worlds_[node * times.size()]);
    }
    return context_.Check();
  }

  // Writes the matrices of prims to `columns`: those of the first from `item` on, those of each
  // other one `stride` further.
  void EvaluatePrims(size_t begin, size_t end, std::span<const TimeCode> times,
                     const XformColumns& columns, size_t item, size_t stride) {
    std::vector<Matrix4d> scratch(times.size());
    for (size_t p = begin; p < end; ++p, item += stride) {
      if (p + kAhead < end && prims_[p + kAhead].valid()) table_->Prefetch(prims_[p + kAhead]);
      if (prims_[p].valid()) {
        EvaluatePrim(p, times, columns, item, scratch.data());
      } else {
        PutZeros(times.size(), item, columns);
      }
    }
  }

  // Writes the matrices of a prim from `item` on. `own` has room for one for each time.
  void EvaluatePrim(size_t p, std::span<const TimeCode> times, const XformColumns& columns,
                    size_t item, Matrix4d* own) {
    const Prim& prim = prims_[p];
    const int node = above_.Find(prim);
    const Matrix4d* world = own;
    if (node != XformAncestry::kNone && columns.local == nullptr) {
      world = &worlds_[static_cast<size_t>(node) * times.size()];
      resets_[p] = node_resets_[static_cast<size_t>(node)];
    } else {
      resets_[p] = EvaluateLocals(prim, times, own);
      if (columns.local != nullptr) Put(own, times.size(), item, columns.local);
      if (!resets_[p]) ApplyParent(above_.nodes_of()[p], times.size(), own);
    }
    Put(world, times.size(), item, columns.world);
  }

  // Returns whether the prim resets the transform stack.
  bool EvaluateLocals(const Prim& prim, std::span<const TimeCode> times, Matrix4d* out) {
    std::optional<XformQuery> own, at_default;
    const XformQuery& query = table_->Find(context_, prim, &own);
    if (const Matrix4d* fixed = query.fixed()) {
      std::fill_n(out, times.size(), *fixed);
      return query.resets_xform_stack();
    }
    for (size_t t = 0; t < times.size(); ++t) {
      // The table's queries are for numeric times; default time needs one of its own.
      const XformQuery* of_time = &query;
      if (times[t].is_default()) {
        if (!at_default) at_default = XformQuery::Compile(context_, prim, times[t]);
        of_time = &*at_default;
      }
      out[t] = of_time->LocalAt(context_, times[t]);
    }
    return query.resets_xform_stack();
  }

  void ApplyParent(int parent, size_t times, Matrix4d* locals) const {
    if (parent == XformAncestry::kNone) return;
    const Matrix4d* above = &worlds_[static_cast<size_t>(parent) * times];
    for (size_t t = 0; t < times; ++t) locals[t] = locals[t] * above[t];
  }

  static void PutZeros(size_t count, size_t item, const XformColumns& columns) {
    for (char* column : {columns.world, columns.local}) {
      if (column == nullptr) continue;
      std::memset(column + item * sizeof(Matrix4d), 0, count * sizeof(Matrix4d));
    }
  }

  static void Put(const Matrix4d* matrices, size_t count, size_t item, char* column) {
    std::memcpy(column + item * sizeof(Matrix4d), matrices, count * sizeof(Matrix4d));
  }

  RequestContext& context_;
  const std::span<const Prim> prims_;
  const size_t all_times_;
  Executor* const executor_;
  Reservation reserved_;  // for worlds_
  XformTable* table_ = nullptr;
  const XformAncestry above_;      // its nodes are the prims' ancestors
  std::vector<char> node_resets_;  // not vector<bool>, as threads write neighbors
  std::vector<Matrix4d> worlds_;   // per node and time
  std::vector<char> resets_;       // per prim
};

}  // namespace

absl::StatusOr<std::vector<bool>> ComputeXformsInto(const XformColumns& columns,
                                                    RequestContext& context,
                                                    std::span<const Prim> prims,
                                                    std::span<const TimeCode> times,
                                                    Executor* executor) {
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(ReserveParents(prims.size(), &reserved));
  BatchEvaluator evaluator(context, prims, times.size(), executor);
  SD_RETURN_IF_ERROR(context.Check());
  for (size_t first = 0; first < times.size(); first += kTimesAtOnce) {
    const size_t count = std::min(kTimesAtOnce, times.size() - first);
    SD_RETURN_IF_ERROR(evaluator.Evaluate(times.subspan(first, count), first, columns));
  }
  return evaluator.resets();
}

absl::StatusOr<std::vector<bool>> ComputeXformBlocks(RequestContext& context,
                                                     std::span<const Prim> prims,
                                                     std::span<const TimeCode> times, size_t block,
                                                     const XformBlockSink& take,
                                                     Executor* executor) {
  if (times.size() > kMaxXformBlockTimes) {
    return InvalidArgumentError(times.size(), " times are too many for blocks");
  }
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(ReserveParents(prims.size(), &reserved));
  BatchEvaluator evaluator(context, prims, times.size(), executor);
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(evaluator.EvaluateBlocks(times, block, take));
  return evaluator.resets();
}

absl::StatusOr<XformBatch> ComputeXforms(RequestContext& context, std::span<const Prim> prims,
                                         std::span<const TimeCode> times, bool with_local,
                                         Executor* executor) {
  XformBatch batch{.reserved = Reservation(context)};
  const size_t items = prims.size() * times.size();
  SD_RETURN_IF_ERROR(
      batch.reserved.Grow((with_local ? 2 : 1) * items * sizeof(Matrix4d), "transforms"));
  batch.world.resize(items);
  if (with_local) batch.local.resize(items);
  const XformColumns columns = {reinterpret_cast<char*>(batch.world.data()),
                                with_local ? reinterpret_cast<char*>(batch.local.data()) : nullptr};
  SD_ASSIGN_OR_RETURN(batch.resets, ComputeXformsInto(columns, context, prims, times, executor));
  for (size_t p = 0; p < prims.size(); ++p) {
    if (prims[p].valid()) continue;
    for (std::vector<Matrix4d>* matrices : {&batch.world, &batch.local}) {
      if (matrices->empty()) continue;
      std::fill_n(matrices->begin() + static_cast<ptrdiff_t>(p * times.size()), times.size(),
                  Matrix4d::Identity());
    }
  }
  return batch;
}

}  // namespace stagedoor
