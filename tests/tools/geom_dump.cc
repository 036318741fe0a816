// geom_dump: prints the geom and skin records of a stage without a daemon, for running conformance
// cases during development.
//
//   geom_dump ROOT [--session F] [--times default,1,2.5] [--load none] [--mask PATH]
//   [--variant-fallback SET=A,B]
//             [--interpolation held] [--instance-proxies] [--geom] [--instances] [--skin]
//
// --instances adds to the records of each point instancer the transforms of its instances at each
// time, with that time and with the preceding one as base time.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/testing/thread_pool_executor.h"
#include "scene/engine/local_engine.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/imageable.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/primvar.h"
#include "scene/geom/xform_cache.h"
#include "scene/stage/stage.h"
#include "scene/values/matrix.h"
#include "scene/values/vec.h"
#include "tests/tools/geom_dump_skin.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

struct Options {
  StageOptions stage;
  std::vector<std::pair<std::string, TimeCode>> times;
  bool proxies = false;
  bool geom = false;
  bool instances = false;
  bool skin = false;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

void AddTimes(std::string_view list, Options* options) {
  for (const std::string& word : Split(list, ',')) {
    const auto time = TimeCode::Parse(word);
    if (!time.ok() || time->is_pre_time() || time->is_earliest()) continue;
    options->times.emplace_back(word, *time);
  }
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  options.stage.root = argv[1];
  std::vector<Path> mask;
  for (int i = 2; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (flag == "--session") options.stage.session = next();
    if (flag == "--times") AddTimes(next(), &options);
    if (flag == "--load" && next() == "none") options.stage.load = LoadRules::None();
    if (flag == "--mask") mask.push_back(Path::Parse(next()).value_or(Path()));
    if (flag == "--interpolation" && next() == "held")
      options.stage.interpolation = Interpolation::kHeld;
    if (flag == "--instance-proxies") options.proxies = true;
    if (flag == "--geom") options.geom = true;
    if (flag == "--instances") options.instances = true;
    if (flag == "--skin") options.skin = true;
    if (flag == "--variant-fallback") {
      const auto parts = Split(next(), '=');
      if (parts.size() == 2)
        options.stage.variant_fallbacks.emplace_back(parts[0], Split(parts[1], ','));
    }
  }
  if (!mask.empty()) options.stage.mask = PopulationMask(std::move(mask));
  return options;
}

class GeomDump {
 public:
  GeomDump(RequestContext& context, const Stage& stage, const Options& options)
      : context_(context), stage_(stage), options_(options) {
    for (const auto& [word, time] : options.times) {
      BBoxCacheOptions bounds;
      bounds.purposes = {Geom().default_, Geom().render, Geom().proxy};
      bounds.other_extents = SkelExtents();
      xforms_.emplace_back(time);
      bounds_.emplace_back(time, bounds);
    }
  }

  void DumpPrims() {
    PrimFlagsPredicate predicate = PrimFlagsPredicate::All();
    if (options_.proxies) predicate = predicate.WithInstanceProxies();
    for (const Prim& prim : stage_.Traverse(predicate)) {
      const bool shown = prim.IsActive() && prim.IsDefined() && !prim.IsAbstract();
      if (!shown || !prim.IsA(Geom().Imageable)) continue;
      for (size_t i = 0; i < options_.times.size(); ++i) DumpPrim(prim, i);
      if (options_.instances && prim.IsA(Geom().PointInstancer)) DumpInstances(prim);
    }
  }

 private:
  void DumpInstances(const Prim& prim) {
    for (size_t i = 0; i < options_.times.size(); ++i) {
      if (options_.times[i].second.is_default()) continue;
      const size_t before = std::max<size_t>(i, 2) - 1;
      DumpInstances(prim, i, i);
      if (before < i) DumpInstances(prim, i, before);
    }
  }

  void DumpInstances(const Prim& prim, size_t i, size_t base) {
    const auto instances = ComputeInstanceTransforms(context_, prim, options_.times[i].second,
                                                     options_.times[base].second);
    std::string out = "{\"record\":\"instances\",\"path\":";
    AppendJsonString(prim.path().ToString(), &out);
    out += ",\"time\":";
    AppendJsonString(options_.times[i].first, &out);
    out += ",\"base\":";
    AppendJsonString(options_.times[base].first, &out);
    if (instances.ok()) {
      out += ",\"transforms\":";
      AppendValueJson(Value(Array<Matrix4d>::FromVector(instances->transforms)), &out);
    }
    std::cout << out << "}\n";
  }

  void DumpPrim(const Prim& prim, size_t i) {
    const auto& [word, time] = options_.times[i];
    std::string out = "{\"record\":\"geom\",\"path\":";
    AppendJsonString(prim.path().ToString(), &out);
    out += ",\"time\":";
    AppendJsonString(word, &out);
    out += ",\"localToWorld\":";
    AppendValueJson(Value(xforms_[i].LocalToWorld(context_, prim)), &out);
    if (XformQuery::Compile(context_, prim, time).resets_xform_stack()) {
      out += ",\"resetsXformStack\":true";
    }
    out += ",\"visibility\":";
    AppendJsonString(ComputeVisibility(context_, prim, time).text(), &out);
    out += ",\"purpose\":";
    AppendJsonString(ComputePurposeInfo(context_, prim).purpose.text(), &out);
    out += ",\"worldBound\":";
    const Range3d range = bounds_[i].WorldBound(context_, prim).AlignedRange();
    if (range.empty()) {
      out += "null";
    } else {
      AppendValueJson(Value(Array<Vec3d>{range.min, range.max}), &out);
    }
    out += ",\"primvars\":{";
    bool first = true;
    for (const Primvar& primvar : FindPrimvarsWithInheritance(context_, prim)) {
      if (!std::exchange(first, false)) out += ',';
      DumpPrimvar(primvar, time, &out);
    }
    out += "}}\n";
    std::cout << out;
  }

  void DumpPrimvar(const Primvar& primvar, TimeCode time, std::string* out) {
    AppendJsonString(primvar.name(), out);
    *out += ":{\"typeName\":";
    AppendJsonString(primvar.attribute().TypeName().text(), out);
    *out += ",\"interpolation\":";
    AppendJsonString(primvar.Interpolation(context_).text(), out);
    if (const int size = primvar.ElementSize(context_); size != 1)
      *out += ",\"elementSize\":" + std::to_string(size);
    *out += ",\"value\":";
    const Value value = primvar.Get(context_, time);
    value.empty() ? void(*out += "null") : AppendValueJson(value, out);
    if (primvar.IsIndexed(context_)) {
      *out += ",\"indices\":";
      AppendValueJson(Value(primvar.GetIndices(context_, time).value_or(Array<int>())), out);
    }
    *out += '}';
  }

  RequestContext& context_;
  const Stage& stage_;
  const Options& options_;
  std::vector<XformCache> xforms_;
  std::vector<BBoxCache> bounds_;
};

int Run(const Options& options) {
  RequestContext context;
  ThreadPoolExecutor executor(2);
  const auto engine = LocalEngine::Create({}, executor);
  if (!engine.ok()) return 1;
  const auto stage = Stage::Open(context, (*engine)->environment(), options.stage);
  if (!stage.ok()) {
    std::cerr << stage.status() << "\n";
    return 1;
  }
  if (options.geom) GeomDump(context, **stage, options).DumpPrims();
  if (options.skin) std::cout << DumpSkin(context, **stage, options.times);
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: geom_dump ROOT [options]\n";
    return 2;
  }
  return stagedoor::Run(stagedoor::ParseOptions(argc, argv));
}
