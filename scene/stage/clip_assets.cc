#include "scene/stage/clip_assets.h"

#include <cmath>
#include <limits>

#include "scene/stage/stage_data.h"

namespace stagedoor {
namespace {

// The layer stack of the clip set that `clips` belongs to; null if it is not found.
const LayerStack* StackOf(RequestContext& context, const Prim& prim, Token attribute,
                          const ClipAttribute* clips) {
  if (!prim.clips()) return nullptr;
  for (const auto& set : *prim.clips()) {
    for (const PrimIndexNode& node : prim.index().index->nodes()) {
      if (node.layer_stack != &set->layer_stack() || !node.path.HasPrefix(set->prim_path())) {
        continue;
      }
      const Path path = node.path.AppendProperty(attribute);
      if (set->Attribute(context, path).get() == clips) return &set->layer_stack();
    }
  }
  return nullptr;
}

}  // namespace

ClipAssetSite FindClipAssetSite(RequestContext& context, const Prim& prim, Token attribute,
                                const AttributeSource& source, TimeCode time) {
  const ClipAttribute* const clips = source.clip_attribute();
  double local = clips->offset().Inverse().Apply(time.value());
  // Just before a time, the previous clip may still be active.
  if (time.is_pre_time()) local = std::nextafter(local, -std::numeric_limits<double>::infinity());
  const LayerStack* const stack = StackOf(context, prim, attribute, clips);
  return {clips->LayerAt(context, local), stack ? stack : &prim.stage_data().root_layer_stack()};
}

}  // namespace stagedoor
