#include "scene/lod/lod_choice.h"

#include <algorithm>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/lod/lod_thresholds.h"
#include "scene/lod/lod_tokens.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr int64_t kStepsPerHeuristic = 64;

// An index within the levels; 0 for nan.
float Limited(float level, size_t levels) {
  if (!(level > 0)) return 0;
  return std::min(level, static_cast<float>(levels - 1));
}

// Applies a heuristic. False if it cannot be used.
bool Apply(RequestContext& context, const Prim& heuristic, const Matrix4d& local_to_world,
           const LodView& view, BBoxCache& cache, const LodChoice* previous, LodChoice* choice) {
  const LodHeuristic read = ReadLodHeuristic(context, heuristic, cache);
  double hysteresis = view.distance_hysteresis;
  if (read.kind == LodHeuristicKind::kDistance) {
    choice->measure = LodDistance(read, view.viewpoint, local_to_world);
  } else {
    const auto size = LodScreenSize(read, *view.volume, local_to_world);
    if (!size) return false;
    choice->measure = *size;
    hysteresis = view.screen_size_hysteresis;
  }
  if (previous != nullptr && previous->heuristic == heuristic) {
    choice->measure = WithHysteresis(choice->measure, previous->measure, hysteresis);
  }
  choice->reason = LodChoice::Reason::kHeuristic;
  choice->heuristic = heuristic;
  choice->kind = read.kind;
  choice->level = LevelOf(read, choice->measure);
  return true;
}

// Applies the first heuristic of the domain that can be used. False if there is none.
bool ApplyFirst(RequestContext& context, const Prim& root, std::string_view domain,
                const Matrix4d& local_to_world, const LodView& view, BBoxCache& cache,
                const LodChoice* previous, LodChoice* choice) {
  const Relationship heuristics = root.GetRelationship(Lod().lod_heuristics);
  if (!heuristics.valid()) return false;
  Pacer pacer(context);
  for (const Path target : heuristics.ForwardedTargets(context)) {
    if (!pacer.Go(kStepsPerHeuristic)) return false;
    if (target.IsProperty()) continue;
    const Prim prim = root.stage().FindPrim(target);
    const auto kind = prim.valid() ? LodHeuristicKindOf(prim) : std::nullopt;
    if (!kind || (*kind == LodHeuristicKind::kScreenSize && !view.volume)) continue;
    const auto own = AttributeValueAs<Token>(context, prim, Lod().lod_domain, cache.time());
    if (own.value_or(Token()).text() != domain) continue;
    if (Apply(context, prim, local_to_world, view, cache, previous, choice)) return true;
  }
  return false;
}

}  // namespace

bool IsLodRoot(const Prim& prim) { return prim.HasApi(Lod().LODRootAPI); }

std::vector<Prim> LodLevels(const Prim& root) {
  return root.Children(PrimFlagsPredicate::Default().WithInstanceProxies());
}

LodChoice ChooseLod(RequestContext& context, const Prim& root, size_t levels,
                    std::string_view domain, const Matrix4d& local_to_world, const LodView& view,
                    BBoxCache& cache, const LodChoice* previous) {
  LodChoice choice;
  choice.override_opinion = ComputeLodOverride(context, root, cache.time());
  const Token mode = choice.override_opinion.mode;
  if (mode == Lod().noLOD || mode == Lod().allLOD) {
    choice.reason = LodChoice::Reason::kOverride;
    choice.shown = mode == Lod().allLOD ? LodChoice::Shown::kAll : LodChoice::Shown::kNone;
  } else if (mode == Lod().indexedLOD) {
    choice.reason = LodChoice::Reason::kOverride;
    choice.level = choice.override_opinion.index;
  } else if (!ApplyFirst(context, root, domain, local_to_world, view, cache, previous, &choice)) {
    choice.level = static_cast<float>(
        AttributeValueAs<int>(context, root, Lod().lod_default_index, cache.time()).value_or(0));
  }
  if (levels == 0) {
    choice.shown = LodChoice::Shown::kNone;
    choice.level = 0;
  } else {
    choice.level = Limited(choice.level, levels);
  }
  return choice;
}

}  // namespace stagedoor
