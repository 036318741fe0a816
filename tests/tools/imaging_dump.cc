// imaging_dump: prints what renderers ask for of all prims of a stage without a daemon, for
// comparisons with usd-core.
//
//   imaging_dump ROOT KIND TIMES
//
// KIND is bounds, camera, instancer, labels, lod, models, motion, physics, points, render,
// skinning, skinning_data, spaces, statistics, subsets, topology or visibility. TIMES are separated
// by commas: default,1,2.5.
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/testing/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/camera.h"
#include "scene/geom/frustum.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/point_based.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/sample_policy.h"
#include "scene/geom/xform_cache.h"
#include "scene/geom/xform_motion.h"
#include "scene/skel/skel_cache.h"
#include "scene/skel/skin_motion.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "tests/tools/imaging_dump_bounds.h"
#include "tests/tools/imaging_dump_labels.h"
#include "tests/tools/imaging_dump_lod.h"
#include "tests/tools/imaging_dump_models.h"
#include "tests/tools/imaging_dump_physics.h"
#include "tests/tools/imaging_dump_render.h"
#include "tests/tools/imaging_dump_skinning.h"
#include "tests/tools/imaging_dump_spaces.h"
#include "tests/tools/imaging_dump_subsets.h"
#include "tests/tools/imaging_dump_topology.h"
#include "tests/tools/imaging_record.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

Times ParseTimes(std::string_view list) {
  Times times;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string word(list.substr(0, comma));
    times.push_back({word, TimeCode::Parse(word).value_or(TimeCode::Default())});
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return times;
}

Value Corners(const Frustum& frustum) {
  return Value(Array<double>{frustum.min[0], frustum.min[1], frustum.max[0], frustum.max[1]});
}

void PrintCamera(RequestContext& context, const Prim& prim, const NamedTime& time) {
  static constexpr struct {
    const char* name;
    ConformPolicy policy;
    double aspect_ratio;
  } kConformed[] = {
      {"fit 2", ConformPolicy::kFit, 2},
      {"fit 0.5", ConformPolicy::kFit, 0.5},
      {"crop 2", ConformPolicy::kCrop, 2},
      {"crop 0.5", ConformPolicy::kCrop, 0.5},
      {"vertically 1.25", ConformPolicy::kMatchVertically, 1.25},
      {"horizontally 1.25", ConformPolicy::kMatchHorizontally, 1.25},
  };
  const CameraQuery query(context, prim);
  const Camera c = query.At(context, time.time);
  const Frustum frustum = FrustumOf(c, ConformPolicy::kDontConform, 0);
  Record record("camera", prim);
  record.Text("time", time.name);
  record.Bool("orthographic", c.orthographic);
  record.Put("lens", Value(Array<float>{c.horizontal_aperture, c.vertical_aperture,
                                        c.horizontal_aperture_offset, c.vertical_aperture_offset,
                                        c.focal_length, c.f_stop, c.focus_distance}));
  record.Put("clippingRange", Value(c.clipping_range));
  record.Put("clippingPlanes", Value(c.clipping_planes));
  record.Put("shutter", Value(Vec2d{c.shutter_open, c.shutter_close}));
  record.Put("exposure", Value(Vec2f{c.exposure, c.linear_exposure_scale}));
  record.Text("stereoRole", query.StereoRole(context).text());
  record.Put("fieldOfView",
             Value(Vec2d{frustum.horizontal_field_of_view, frustum.vertical_field_of_view}));
  record.Put("window", Corners(frustum));
  record.Put("projection", Value(frustum.ProjectionMatrix()));
  record.Put("view", Value(ViewMatrix(XformCache(time.time).LocalToWorld(context, prim))));
  for (const auto& [name, policy, aspect_ratio] : kConformed) {
    record.Put(name, Corners(FrustumOf(c, policy, aspect_ratio)));
  }
  record.Print();
}

void PrintVisibility(RequestContext& context, const Prim& prim, const Times& times) {
  for (const NamedTime& time : times) {
    Record record("visibility", prim);
    record.Text("time", time.name);
    for (const Token purpose : {Geom().default_, Geom().render, Geom().proxy, Geom().guide}) {
      record.Text(purpose.text(),
                  ComputeEffectiveVisibility(context, prim, purpose, time.time).text());
    }
    record.Print();
  }
  const ProxyPrim found = ComputeProxyPrim(context, prim);
  Record record("proxy", prim);
  record.Text("proxy", found.proxy.valid() ? found.proxy.PathText() : "");
  record.Text("render", found.proxy.valid() ? found.render_prim.PathText() : "");
  record.Print();
}

void PrintMask(RequestContext& context, const Prim& prim, const NamedTime& time) {
  const auto indices = AttributeValueAs<Array<int>>(context, prim, Geom().protoIndices, time.time);
  const std::vector<bool> mask =
      ComputeInstanceMask(context, prim, time.time, indices ? indices->size() : 0);
  Record record("instancer", prim);
  record.Text("time", time.name);
  bool* out;
  const auto bools = Array<bool>::Uninitialized(mask.size(), &out);
  std::copy(mask.begin(), mask.end(), out);
  record.Put("mask", Value(bools));
  record.Put("ids", Value(ReadInstanceIds(context, prim, time.time)));
  record.Print();
}

void PrintPoints(RequestContext& context, const Prim& prim, const NamedTime& time,
                 const NamedTime& base) {
  const auto found = ComputePoints(context, prim, time.time, base.time);
  Record record("points", prim);
  record.Text("time", time.name);
  record.Text("key", base.name);
  if (found.ok()) record.Put("points", Value(found->points));
  record.Print();
}

void PrintMotion(RequestContext& context, const Prim& prim, const Times& times) {
  for (size_t i = 0; i < times.size(); ++i) {
    const MotionSettings motion = ComputeMotionSettings(context, prim, times[i].time);
    Record record("motion", prim);
    record.Text("time", times[i].name);
    record.Put("blurScale", Value(motion.blur_scale));
    record.Put("sampleCount", Value(motion.nonlinear_sample_count));
    record.Put("velocityScale", Value(motion.velocity_scale));
    record.Print();
    if (!prim.IsA(Geom().PointBased)) continue;
    PrintPoints(context, prim, times[i], times[i]);
    if (i >= 2) PrintPoints(context, prim, times[i], times[i - 1]);
  }
}

constexpr SamplePolicy kShutters[] = {{.open = -0.25, .close = 0.25},
                                      {.open = 0, .close = 0.5},
                                      {.open = -1, .close = 1},
                                      {.open = -0.5, .close = -0.25}};

void PutTimes(const MotionSelection& selection, std::string_view name, Record& record) {
  std::vector<double> numbers;
  for (const MotionTime& at : selection.times) numbers.push_back(at.time);
  record.Put(name, Value(Array<double>::FromVector(std::move(numbers))));
}

void PrintShutter(RequestContext& context, const Prim& prim, const NamedTime& time,
                  const SamplePolicy& policy) {
  const double frame = time.time.value();
  MotionTimes times(policy.Begin(frame), policy.End(frame));
  if (!AddXformMotion(context, prim, &times).ok()) return;
  Record record("motion", prim);
  record.Text("time", time.name);
  record.Text("key", Concat(policy.open, " to ", policy.close));
  const MotionSelection selection = times.Select(policy, frame);
  PutTimes(selection, "times", record);
  std::vector<Matrix4d> world;
  for (const MotionTime& at : selection.times) {
    world.push_back(XformCache(TimeCode::At(at.time)).LocalToWorld(context, prim));
  }
  record.Put("world", Value(Array<Matrix4d>::FromVector(std::move(world))));
  if (prim.IsA(Geom().Camera)) {
    if (!CameraQuery(context, prim).AddMotionTimes(context, &times).ok()) return;
    PutTimes(times.Select(policy, frame), "camera", record);
  }
  record.Print();
}

void PrintShutters(RequestContext& context, const Prim& prim, const Times& times) {
  for (const NamedTime& time : times) {
    if (time.time.is_default()) continue;
    for (const SamplePolicy& policy : kShutters) PrintShutter(context, prim, time, policy);
  }
}

// The times of what deforms the skinned prims of a stage.
bool PrintSkinning(RequestContext& context, const Stage& stage, const Times& times) {
  const auto skins = SkelCache::Of(stage).FindBelow(context, stage.PseudoRoot());
  if (!skins.ok()) return false;
  for (const SkinningTarget& skin : *skins) {
    if (!skin.skinned) continue;
    for (const NamedTime& time : times) {
      if (time.time.is_default()) continue;
      const double frame = time.time.value();
      for (const SamplePolicy& policy : kShutters) {
        Record record("skinning", skin.prim);
        record.Text("time", time.name);
        record.Text("key", Concat(policy.open, " to ", policy.close));
        for (const bool world : {false, true}) {
          MotionTimes moving(policy.Begin(frame), policy.End(frame));
          if (!AddSkinMotion(context, skin, {.world_space = world}, &moving).ok()) return false;
          PutTimes(moving.Select(policy, frame), world ? "world" : "own", record);
        }
        record.Print();
      }
    }
  }
  return true;
}

void PrintPrim(RequestContext& context, const Prim& prim, std::string_view kind,
               const Times& times) {
  if (kind == "visibility") return PrintVisibility(context, prim, times);
  if (kind == "spaces") {
    std::vector<TimeCode> codes;
    for (const NamedTime& time : times) codes.push_back(time.time);
    return PrintSpaces(context, prim, codes);
  }
  if (kind == "render") return PrintRender(context, prim);
  if (kind == "points") return PrintMotion(context, prim, times);
  if (kind == "bounds") return PrintBounds(context, prim, times);
  if (kind == "labels") return PrintLabels(context, prim, times);
  if (kind == "lod") return PrintLod(context, prim, times);
  if (kind == "models") return PrintModel(context, prim, times);
  if (kind == "subsets") return PrintSubsets(context, prim, times);
  if (kind == "topology") return PrintTopology(context, prim, times);
  if (kind == "physics") return PrintPhysics(context, prim);
  if (kind == "statistics") return PrintStatistics(context, prim);
  if (kind == "motion") return PrintShutters(context, prim, times);
  for (const NamedTime& time : times) {
    if (kind == "instancer" && prim.IsA(Geom().PointInstancer)) PrintMask(context, prim, time);
    if (kind == "camera" && prim.IsA(Geom().Camera)) PrintCamera(context, prim, time);
  }
}

int Run(const std::string& root, std::string_view kind, const Times& times) {
  RequestContext context;
  ThreadPoolExecutor executor(1);
  const auto engine = LocalEngine::Create({}, executor);
  if (!engine.ok()) return 1;
  const auto stage = Stage::Open(context, (*engine)->environment(), {.root = root});
  if (!stage.ok()) {
    std::cerr << stage.status() << "\n";
    return 1;
  }
  if (kind == "skinning") return PrintSkinning(context, **stage, times) ? 0 : 1;
  if (kind == "skinning_data") return PrintSkinningData(context, **stage, times) ? 0 : 1;
  for (const Prim& prim : (*stage)->Traverse(PrimFlagsPredicate::All().WithInstanceProxies())) {
    PrintPrim(context, prim, kind, times);
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: imaging_dump ROOT KIND TIMES\n";
    return 2;
  }
  return stagedoor::Run(argv[1], argv[2], stagedoor::ParseTimes(argv[3]));
}
