#include "scene/stage/field_resolver.h"

#include "resolver/asset_path.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/asset_paths.h"
#include "scene/stage/stage_data.h"
#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/retiming.h"

namespace stagedoor {

namespace {

Value InStageTime(Value value, const PrimIndexRef& index, const PrimSpecHandle& site) {
  if (!HoldsTimes(value)) return value;
  // The offset is composed on demand only, as few fields hold times.
  const LayerOffset offset = index.OffsetOf(site);
  return offset.IsIdentity() ? value : Retime(value, offset);
}

}  // namespace

Value FieldResolver::operator()(RequestContext& context, Value value,
                                const SpecHandle& field) const {
  const PrimSpecHandle& site = index_.index->prim_stack()[field.site];
  value = InStageTime(std::move(value), index_, site);
  return ResolveAssets(context, std::move(value), site);
}

Value FieldAnchorer::operator()(RequestContext& context, Value value,
                                const SpecHandle& field) const {
  const PrimSpecHandle& site = index_.index->prim_stack()[field.site];
  value = InStageTime(std::move(value), index_, site);
  return Anchor(context, std::move(value), *site.layer,
                *index_.index->nodes()[site.node].layer_stack);
}

Value FieldAnchorer::Anchor(RequestContext& context, Value value, const Layer& layer,
                            const LayerStack& stack) const {
  if (!HoldsAssetPath(value)) return value;
  return ResolveAssetPaths(value, [&](const std::string& authored) {
    const AssetPath path = stage_.ResolveAssetPath(context, authored, layer, stack);
    // An expression that cannot be evaluated is kept as authored.
    const std::string& text = path.evaluated.empty() ? authored : path.evaluated;
    if (text.empty()) return AssetPath();
    const std::string identifier = stage_.Identify(context, text, layer);
    return AssetPath{.authored = std::string(WithoutForeignFileScheme(identifier))};
  });
}

Value FieldResolver::ResolveAssets(RequestContext& context, Value value,
                                   const PrimSpecHandle& site) const {
  const LayerStack& stack = *index_.index->nodes()[site.node].layer_stack;
  return ResolveAssets(context, std::move(value), *site.layer, stack);
}

Value FieldResolver::ResolveAssets(RequestContext& context, Value value, const Layer& layer,
                                   const LayerStack& stack) const {
  if (!HoldsAssetPath(value)) return value;
  return ResolveAssetPaths(value, [&](const std::string& authored) {
    return stage_.ResolveAssetPath(context, authored, layer, stack);
  });
}

}  // namespace stagedoor
