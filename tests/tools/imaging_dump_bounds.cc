#include "tests/tools/imaging_dump_bounds.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "scene/geom/attribute_values.h"
#include "scene/geom/bbox_cache.h"
#include "scene/geom/extents_hint.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_bounds.h"
#include "scene/skel/skel_extent.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

BBoxCacheOptions PlainOptions() {
  return {.purposes = {Geom().default_, Geom().render, Geom().proxy},
          .other_extents = ComputeSkelExtent};
}

std::string RangeJson(const Range3d& range) {
  if (range.empty()) return "null";
  std::string text;
  AppendValueJson(Value(Array<Vec3d>{range.min, range.max}), &text);
  return text;
}

std::string BoxJson(const BBox3d& box) {
  if (box.empty()) return "null";
  std::string text = RangeJson(box.range);
  text.back() = ',';
  AppendValueJson(Value(box.matrix), &text);
  return text + "]";
}

void PutHint(RequestContext& context, const Prim& prim, std::string_view name, BBoxCache cache,
             Record& record) {
  record.Put(name, Value(Array<Vec3f>::FromVector(ComputeExtentsHint(context, prim, cache))));
}

void PrintPrimBounds(RequestContext& context, const Prim& prim, const NamedTime& time) {
  BBoxCache plain(time.time, PlainOptions());
  Prim above = prim.parent();
  if (above.parent().valid()) above = above.parent();
  Record record("bounds", prim);
  record.Text("time", time.name);
  BBox3d relative = plain.UntransformedBound(context, prim);
  relative.Transform(plain.RelativeTransform(context, prim, above));
  record.Json("relative", RangeJson(relative.AlignedRange()));
  record.Json("box", BoxJson(plain.WorldBound(context, prim)));
  BBoxCacheOptions all = PlainOptions();
  all.use_extents_hint = true;
  all.ignore_visibility = true;
  BBoxCache hidden(time.time, all);
  record.Json("all", RangeJson(hidden.LocalBound(context, prim).AlignedRange()));
  PutHint(context, prim, "hint", BBoxCache(time.time, PlainOptions()), record);
  all.ignore_visibility = false;
  PutHint(context, prim, "hinted", BBoxCache(time.time, all), record);
  record.Print();
}

void PrintInstances(RequestContext& context, const Prim& prim, const NamedTime& time,
                    const NamedTime& base) {
  const auto indices = AttributeValueAs<Array<int>>(context, prim, Geom().protoIndices, base.time);
  std::vector<uint32_t> instances(indices ? indices->size() : 0);
  std::iota(instances.begin(), instances.end(), 0);
  std::vector<BBox3d> boxes(instances.size());
  BBoxCache cache(time.time, PlainOptions());
  // After an error, all bounds are empty, as those of usd-core.
  (void)ComputeInstanceBounds(context, prim, base.time, instances, cache, boxes);
  std::string all = "[";
  for (BBox3d& box : boxes) {
    box.Transform(cache.xforms().Local(context, prim));
    all += (all.size() > 1 ? "," : "") + RangeJson(box.AlignedRange());
  }
  Record record("instances", prim);
  record.Text("time", time.name);
  record.Text("key", base.name);
  record.Json("instances", all + "]");
  record.Print();
}

}  // namespace

void PrintBounds(RequestContext& context, const Prim& prim, const Times& times) {
  const bool shown = prim.IsActive() && prim.IsDefined() && !prim.IsAbstract();
  if (!shown || !prim.IsA(Geom().Imageable)) return;
  for (size_t i = 0; i < times.size(); ++i) {
    PrintPrimBounds(context, prim, times[i]);
    if (!prim.IsA(Geom().PointInstancer)) continue;
    PrintInstances(context, prim, times[i], times[i]);
    if (i >= 2) PrintInstances(context, prim, times[i], times[i - 1]);
  }
}

}  // namespace stagedoor
