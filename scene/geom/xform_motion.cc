#include "scene/geom/xform_motion.h"

#include <optional>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/geom/xform_ancestry.h"
#include "scene/geom/xform_query.h"

namespace stagedoor {
namespace {

// The prim and its ancestors, up to one that resets the transform stack, without `root` and those
// above it.
absl::StatusOr<std::vector<Prim>> PrimsThatMove(RequestContext& context, const Prim& prim,
                                                const Prim& root = {}) {
  std::vector<Prim> prims;
  Pacer pacer(context);
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot() && !(at == root); at = at.parent()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    prims.push_back(at);
    std::optional<XformQuery> own;
    if (XformTable::Of(at.stage()).Find(context, at, &own).resets_xform_stack()) break;
  }
  return prims;
}

absl::Status AddSourcesOf(RequestContext& context, const std::vector<Prim>& prims,
                          SourceSink* sink) {
  for (const Prim& prim : prims) {
    std::optional<XformQuery> own;
    const XformQuery& query = XformTable::Of(prim.stage()).Find(context, prim, &own);
    SD_RETURN_IF_ERROR(query.AddSources(context, prim, sink));
  }
  return context.Check();
}

}  // namespace

absl::StatusOr<XformMotion> FindXformMotion(RequestContext& context, std::span<const Prim> prims,
                                            double begin, double end) {
  using List = std::shared_ptr<const MotionTimes>;
  XformMotion motion{.reserved = Reservation(context)};
  const XformAncestry ancestry(context, prims);
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(
      motion.reserved.Grow((prims.size() + ancestry.size()) * sizeof(List), "motion samples"));
  std::vector<List> lists(ancestry.size());
  XformTable* const table = ancestry.stage() ? &XformTable::Of(*ancestry.stage()) : nullptr;
  Pacer pacer(context);
  for (size_t node = 0; node < ancestry.size(); ++node) {
    SD_RETURN_IF_ERROR(pacer.Step());
    std::optional<XformQuery> own;
    const Prim& prim = ancestry.prim(node);
    const XformQuery& query = table->Find(context, prim, &own);
    const int parent = ancestry.parent(node);
    if (parent != XformAncestry::kNone && !query.resets_xform_stack()) {
      lists[node] = lists[static_cast<size_t>(parent)];
    }
    if (query.fixed()) continue;
    MotionTimes times(begin, end);
    SD_RETURN_IF_ERROR(query.AddSources(context, prim, &times));
    if (times.empty()) continue;
    if (lists[node]) times.Join(*lists[node]);
    SD_RETURN_IF_ERROR(motion.reserved.Grow(times.byte_size(), "motion samples"));
    lists[node] = std::make_shared<const MotionTimes>(std::move(times));
  }
  for (const int node : ancestry.nodes_of()) {
    motion.times.push_back(node == XformAncestry::kNone ? nullptr
                                                        : lists[static_cast<size_t>(node)]);
  }
  return motion;
}

absl::Status AddXformMotion(RequestContext& context, const Prim& prim, SourceSink* sink,
                            const Prim& root) {
  SD_ASSIGN_OR_RETURN(const std::vector<Prim> prims, PrimsThatMove(context, prim, root));
  return AddSourcesOf(context, prims, sink);
}

absl::Status AddRelativeXformMotion(RequestContext& context, const Prim& a, const Prim& b,
                                    SourceSink* sink) {
  SD_ASSIGN_OR_RETURN(std::vector<Prim> above_a, PrimsThatMove(context, a));
  SD_ASSIGN_OR_RETURN(std::vector<Prim> above_b, PrimsThatMove(context, b));
  while (!above_a.empty() && !above_b.empty() && above_a.back() == above_b.back()) {
    above_a.pop_back();
    above_b.pop_back();
  }
  SD_RETURN_IF_ERROR(AddSourcesOf(context, above_a, sink));
  return AddSourcesOf(context, above_b, sink);
}

}  // namespace stagedoor
