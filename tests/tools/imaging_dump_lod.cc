#include "tests/tools/imaging_dump_lod.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scene/geom/camera.h"
#include "scene/geom/frustum.h"
#include "scene/geom/xform_cache.h"
#include "scene/lod/lod_choice.h"
#include "scene/lod/lod_heuristic.h"
#include "scene/lod/lod_tokens.h"
#include "scene/skel/skel_extent.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix_math.h"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

LodView ViewOf(RequestContext& context, const Prim& camera, XformCache& xforms) {
  const Matrix4d world = xforms.LocalToWorld(context, camera);
  const Camera lens = CameraQuery(context, camera).At(context, xforms.time());
  LodView view;
  view.viewpoint = ExtractTranslation(world);
  view.volume.emplace(FrustumOf(lens, ConformPolicy::kDontConform, 0), ViewMatrix(world));
  return view;
}

Json MeasuresOf(RequestContext& context, const Prim& root, const Matrix4d& world,
                const LodView& view, BBoxCache& cache) {
  Json list = Json::array();
  const Relationship heuristics = root.GetRelationship(Lod().lod_heuristics);
  for (const Path target : heuristics.ForwardedTargets(context)) {
    const Prim prim = target.IsProperty() ? Prim() : root.stage().FindPrim(target);
    if (!prim.valid() || !LodHeuristicKindOf(prim)) continue;
    const LodHeuristic read = ReadLodHeuristic(context, prim, cache);
    const std::optional<double> measure =
        read.kind == LodHeuristicKind::kDistance
            ? std::optional<double>(LodDistance(read, view.viewpoint, world))
            : LodScreenSize(read, *view.volume, world);
    if (measure) list.push_back({read.domain.str(), *measure, LevelOf(read, *measure)});
  }
  return list;
}

Json ChoiceOf(const LodChoice& choice) {
  const char* shown = choice.shown == LodChoice::Shown::kAll      ? "allLOD"
                      : choice.shown == LodChoice::Shown::kLevels ? "levels"
                                                                  : "noLOD";
  const char* reason = choice.reason == LodChoice::Reason::kOverride    ? "override"
                       : choice.reason == LodChoice::Reason::kHeuristic ? "heuristic"
                                                                        : "default";
  const bool has_level = choice.shown != LodChoice::Shown::kAll;
  return {shown, reason, has_level ? choice.level : 0};
}

}  // namespace

void PrintLod(RequestContext& context, const Prim& prim, const Times& times) {
  if (!IsLodRoot(prim)) return;
  const Prim camera = prim.stage().FindPrim("/Camera");
  Json names = Json::array();
  for (const Prim& level : LodLevels(prim)) names.push_back(level.name().str());
  for (const NamedTime& time : times) {
    XformCache xforms(time.time);
    BBoxCache cache(time.time, {.other_extents = ComputeSkelExtent});
    const LodView view = ViewOf(context, camera, xforms);
    const Matrix4d world = xforms.LocalToWorld(context, prim);
    const LodChoice choice = ChooseLod(context, prim, names.size(), "imaging", world, view, cache);
    Record record("lod", prim);
    record.Text("time", time.name);
    record.Json("levels", names.dump());
    record.Json("override",
                Json{choice.override_opinion.mode.str(), choice.override_opinion.index}.dump());
    record.Json("choice", ChoiceOf(choice).dump());
    record.Json("measures", MeasuresOf(context, prim, world, view, cache).dump());
    record.Print();
  }
}

}  // namespace stagedoor
