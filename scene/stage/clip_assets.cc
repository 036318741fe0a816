#include "scene/stage/clip_assets.h"

#include <cmath>
#include <limits>

#include "scene/stage/stage_data.h"

namespace stagedoor {

std::optional<uint32_t> FindClipNode(RequestContext& context, const Prim& prim, Token attribute,
                                     const AttributeSource& source) {
  if (!prim.clips()) return std::nullopt;
  const auto nodes = prim.index().index->nodes();
  for (const auto& set : *prim.clips()) {
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const PrimIndexNode& node = nodes[i];
      if (node.layer_stack != &set->layer_stack() || !node.path.HasPrefix(set->prim_path())) {
        continue;
      }
      const Path path = node.path.AppendProperty(attribute);
      if (set->Attribute(context, path).get() == source.clip_attribute()) return i;
    }
  }
  return std::nullopt;
}

ClipAssetSite FindClipAssetSite(RequestContext& context, const Prim& prim, Token attribute,
                                const AttributeSource& source, TimeCode time) {
  const ClipAttribute* const clips = source.clip_attribute();
  double local = clips->offset().Inverse().Apply(time.value());
  // Just before a time, the previous clip may still be active.
  if (time.is_pre_time()) local = std::nextafter(local, -std::numeric_limits<double>::infinity());
  const std::optional<uint32_t> node = FindClipNode(context, prim, attribute, source);
  return {clips->LayerAt(context, local), node ? prim.index().index->nodes()[*node].layer_stack
                                               : &prim.stage_data().root_layer_stack()};
}

}  // namespace stagedoor
