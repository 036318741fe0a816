// imaging_dump: prints what renderers ask for of all prims of a stage without a daemon, for
// comparisons with usd-core.
//
//   imaging_dump ROOT KIND TIMES
//
// KIND is camera, instancer, points or visibility. TIMES are separated by commas: default,1,2.5.
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/camera.h"
#include "scene/geom/frustum.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/point_based.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

// One line of JSON.
class Record {
 public:
  Record(std::string_view kind, const Prim& prim) : text_("{\"record\":") {
    AppendJsonString(kind, &text_);
    Text("path", prim.path().ToString());
  }
  void Text(std::string_view name, std::string_view text) {
    Name(name);
    AppendJsonString(text, &text_);
  }
  void Put(std::string_view name, const Value& value) {
    Name(name);
    AppendValueJson(value, &text_);
  }
  void Bool(std::string_view name, bool value) {
    Name(name);
    text_ += value ? "true" : "false";
  }
  void Print() { std::cout << text_ << "}\n"; }

 private:
  void Name(std::string_view name) {
    text_ += ',';
    AppendJsonString(name, &text_);
    text_ += ':';
  }

  std::string text_;
};

struct NamedTime {
  std::string name;
  TimeCode time;
};

using Times = std::vector<NamedTime>;

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

void PrintPrim(RequestContext& context, const Prim& prim, std::string_view kind,
               const Times& times) {
  if (kind == "visibility") return PrintVisibility(context, prim, times);
  if (kind == "points") return PrintMotion(context, prim, times);
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
