#include "scene/stage/field_finisher.h"

#include "scene/stage/asset_paths.h"
#include "scene/stage/stage.h"
#include "scene/values/interpolation.h"

namespace stagedoor {

Value FieldFinisher::operator()(Value value, const FieldSite& field) const {
  const PrimSite& site = index_.index->sites()[field.site];
  if (HoldsTimes(value)) {
    const LayerOffset offset = index_.OffsetOf(site);
    if (!offset.IsIdentity()) value = Retime(value, offset);
  }
  RequestContext context;
  return ResolveAssets(context, std::move(value), site);
}

Value FieldFinisher::ResolveAssets(RequestContext& context, Value value,
                                   const PrimSite& site) const {
  if (!HoldsAssetPath(value)) return value;
  const LayerStack& stack = *index_.index->nodes()[site.node].layer_stack;
  return ResolveAssetPaths(value, [&](const std::string& authored) {
    return stage_.ResolveAssetPath(context, authored, *site.layer, stack);
  });
}

}  // namespace stagedoor
