#include "tests/tools/imaging_dump_models.h"

#include <optional>

#include "scene/geom/model.h"
#include "scene/geom/xform_cache.h"

namespace stagedoor {

void PrintModel(RequestContext& context, const Prim& prim, const Times& times) {
  Record mode("model", prim);
  mode.Text("drawMode", ComputeModelDrawMode(context, prim).text());
  mode.Print();
  for (const ConstraintTarget& target : FindConstraintTargets(context, prim)) {
    for (const NamedTime& time : times) {
      const std::optional<Matrix4d> world = ComputeInWorldSpace(
          context, target, time.time, XformCache(time.time).LocalToWorld(context, prim));
      Record record("constraintTarget", prim);
      record.Text("time", time.name);
      record.Text("key", target.attribute.name().text());
      record.Text("identifier", target.identifier);
      if (world) record.Put("world", Value(*world));
      record.Print();
    }
  }
}

}  // namespace stagedoor
